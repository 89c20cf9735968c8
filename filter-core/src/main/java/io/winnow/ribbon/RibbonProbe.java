package io.winnow.ribbon;

import io.winnow.ByteAccess;

/**
 * Probes a Ribbon filter's solution: computes the dot product of a coefficient row with each column
 * of the slots from its start on. For a key in the set each column has the expected value: zero in
 * a homogeneous filter, a bit of the key's fingerprint in a bumped one.
 *
 * <p>Block {@code b} has {@code columns} words per 64 slots of width, or one column fewer if it is
 * among the first {@code lowerBlocks}; the row reaches from its block into the next one. Width 64
 * reads all columns without a branch that depends on the key: stopping at a wrong column saves less
 * than its mispredicted branches cost, unless nearly all keys are absent.
 *
 * <p>Arrays have separate code here; for all other memory {@link ByteAccess#parities} is called
 * once. The test {@code access == ByteAccess.ARRAY} is here, next to the loops, and not in a
 * caller: a JVM that probes several types of filters in several kinds of buffers compiles the
 * callers for all of them, and then only this test shows it which kind is read. See {@code
 * docs/design/probe.md}.
 *
 * <p>It allocates and copies nothing, and reads only at absolute indexes.
 */
final class RibbonProbe {
  private RibbonProbe() {}

  /**
   * Probes a Ribbon filter's solution with rows of 64 coefficients.
   *
   * @param payload byte offset of the solution
   * @param want the expected value of each column, as bits
   * @return 0 for a key that may be in the set, otherwise 1
   */
  static <T> long miss64(
      ByteAccess<T> access,
      T image,
      int payload,
      int columns,
      int blocks,
      int lowerBlocks,
      int start,
      long row,
      long want) {
    int block = start >>> 6;
    int shift = start & 63;
    int used = columns - (block < lowerBlocks ? 1 : 0);
    if (used <= 0) {
      return 0;
    }
    int here = payload + 8 * (block * columns - Math.min(block, lowerBlocks));
    // A row within one block reads that block twice, the second time without coefficients.
    int there = shift == 0 ? here : here + 8 * used;
    long rowHere = row << shift;
    long rowThere = (row >>> 1) >>> (63 - shift); // two shifts: 64 - shift may be 64
    if (access == ByteAccess.ARRAY) {
      return missInArray((byte[]) image, columns, used, here, there, rowHere, rowThere, want);
    }
    // The same number of words for each key. A lower block has one column fewer: its last word is
    // the first word of the next block, and is ignored.
    int read = lowerBlocks < blocks ? columns : used;
    long odd = access.parities(image, here, there, 8, rowHere, rowThere, read) ^ want;
    return odd << (64 - used) == 0 ? 0 : 1; // used in 1..56
  }

  /**
   * Probes a Ribbon filter's solution with rows of 64 coefficients in a byte array. It is unrolled,
   * in steps that depend only on the filter: 18 ns instead of 22 in a loop, on the heap with
   * 145,000 keys in {@code KernelProbe.counted}. A lower block lacks the last column; so the last
   * column in use is read first, and possibly a second time.
   */
  private static long missInArray(
      byte[] image,
      int columns,
      int used,
      int here,
      int there,
      long rowHere,
      long rowThere,
      long want) {
    int last = used - 1;
    long odd = one(image, here + 8 * last, there + 8 * last, rowHere, rowThere, want >>> last);
    int left = columns - 1;
    if (left >= 8) {
      int many = left & ~7;
      odd |= many(image, here, there, rowHere, rowThere, want, many);
      here += 8 * many;
      there += 8 * many;
      want >>>= many;
      left -= many;
    }
    if (left >= 4) {
      odd |= two(image, here, there, rowHere, rowThere, want);
      odd |= two(image, here + 16, there + 16, rowHere, rowThere, want >>> 2);
      here += 32;
      there += 32;
      want >>>= 4;
    }
    if ((left & 2) != 0) {
      odd |= two(image, here, there, rowHere, rowThere, want);
      here += 16;
      there += 16;
      want >>>= 2;
    }
    if ((left & 1) != 0) {
      odd |= one(image, here, there, rowHere, rowThere, want);
    }
    return odd & 1;
  }

  /**
   * Probes several columns of a Ribbon solution in a loop, for rates so low that there are eight or
   * more.
   */
  private static long many(
      byte[] image, int here, int there, long rowHere, long rowThere, long want, int count) {
    long odd = 0;
    for (int i = 0; i < count; i++) {
      odd |= one(image, here + 8 * i, there + 8 * i, rowHere, rowThere, want >>> i);
    }
    return odd;
  }

  /** Probes two adjacent columns of a Ribbon solution. */
  private static long two(
      byte[] image, int here, int there, long rowHere, long rowThere, long want) {
    return one(image, here, there, rowHere, rowThere, want)
        | one(image, here + 8, there + 8, rowHere, rowThere, want >>> 1);
  }

  /**
   * Probes one column of a Ribbon solution.
   *
   * @return a number whose bit 0 is 1 if the column differs from bit 0 of {@code want}
   */
  private static long one(
      byte[] image, int here, int there, long rowHere, long rowThere, long want) {
    return want
        ^ Long.bitCount(
            (ByteAccess.ARRAY.getLong(image, here) & rowHere)
                ^ (ByteAccess.ARRAY.getLong(image, there) & rowThere));
  }

  /**
   * Probes a Ribbon filter's solution with rows of 128 coefficients, as two words per column and
   * block.
   */
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
    if (used <= 0) {
      return true;
    }
    if (access == ByteAccess.ARRAY) {
      return probeArray128(
          (byte[]) image, used, here, there, hereLow, hereHigh, thereLow, thereHigh);
    }
    return access.parities(image, here, there, 16, hereLow, thereLow, used)
        == access.parities(image, here + 8, there + 8, 16, hereHigh, thereHigh, used);
  }

  /**
   * Probes a Ribbon filter's solution with rows of 128 coefficients in a byte array. It stops after
   * each three columns if one is wrong; otherwise it would read half as much again for absent keys.
   */
  private static boolean probeArray128(
      byte[] image,
      int used,
      int here,
      int there,
      long hereLow,
      long hereHigh,
      long thereLow,
      long thereHigh) {
    for (int column = 0; column < used; ) {
      int odd = 0;
      for (int end = Math.min(column + 3, used); column < end; column++) {
        int offset = 16 * column;
        odd |=
            Long.bitCount(
                (ByteAccess.ARRAY.getLong(image, here + offset) & hereLow)
                    ^ (ByteAccess.ARRAY.getLong(image, here + offset + 8) & hereHigh)
                    ^ (ByteAccess.ARRAY.getLong(image, there + offset) & thereLow)
                    ^ (ByteAccess.ARRAY.getLong(image, there + offset + 8) & thereHigh));
      }
      if ((odd & 1) != 0) {
        return false;
      }
    }
    return true;
  }
}
