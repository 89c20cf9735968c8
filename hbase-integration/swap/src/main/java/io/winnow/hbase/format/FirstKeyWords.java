package io.winnow.hbase.format;

import java.util.Arrays;

/**
 * Search for the chunk of a row by 8 bytes of each chunk's first key, which differ for most rows.
 *
 * <p>The first keys of a file are in order, so all of them begin with the bytes that the first and
 * the last have in common. Of each key the 8 bytes after that start are kept as a number, filled
 * with zeroes if the key ends earlier. If two numbers differ, the keys are in the order of the
 * numbers. A look-up searches the numbers without a branch that could be mispredicted. The keys
 * themselves must be compared only if a row has the same number as a first key, or another start.
 * Immutable and thread-safe.
 */
final class FirstKeyWords {
  /** Result of a search for a row's chunk that 8 bytes of each first key cannot decide. */
  static final int UNDECIDED = -2;

  private final byte[] bytes;
  private final int shared;
  private final int sharedFrom;

  /** Numbers made of 8 bytes of each chunk's first key, in the order of signed numbers. */
  private final long[] words;

  /**
   * Creates the search over the first keys of chunks, which lie in one array.
   *
   * @param from the start of each chunk's first key
   * @param to the end of each chunk's first key
   */
  FirstKeyWords(byte[] bytes, int[] from, int[] to) {
    this.bytes = bytes;
    int last = from.length - 1;
    int mismatch = Arrays.mismatch(bytes, from[0], to[0], bytes, from[last], to[last]);
    this.shared = mismatch < 0 ? to[0] - from[0] : mismatch;
    this.sharedFrom = from[0];
    this.words = new long[from.length];
    for (int chunk = 0; chunk < from.length; chunk++) {
      words[chunk] = CellOrder.word(bytes, from[chunk] + shared, to[chunk]);
    }
  }

  /**
   * Returns the number of the chunk in a filter that a row belongs to, if 8 bytes of each first key
   * decide that.
   *
   * @return the number of the chunk, -1 if the row sorts before the first, or {@link #UNDECIDED}
   */
  int chunkOf(byte[] row, int offset, int length) {
    if (length < shared
        || !Arrays.equals(row, offset, offset + shared, bytes, sharedFrom, sharedFrom + shared)) {
      return UNDECIDED;
    }
    long word = CellOrder.word(row, offset + shared, offset + length);
    int chunk = 0;
    for (int left = words.length; left > 1; ) {
      int half = left >>> 1;
      chunk = words[chunk + half] <= word ? chunk + half : chunk;
      left -= half;
    }
    if (words[chunk] == word) {
      return UNDECIDED;
    }
    return words[chunk] < word ? chunk : -1;
  }
}
