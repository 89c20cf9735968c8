package io.winnow.ribbon;

import io.winnow.bits.ByteAccess;

/**
 * The probe of an interleaved solution: the dot product of a coefficient row with each column of
 * the slots from its start on, which for a key in the set is zero in every column.
 *
 * <p>Block {@code b} has {@code columns} words per 64 slots of width, or one column fewer if it is
 * among the first {@code lowerBlocks}; the row reaches from its block into the next one. The first
 * three columns are taken together without a branch (seven of eight absent keys end there), the
 * rest likewise: leaving at each column costs more in mispredicted branches than it saves.
 *
 * <p>Static methods over primitives: no allocation, no copy, absolute reads only.
 */
final class RibbonProbe {
  private RibbonProbe() {}

  /** Width 64; {@code payload} is the byte offset of the solution. */
  static <T> boolean probe64(
      ByteAccess<T> access,
      T image,
      long payload,
      int columns,
      int lowerBlocks,
      int start,
      long row) {
    int block = start >>> 6;
    int shift = start & 63;
    int lower = block < lowerBlocks ? 1 : 0;
    int used = columns - lower;
    long here = payload + 8L * ((long) block * columns - Math.min(block, lowerBlocks));
    // A row that fits its block reads its own block twice, with no coefficients the second time.
    long there = shift == 0 ? here : here + 8L * used;
    long rowHere = row << shift;
    long rowThere = (row >>> 1) >>> (63 - shift); // two shifts: 64 - shift may be 64
    int column = 0;
    if (used >= 3) {
      long x = (access.getLong(image, here) & rowHere) ^ (access.getLong(image, there) & rowThere);
      long y =
          (access.getLong(image, here + 8) & rowHere)
              ^ (access.getLong(image, there + 8) & rowThere);
      long z =
          (access.getLong(image, here + 16) & rowHere)
              ^ (access.getLong(image, there + 16) & rowThere);
      if (((Long.bitCount(x) | Long.bitCount(y) | Long.bitCount(z)) & 1) != 0) {
        return false;
      }
      column = 3;
    }
    int odd = 0;
    for (; column < used; column++) {
      long offset = 8L * column;
      odd |=
          Long.bitCount(
              (access.getLong(image, here + offset) & rowHere)
                  ^ (access.getLong(image, there + offset) & rowThere));
    }
    return (odd & 1) == 0;
  }

  /** Width 128: as for 64, with two words per column and block. */
  static <T> boolean probe128(
      ByteAccess<T> access,
      T image,
      long payload,
      int columns,
      int lowerBlocks,
      int start,
      long low,
      long high) {
    int block = start >>> 7;
    int shift = start & 63;
    boolean upperHalf = (start & 64) != 0;
    int used = columns - (block < lowerBlocks ? 1 : 0);
    long here = payload + 16L * ((long) block * columns - Math.min(block, lowerBlocks));
    long there = (start & 127) == 0 ? here : here + 16L * used;
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
        long offset = 16L * column;
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
