package io.winnow.cascade;

import java.util.Arrays;

/**
 * A growing array of slots (fingerprints with their tombstone bits), and merges of two sorted
 * sequences, an older and a newer one.
 */
final class SlotBuffer {
  long[] slots = new long[0];
  int size;

  /**
   * Makes room in this buffer for a number of fingerprint slots in total, and keeps its content.
   */
  void ensure(int capacity) {
    if (capacity > slots.length) {
      slots = Arrays.copyOf(slots, Math.max(capacity, slots.length + (slots.length >> 2)));
    }
  }

  /**
   * Keeps only the buffer's fingerprint slots from {@code low}, inclusive, to {@code high},
   * exclusive. The slots are sorted.
   */
  void trim(long low, long high) {
    int from = lowerBound(low);
    int to = lowerBound(high);
    if (from > 0) {
      System.arraycopy(slots, from, slots, 0, to - from);
    }
    size = to - from;
  }

  /**
   * Returns the index of the first fingerprint slot of a sorted buffer that is not less than {@code
   * slot}.
   */
  private int lowerBound(long slot) {
    int at = Arrays.binarySearch(slots, 0, size, slot);
    while (at > 0 && slots[at - 1] == slot) {
      at--; // a level has a fingerprint a limited number of times
    }
    return at < 0 ? -at - 1 : at;
  }

  // ---- Merges ----

  /**
   * Merges two sorted sequences of fingerprint slots into a buffer.
   *
   * @param nothingOlder whether the filter has nothing older than {@code older}, so that tombstones
   *     can be dropped
   */
  static void merge(
      SlotShape shape, SlotBuffer newer, SlotBuffer older, boolean nothingOlder, SlotBuffer out) {
    out.size = 0;
    out.ensure(newer.size + older.size);
    out.size =
        shape.deletes
            ? mergeCopies(newer.slots, newer.size, older.slots, older.size, nothingOlder, out.slots)
            : union(newer.slots, newer.size, older.slots, older.size, out.slots);
  }

  /** Merges two sorted sequences of fingerprint slots without deletes, and drops repeated slots. */
  private static int union(long[] a, int sizeOfA, long[] b, int sizeOfB, long[] out) {
    int i = 0;
    int j = 0;
    int n = 0;
    while (i < sizeOfA && j < sizeOfB) {
      long x = a[i];
      long y = b[j];
      out[n++] = Math.min(x, y);
      i += x <= y ? 1 : 0;
      j += y <= x ? 1 : 0;
    }
    System.arraycopy(a, i, out, n, sizeOfA - i);
    n += sizeOfA - i;
    System.arraycopy(b, j, out, n, sizeOfB - j);
    return n + sizeOfB - j;
  }

  /**
   * Merges two sorted sequences of fingerprint slots with deletes, and combines the copies of each
   * fingerprint.
   */
  private static int mergeCopies(
      long[] newer,
      int sizeOfNewer,
      long[] older,
      int sizeOfOlder,
      boolean nothingOlder,
      long[] out) {
    int i = 0;
    int j = 0;
    int n = 0;
    while (i < sizeOfNewer && j < sizeOfOlder) {
      long x = newer[i];
      long y = older[j];
      if (x >>> 1 != y >>> 1) {
        long slot = Math.min(x, y);
        out[n] = slot;
        n += nothingOlder ? (int) (~slot & 1) : 1;
        i += x < y ? 1 : 0;
        j += y < x ? 1 : 0;
      } else {
        int endOfNewer = endOfRun(newer, i, sizeOfNewer);
        int endOfOlder = endOfRun(older, j, sizeOfOlder);
        long copies = Copies.followedBy(copies(older, j, endOfOlder), copies(newer, i, endOfNewer));
        n = put(x >>> 1, copies, nothingOlder, out, n);
        i = endOfNewer;
        j = endOfOlder;
      }
    }
    n = rest(newer, i, sizeOfNewer, nothingOlder, out, n);
    return rest(older, j, sizeOfOlder, nothingOlder, out, n);
  }

  /** Appends the rest of one sorted sequence of fingerprint slots to the output of a merge. */
  private static int rest(
      long[] slots, int from, int to, boolean nothingOlder, long[] out, int at) {
    int n = at;
    for (int i = from; i < to; i++) {
      out[n] = slots[i];
      n += nothingOlder ? (int) (~slots[i] & 1) : 1;
    }
    return n;
  }

  /** Returns the end of the run of slots with equal fingerprints that begins at a given index. */
  static int endOfRun(long[] slots, int from, int to) {
    int end = from + 1;
    while (end < to && slots[end] >>> 1 == slots[from] >>> 1) {
      end++;
    }
    return end;
  }

  /** Counts the keys and tombstones in a run of slots with one fingerprint. */
  private static long copies(long[] slots, int from, int to) {
    int tombstones = 0;
    for (int i = from; i < to; i++) {
      tombstones += (int) (slots[i] & 1);
    }
    return Copies.of(to - from - tombstones, tombstones);
  }

  /** Writes the slots of one fingerprint: keys before tombstones, in their sort order. */
  static int put(long fingerprint, long copies, boolean nothingOlder, long[] out, int at) {
    int n = at;
    for (int k = Copies.keys(copies); k > 0; k--) {
      out[n++] = fingerprint << 1;
    }
    for (int t = nothingOlder ? 0 : Copies.tombstones(copies); t > 0; t--) {
      out[n++] = fingerprint << 1 | 1;
    }
    return n;
  }
}
