package io.winnow.hbase.format;

import io.winnow.bits.ByteAccess;
import java.util.Arrays;

/**
 * The short cut of a chunk look-up by row: what tells most rows apart is in 8 bytes.
 *
 * <p>The first keys of a file's chunks are in order, so what its first and its last one begin with
 * they all do. Of each key the 8 bytes after that are kept as a number, with zeroes where the key
 * ends: if two such numbers differ, the keys are in the same order as they are. A look-up searches
 * the numbers without a branch that could be mispredicted, and only where a row has the same number
 * as a first key, or does not begin like them, must the keys themselves be compared. Immutable and
 * thread-safe.
 */
final class FirstKeyWords {
  /** The answer where the keys themselves must be compared. */
  static final int UNDECIDED = -2;

  private final byte[] bytes;
  private final int shared;
  private final int sharedFrom;

  /** In order as signed numbers. */
  private final long[] words;

  /** The key of chunk i is {@code bytes[from[i]..to[i])}. */
  FirstKeyWords(byte[] bytes, int[] from, int[] to) {
    this.bytes = bytes;
    int last = from.length - 1;
    int mismatch = Arrays.mismatch(bytes, from[0], to[0], bytes, from[last], to[last]);
    this.shared = mismatch < 0 ? to[0] - from[0] : mismatch;
    this.sharedFrom = from[0];
    this.words = new long[from.length];
    for (int chunk = 0; chunk < from.length; chunk++) {
      words[chunk] = word(bytes, from[chunk] + shared, to[chunk]);
    }
  }

  /** The chunk of a row, -1 before the first chunk, or {@link #UNDECIDED}. */
  int chunkOf(byte[] row, int offset, int length) {
    if (length < shared
        || !Arrays.equals(row, offset, offset + shared, bytes, sharedFrom, sharedFrom + shared)) {
      return UNDECIDED;
    }
    long word = word(row, offset + shared, offset + length);
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

  private static long word(byte[] key, int from, int to) {
    if (to - from >= Long.BYTES) {
      return Long.reverseBytes(ByteAccess.ARRAY.getLong(key, from)) ^ Long.MIN_VALUE;
    }
    long word = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      word = word << 8 | (from + i < to ? key[from + i] & 0xFF : 0);
    }
    return word ^ Long.MIN_VALUE;
  }
}
