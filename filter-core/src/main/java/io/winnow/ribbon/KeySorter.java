package io.winnow.ribbon;

import io.winnow.build.KeyBuffer;
import java.util.Arrays;

/**
 * Mixes the hashes for a seed and brings them into the order that elimination needs: roughly that
 * of their starts, so that the rows that it touches next are in the nearest cache.
 *
 * <p>A counting sort into parts, in one pass to count and one to move. For a homogeneous system a
 * part is a range of starts with some thousand hashes; for a bumped layer it is the third of a
 * bucket.
 *
 * <p>Scratch is kept: 8 bytes per key, and 12 per bucket of a bumped layer. Not thread-safe.
 */
final class KeySorter {
  private static final int KEYS_PER_PARTITION = 1000;
  private static final int MAX_PARTITIONS = 1 << 11; // above that, moving leaves the cache

  private long[] mixed = {};
  private int[] ends = {};
  private int parts;
  private int count;
  private long sum;
  private long seedMask;
  private long starts;
  private boolean byThird;

  /** After this, {@link #mixed} holds the mixed hashes in the order of their partitions. */
  void partition(KeyBuffer keys, long newSeedMask) {
    parts = Math.min(keys.count() / KEYS_PER_PARTITION + 1, MAX_PARTITIONS);
    starts = parts;
    byThird = false;
    sort(keys, newSeedMask);
  }

  /** After this, {@link #mixed} holds the mixed hashes in the order of the layer's thirds. */
  void sortByThird(KeyBuffer keys, long newSeedMask, int slots) {
    parts = BumpedLayer.THIRDS * BumpedLayer.buckets(slots);
    starts = BumpedLayer.starts(slots);
    byThird = true;
    sort(keys, newSeedMask);
  }

  /** After this, {@link #mixed} ascends by start: each part is in order, and has what it had. */
  void sortParts() {
    for (int i = 0; i < count; i++) {
      mixed[i] ^= Long.MIN_VALUE; // starts follow the hash taken as unsigned
    }
    Arrays.sort(mixed, 0, count);
    for (int i = 0; i < count; i++) {
      mixed[i] ^= Long.MIN_VALUE;
    }
  }

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

  private void count(long[] hashes, int size, int[] sizes) {
    long added = 0;
    for (int i = 0; i < size; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      sizes[part(x)]++;
      added += x;
    }
    sum += added;
  }

  /** Moves hashes to where their part goes on: in the end, that is where it ends. */
  private void move(long[] hashes, int size, int[] next, long[] out) {
    for (int i = 0; i < size; i++) {
      long x = RibbonHasher.mix(hashes[i], seedMask);
      out[next[part(x)]++] = x;
    }
  }

  private int part(long x) {
    int start = RibbonHasher.plainStart(x, starts);
    return byThird ? BumpedLayer.thirdOfAll(start) : start;
  }

  /** The mixed hashes, the first {@link #count} of the array. */
  long[] mixed() {
    return mixed;
  }

  int count() {
    return count;
  }

  /** How many parts there are. */
  int parts() {
    return parts;
  }

  /** Where a part ends in {@link #mixed}; the next one begins there. */
  int end(int part) {
    return ends[part];
  }

  /** The sum of the mixed hashes as they were before they were moved. */
  long sum() {
    return sum;
  }
}
