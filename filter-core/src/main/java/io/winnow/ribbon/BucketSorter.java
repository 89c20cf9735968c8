package io.winnow.ribbon;

import java.util.Arrays;

/**
 * Sorts hashes that are in the order of their partitions by bucket and by third of their bucket:
 * the order in which a bumped layer takes them, from the end of each bucket to its beginning.
 *
 * <p>A counting sort within each partition, whose few hundred hashes spread over a dozen buckets.
 * Starts grow from partition to partition, so what stands behind each other is sorted as a whole.
 * Scratch is kept. Not thread-safe.
 */
final class BucketSorter {
  private long[] sorted = {};
  private int[] bins = {};
  private int[] next = {};

  /** Sorts {@code mixed[0..count)}, partitioned with these ends, for so many starts. */
  long[] sort(long[] mixed, int count, int[] ends, long starts) {
    if (sorted.length < count) {
      sorted = new long[count];
    }
    int begin = 0;
    for (int end : ends) {
      if (end > begin) {
        sortPartition(mixed, begin, end, starts);
      }
      begin = end;
    }
    return sorted;
  }

  private void sortPartition(long[] mixed, int begin, int end, long starts) {
    if (bins.length < end - begin) {
      bins = new int[Math.max(end - begin, 2 * bins.length)];
    }
    int lowest = Integer.MAX_VALUE;
    int highest = 0;
    int[] bins = this.bins;
    for (int i = begin; i < end; i++) {
      int start = RibbonHasher.plainStart(mixed[i], starts);
      int bin = 3 * (start / BumpedLayer.BUCKET) + BumpedLayer.third(start);
      bins[i - begin] = bin;
      lowest = Math.min(lowest, bin);
      highest = Math.max(highest, bin);
    }
    int used = highest - lowest + 1;
    if (next.length < used) {
      next = new int[Math.max(used, 2 * next.length)];
    }
    int[] next = this.next;
    Arrays.fill(next, 0, used, 0);
    for (int i = 0; i < end - begin; i++) {
      next[bins[i] - lowest]++;
    }
    int position = begin;
    for (int bin = 0; bin < used; bin++) {
      int size = next[bin];
      next[bin] = position;
      position += size;
    }
    long[] out = sorted;
    for (int i = begin; i < end; i++) {
      out[next[bins[i - begin] - lowest]++] = mixed[i];
    }
  }
}
