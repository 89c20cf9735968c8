package io.winnow.ribbon;

import java.util.Arrays;

/**
 * Mixes the hashes for a bumped layer and sorts them by bucket and by third of their bucket, which
 * is all the order that the layer needs.
 *
 * <p>A counting sort over all thirds at once: a chunk's few thousand thirds fit the second-level
 * cache, and one pass to count and one to move are half the time of two such sorts (benchmark
 * {@code KernelBuild}, filter {@code bumped-ribbon}). Larger sets are partitioned first.
 *
 * <p>Scratch is kept: 8 bytes per key, 16 for large sets, and 12 per bucket. Not thread-safe.
 */
final class BucketSorter {
  /** From this many keys on the thirds are too many to be sorted into at once. */
  private static final int LARGE = 1 << 19;

  private final KeyPartitioner partitioner = new KeyPartitioner();
  private long[] sorted = {};
  private int[] ends = {};
  private int count;
  private long sum;

  /** After this, {@link #sorted} holds the mixed hashes in the order of their thirds. */
  void sort(long[] hashes, int newCount, long seedMask, int slots) {
    count = newCount;
    if (sorted.length < count) {
      sorted = new long[count];
    }
    int thirds = BumpedLayer.THIRDS * BumpedLayer.buckets(slots);
    if (ends.length < thirds) {
      ends = new int[thirds];
    }
    Arrays.fill(ends, 0, thirds, 0);
    long starts = BumpedLayer.starts(slots);
    if (count < LARGE) {
      sum = sort(hashes, seedMask, starts, thirds);
    } else {
      partitioner.partition(hashes, count, seedMask);
      sum = partitioner.sum();
      sortMixed(partitioner.mixed(), starts, thirds);
    }
  }

  private long sort(long[] hashes, long seedMask, long starts, int thirds) {
    int[] next = ends;
    long newSum = 0;
    for (int i = 0; i < count; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      next[BumpedLayer.thirdOfAll(RibbonHasher.plainStart(x, starts))]++;
      newSum += x;
    }
    KeyPartitioner.beginsOf(next, thirds);
    long[] out = sorted;
    for (int i = 0; i < count; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      out[next[BumpedLayer.thirdOfAll(RibbonHasher.plainStart(x, starts))]++] = x;
    }
    return newSum;
  }

  private void sortMixed(long[] mixed, long starts, int thirds) {
    int[] next = ends;
    for (int i = 0; i < count; i++) {
      next[BumpedLayer.thirdOfAll(RibbonHasher.plainStart(mixed[i], starts))]++;
    }
    KeyPartitioner.beginsOf(next, thirds);
    long[] out = sorted;
    for (int i = 0; i < count; i++) {
      long x = mixed[i];
      out[next[BumpedLayer.thirdOfAll(RibbonHasher.plainStart(x, starts))]++] = x;
    }
  }

  long[] sorted() {
    return sorted;
  }

  /** Where each third ends in {@link #sorted}: {@link BumpedLayer#THIRDS} of them per bucket. */
  int[] ends() {
    return ends;
  }

  int count() {
    return count;
  }

  /** The sum of the mixed hashes as they were before they were moved. */
  long sum() {
    return sum;
  }
}
