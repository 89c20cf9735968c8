package io.winnow.ribbon;

import io.winnow.base.KeyBuffer;
import java.util.Arrays;

/** Operations on the scratch arrays that the construction of Ribbon filters uses. */
final class Scratch {
  private Scratch() {}

  /**
   * Returns an array that begins with a given number of zero words: the given array itself if it is
   * long enough.
   */
  static long[] cleared(long[] array, int length) {
    if (array.length < length) {
      return new long[length];
    }
    Arrays.fill(array, 0, length, 0L);
    return array;
  }

  /**
   * Returns whether any of the keys' hashes in {@code hashes[from..to)} is repeated. It sorts a
   * copy, so that chosen hashes cost no more than {@code k log k} steps.
   */
  static boolean hasRepeat(long[] hashes, int from, int to) {
    long[] sorted = Arrays.copyOfRange(hashes, from, to);
    Arrays.sort(sorted);
    return KeyBuffer.distinctInSorted(sorted, sorted.length) < sorted.length;
  }

  /**
   * Moves the blocks of a Ribbon solution to {@code out[at..]}, the first {@code lowerBlocks} of
   * them without their last column.
   *
   * @return the end of the last one
   */
  static int pack(
      long[] solution, int blocks, int lowerBlocks, int columns, int width, long[] out, int at) {
    int words = columns * width / 64;
    int end = at;
    for (int block = 0; block < blocks; block++) {
      int used = words - (block < lowerBlocks ? width / 64 : 0);
      System.arraycopy(solution, block * words, out, end, used);
      end += used;
    }
    return end;
  }
}
