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

  /** Sorted hashes of keys, the result of the last {@link #sort}; the next one overwrites them. */
  long[] sorted = {};

  private int[] ends = {};

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
      Arrays.sort(sorted, begin, end); // the top bits are equal, so signed order is unsigned order
      for (; begin < end; begin++) {
        if (kept == 0 || sorted[begin] != sorted[kept - 1]) {
          sorted[kept++] = sorted[begin];
        }
      }
    }
    return kept;
  }
}
