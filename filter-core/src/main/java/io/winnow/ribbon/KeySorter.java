package io.winnow.ribbon;

import io.winnow.base.KeyBuffer;
import java.util.Arrays;

/**
 * Mixes the hashes of keys with a seed and sorts them roughly by their starts, as elimination needs
 * it: the rows that it needs next are then in the nearest cache.
 *
 * <p>It is a counting sort into parts, with one pass to count and one to move. For a homogeneous
 * system a part is a range of starts with some thousand hashes; for a bumped layer it is a third of
 * a bucket.
 *
 * <p>The memory is kept: 8 bytes per key, and 12 per bucket of a bumped layer. Not thread-safe.
 */
final class KeySorter {
  private static final int KEYS_PER_PARTITION = 1000;
  private static final int MAX_PARTITIONS = 1 << 11; // with more, moving leaves the cache

  /** Mixed hashes of the keys: the first {@link #count} elements of the array. */
  long[] mixed = {};

  private int[] ends = {};

  /** Number of parts into which the hashes of keys are sorted. */
  int parts;

  /** Number of sorted hashes of keys. */
  int count;

  /** Sum of all mixed hashes of keys, computed before they were moved, as a checksum. */
  long sum;

  private long seedMask;
  private long starts;
  private boolean byThird;

  /**
   * Mixes the hashes of keys and partitions them by ranges of starts, for a homogeneous Ribbon
   * filter.
   */
  void partition(KeyBuffer keys, long newSeedMask) {
    parts = Math.min(keys.count() / KEYS_PER_PARTITION + 1, MAX_PARTITIONS);
    starts = parts;
    byThird = false;
    sort(keys, newSeedMask);
  }

  /**
   * Mixes the hashes of keys and sorts them by thirds of buckets (groups of starts), for a bumped
   * Ribbon filter's layer.
   */
  void sortByThird(KeyBuffer keys, long newSeedMask, int slots) {
    parts = BumpedLayer.THIRDS * BumpedLayer.buckets(slots);
    starts = BumpedLayer.starts(slots);
    byThird = true;
    sort(keys, newSeedMask);
  }

  /**
   * Sorts the mixed hashes of keys completely by their starts in a Ribbon filter. Parts are ranges
   * of starts, so each part keeps its hashes.
   */
  void sortParts() {
    for (int i = 0; i < count; i++) {
      mixed[i] ^= Long.MIN_VALUE; // starts increase with the hash as an unsigned number
    }
    Arrays.sort(mixed, 0, count);
    for (int i = 0; i < count; i++) {
      mixed[i] ^= Long.MIN_VALUE;
    }
  }

  /** Mixes the hashes of keys and moves each to its part of the sorted array. */
  private void sort(KeyBuffer keys, long newSeedMask) {
    seedMask = newSeedMask;
    count = keys.count();
    mixed = mixed.length < count ? new long[count] : mixed;
    ends = ends.length < parts ? new int[parts] : ends;
    Arrays.fill(ends, 0, parts, 0);
    sum = 0;
    for (int i = 0; i < keys.segments(); i++) {
      count(keys.segment(i), keys.segmentSize(i), ends);
    }
    int begin = 0;
    for (int part = 0; part < parts; part++) {
      int size = ends[part];
      ends[part] = begin;
      begin += size;
    }
    for (int i = 0; i < keys.segments(); i++) {
      move(keys.segment(i), keys.segmentSize(i), ends, mixed);
    }
  }

  /**
   * Counts the hashes of keys that belong to each part of the sorted array, and adds them to the
   * checksum.
   */
  private void count(long[] hashes, int size, int[] sizes) {
    long added = 0;
    for (int i = 0; i < size; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      sizes[part(x)]++;
      added += x;
    }
    sum += added;
  }

  /**
   * Moves hashes of keys to the next free places of their parts in the sorted array; in the end,
   * these places are the ends of the parts.
   */
  private void move(long[] hashes, int size, int[] next, long[] out) {
    for (int i = 0; i < size; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      out[next[part(x)]++] = x;
    }
  }

  /** Returns the number of the part into which the mixed hash of a key is sorted. */
  private int part(long x) {
    int start = RibbonHasher.plainStart(x, starts);
    return byThird ? BumpedLayer.thirdOfAll(start) : start;
  }

  /** Returns the end of a part in the sorted array, where the next one begins. */
  int end(int part) {
    return ends[part];
  }
}
