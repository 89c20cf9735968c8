package io.winnow.quotient;

import io.winnow.base.HashMix;
import io.winnow.base.KeyBuffer;
import java.util.Arrays;

/**
 * Mixes the hashes of keys, sorts them as unsigned numbers, and removes repeats. One pass brings
 * each hash near its place by its top bits, and small neighbourhoods are sorted by insertion. The
 * time is about linear, whichever bits the hashes have in common; only hashes that were crafted to
 * agree when mixed need a sort of their neighbourhood. The memory is kept for the next call. Not
 * thread-safe.
 */
final class HashSorter {
  private static final int HASHES_PER_BUCKET = 8;
  private static final int INSERTION_LIMIT = 40;

  private long[] sorted = {};
  private int[] ends = {};

  /** Returns the sorted hashes after {@link #sort}, in an array that its next call reuses. */
  long[] sorted() {
    return sorted;
  }

  /**
   * Mixes, sorts and deduplicates the hashes in a buffer.
   *
   * @return the number of distinct ones
   */
  int sort(KeyBuffer keys) {
    int count = keys.count();
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
      ends[(int) (HashMix.mix(keys.get(i)) >>> shift)]++;
    }
    int begin = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
      int size = ends[bucket];
      ends[bucket] = begin;
      begin += size;
    }
    for (int i = 0; i < count; i++) {
      long mixed = HashMix.mix(keys.get(i));
      sorted[ends[(int) (mixed >>> shift)]++] = mixed;
    }
    begin = 0;
    int kept = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
      int end = ends[bucket];
      sortBucket(begin, end);
      for (; begin < end; begin++) {
        if (kept == 0 || sorted[begin] != sorted[kept - 1]) {
          sorted[kept++] = sorted[begin];
        }
      }
    }
    return kept;
  }

  /**
   * Sorts a bucket of hashes, in an array, whose top bits are equal. The top bits in it are equal,
   * so signed order is unsigned order.
   */
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
