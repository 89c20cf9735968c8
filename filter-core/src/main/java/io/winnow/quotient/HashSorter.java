package io.winnow.quotient;

import java.util.Arrays;

/**
 * Sorts hashes as unsigned numbers: one pass brings each near its place by its top bits, and small
 * neighbourhoods are sorted by insertion. About linear for hashes that are spread evenly; crafted
 * ones take a sort of their neighbourhood. Scratch is kept. Not thread-safe.
 */
final class HashSorter {
  private static final int HASHES_PER_BUCKET = 8;
  private static final int INSERTION_LIMIT = 40;

  private long[] sorted = {};
  private int[] ends = {};

  /** The first {@code count} hashes in ascending order, in an array that the next call reuses. */
  long[] sort(long[] hashes, int count) {
    if (sorted.length < count) {
      sorted = new long[count];
    }
    int bits = Math.max(1, 32 - Integer.numberOfLeadingZeros(count / HASHES_PER_BUCKET));
    int shift = Long.SIZE - bits;
    int buckets = 1 << bits;
    if (ends.length < buckets) {
      ends = new int[buckets];
    }
    Arrays.fill(ends, 0, buckets, 0);
    for (int i = 0; i < count; i++) {
      ends[(int) (hashes[i] >>> shift)]++;
    }
    int begin = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
      int size = ends[bucket];
      ends[bucket] = begin;
      begin += size;
    }
    for (int i = 0; i < count; i++) {
      sorted[ends[(int) (hashes[i] >>> shift)]++] = hashes[i];
    }
    begin = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
      sortBucket(begin, ends[bucket]);
      begin = ends[bucket];
    }
    return sorted;
  }

  /** Within a bucket top bits are equal, so that signed order is the unsigned one. */
  private void sortBucket(int from, int to) {
    if (to - from > INSERTION_LIMIT) {
      Arrays.sort(sorted, from, to);
      return;
    }
    for (int i = from + 1; i < to; i++) {
      long hash = sorted[i];
      int j = i;
      for (; j > from && sorted[j - 1] > hash; j--) {
        sorted[j] = sorted[j - 1];
      }
      sorted[j] = hash;
    }
  }
}
