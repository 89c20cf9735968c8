package io.winnow.flash.buffered;

import java.util.Arrays;

/**
 * Some keys of a batch, in the order of their groups: so a block's monitor is taken once for all of
 * the batch's keys that belong to it, which is most of what a key costs otherwise.
 *
 * <p>One thread at a time.
 */
final class GroupedKeys {
  /** How many keys are brought into order at a time: what that takes stays in the L2 cache. */
  private static final int MOST = 1 << 13;

  /** With fewer keys for a group on average the order costs more than it saves. */
  private static final int LEAST_PER_GROUP = 4;

  private final BufferedBloomSizing sizing;
  private final long[] mixed;
  private final int[] groupOf;
  final long[] entries;

  /** Which of the caller's keys each is. */
  final int[] indexes;

  /** Where the keys of each group end; those of the next one begin there. */
  private final int[] ends;

  private GroupedKeys(BufferedBloomSizing sizing, int most) {
    this.sizing = sizing;
    this.mixed = new long[most];
    this.groupOf = new int[most];
    this.entries = new long[most];
    this.indexes = new int[most];
    this.ends = new int[sizing.groups() + 1];
  }

  /** For a batch of so many keys; null if it is better taken key by key. */
  static GroupedKeys forBatch(BufferedBloomSizing sizing, int count) {
    int most = Math.min(MOST, count);
    return most < (long) LEAST_PER_GROUP * sizing.groups() ? null : new GroupedKeys(sizing, most);
  }

  /**
   * Takes as many keys as there is room for.
   *
   * @return where the next ones begin
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
      int at = ends[groupOf[i]]++; // in the end it is where the group ends
      entries[at] = sizing.entry(mixed[i]);
      indexes[at] = from + i;
    }
    return from + count;
  }

  /** The first key of a group. */
  int begin(int group) {
    return group == 0 ? 0 : ends[group - 1];
  }

  /** The key after the last one of a group. */
  int end(int group) {
    return ends[group];
  }
}
