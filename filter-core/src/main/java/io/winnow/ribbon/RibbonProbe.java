package io.winnow.ribbon;

import io.winnow.bits.ByteAccess;

/**
 * The probe of an interleaved solution: the dot product of a coefficient row with each column of
 * the slots from its start on, which for a key in the set is zero in every column.
 *
 * <p>Block {@code b} has {@code columns} words per 64 slots of width, or one column fewer if it is
 * among the first {@code lowerBlocks}; the row reaches from its block into the next one. All
 * columns are taken without a branch that depends on the key: leaving early at a column that is not
 * zero saves less than its mispredicted branches cost, unless nearly all keys are absent.
 *
 * <p>Static methods over primitives: no allocation, no copy, absolute reads only.
 */
final class RibbonProbe {
  private RibbonProbe() {}

  /** Width 64; {@code payload} is the byte offset of the solution. */
  static <T> boolean probe64(
      ByteAccess<T> access,
      T image,
      int payload,
      int columns,
      int lowerBlocks,
      int start,
      long row) {
    int block = start >>> 6;
    int shift = start & 63;
    int used = columns - (block < lowerBlocks ? 1 : 0);
    if (used <= 0) {
      return true;
    }
    int here = payload + 8 * (block * columns - Math.min(block, lowerBlocks));
    // A row that fits its block reads its own block twice, with no coefficients the second time.
    int there = shift == 0 ? here : here + 8 * used;
    long rowHere = row << shift;
    long rowThere = (row >>> 1) >>> (63 - shift); // two shifts: 64 - shift may be 64
    // The last column is taken apart: a lower block, which lacks it, reads the one before again.
    long odd = word(access, image, here, there, 8 * (used - 1), rowHere, rowThere);
    int left = columns - 1;
    if (left >= 8) {
      odd |= eights(access, image, here, there, left, rowHere, rowThere);
      here += 8 * (left & ~7);
      there += 8 * (left & ~7);
      left &= 7;
    }
    if (left >= 4) {
      odd |=
          word(access, image, here, there, 0, rowHere, rowThere)
              | word(access, image, here, there, 8, rowHere, rowThere)
              | word(access, image, here, there, 16, rowHere, rowThere)
              | word(access, image, here, there, 24, rowHere, rowThere);
      here += 32;
      there += 32;
      left -= 4;
    }
    if (left >= 2) {
      odd |=
          word(access, image, here, there, 0, rowHere, rowThere)
              | word(access, image, here, there, 8, rowHere, rowThere);
      here += 16;
      there += 16;
      left -= 2;
    }
    if (left != 0) {
      odd |= word(access, image, here, there, 0, rowHere, rowThere);
    }
    return (odd & 1) == 0;
  }

  /** The columns of rates so low that there are eight and more; a loop that others do without. */
  private static <T> long eights(
      ByteAccess<T> access,
      T image,
      int here,
      int there,
      int columns,
      long rowHere,
      long rowThere) {
    long odd = 0;
    for (int column = 0; column < (columns & ~7); column++) {
      odd |= word(access, image, here, there, 8 * column, rowHere, rowThere);
    }
    return odd;
  }

  private static <T> long word(
      ByteAccess<T> access, T image, int here, int there, int offset, long rowHere, long rowThere) {
    return Long.bitCount(
        (access.getLong(image, here + offset) & rowHere)
            ^ (access.getLong(image, there + offset) & rowThere));
  }

  /** Width 128: as for 64, with two words per column and block. */
  static <T> boolean probe128(
      ByteAccess<T> access,
      T image,
      int payload,
      int columns,
      int lowerBlocks,
      int start,
      long low,
      long high) {
    int block = start >>> 7;
    int shift = start & 63;
    boolean upperHalf = (start & 64) != 0;
    int used = columns - (block < lowerBlocks ? 1 : 0);
    int here = payload + 16 * (block * columns - Math.min(block, lowerBlocks));
    int there = (start & 127) == 0 ? here : here + 16 * used;
    long first = low << shift;
    long second = (high << shift) | ((low >>> 1) >>> (63 - shift));
    long third = (high >>> 1) >>> (63 - shift);
    long hereLow = upperHalf ? 0 : first;
    long hereHigh = upperHalf ? first : second;
    long thereLow = upperHalf ? second : third;
    long thereHigh = upperHalf ? third : 0;
    for (int column = 0; column < used; ) {
      int odd = 0;
      for (int end = Math.min(column + 3, used); column < end; column++) {
        int offset = 16 * column;
        odd |=
            Long.bitCount(
                (access.getLong(image, here + offset) & hereLow)
                    ^ (access.getLong(image, here + offset + 8) & hereHigh)
                    ^ (access.getLong(image, there + offset) & thereLow)
                    ^ (access.getLong(image, there + offset + 8) & thereHigh));
      }
      if ((odd & 1) != 0) {
        return false;
      }
    }
    return true;
  }
}
