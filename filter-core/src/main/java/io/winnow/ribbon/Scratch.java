package io.winnow.ribbon;

import io.winnow.build.KeyBuffer;
import java.util.Arrays;

/** What the kernels of this package share in handling their scratch arrays. */
final class Scratch {
  private Scratch() {}

  /** An array whose first {@code length} words are zero: this one if it is long enough. */
  static long[] cleared(long[] array, int length) {
    if (array.length < length) {
      return new long[length];
    }
    Arrays.fill(array, 0, length, 0L);
    return array;
  }

  /**
   * Whether one of {@code hashes[from..to)} comes twice. Sorts a copy, so that chosen hashes cost
   * no more than {@code k log k} steps, either.
   */
  static boolean hasRepeat(long[] hashes, int from, int to) {
    long[] sorted = Arrays.copyOfRange(hashes, from, to);
    Arrays.sort(sorted);
    return KeyBuffer.distinctInSorted(sorted, sorted.length) < sorted.length;
  }

  /**
   * Moves the blocks of a solution to {@code out[at..]}, the first ones without their last column,
   * and answers where they end.
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
