package io.winnow.flash.buffered;

import java.util.Arrays;

/**
 * Keys of a batch, sorted by their group of pages, so that a block's monitor is taken once for all
 * its keys in the batch: the monitor is most of the cost of a single key.
 *
 * <p>Not thread-safe.
 */
final class GroupedKeys {
  /**
   * Maximum of keys that are sorted by their group of pages at a time, so that their memory stays
   * in the L2 cache.
   */
  private static final int MAX_KEYS = 1 << 13;

  /**
   * Minimum of keys per group of pages on average; with fewer, sorting costs more than it saves.
   */
  private static final int MIN_PER_GROUP = 4;

  private final BufferedBloomSizing sizing;
  private final long[] mixed;
  private final int[] groupOf;
  final long[] entries;

  /** Index of each sorted key in the caller's array. */
  final int[] indexes;

  /**
   * Index after the last sorted key of each group of pages, where those of the next group begin.
   */
  private final int[] ends;

  private GroupedKeys(BufferedBloomSizing sizing, int size) {
    this.sizing = sizing;
    this.mixed = new long[size];
    this.groupOf = new int[size];
    this.entries = new long[size];
    this.indexes = new int[size];
    this.ends = new int[sizing.groups() + 1];
  }

  /** Returns a sorter for a batch of keys, or null if the batch is better inserted key by key. */
  static GroupedKeys forBatch(BufferedBloomSizing sizing, int count) {
    int size = Math.min(MAX_KEYS, count);
    return size < (long) MIN_PER_GROUP * sizing.groups() ? null : new GroupedKeys(sizing, size);
  }

  /**
   * Sorts as many keys by their group of pages as this object has room for.
   *
   * @return the index of the next key
   */
  int fill(long[] keyHashes, int from, int to) {
    int count = Math.min(mixed.length, to - from);
    Arrays.fill(ends, 0);
    for (int i = 0; i < count; i++) {
      mixed[i] = BufferedBloomSizing.mix(keyHashes[from + i]);
      groupOf[i] = sizing.group(mixed[i]);
      ends[groupOf[i] + 1]++;
    }
    for (int group = 1; group < ends.length; group++) {
      ends[group] += ends[group - 1];
    }
    for (int i = 0; i < count; i++) {
      int at = ends[groupOf[i]]++; // after the loop it is the end of the group
      entries[at] = sizing.entry(mixed[i]);
      indexes[at] = from + i;
    }
    return from + count;
  }

  /** Returns the index of the first sorted key of a group of pages. */
  int begin(int group) {
    return group == 0 ? 0 : ends[group - 1];
  }

  /** Returns the index after the last sorted key of a group of pages. */
  int end(int group) {
    return ends[group];
  }
}
