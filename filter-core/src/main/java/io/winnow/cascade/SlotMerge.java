package io.winnow.cascade;

/** Merges of two sorted sequences of slots, an older and a newer one. */
final class SlotMerge {
  private SlotMerge() {}

  /**
   * Writes what both come to, sorted, to {@code out}.
   *
   * @param last whether nothing is older than {@code older}, so that tombstones have done their
   *     work
   */
  static void merge(
      SlotShape shape, SlotBuffer newer, SlotBuffer older, boolean last, SlotBuffer out) {
    out.size = 0;
    out.ensure(newer.size + older.size);
    out.size =
        shape.deletes()
            ? mergeCopies(newer.slots, newer.size, older.slots, older.size, last, out.slots)
            : union(newer.slots, newer.size, older.slots, older.size, out.slots);
  }

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

  private static int mergeCopies(
      long[] newer, int sizeOfNewer, long[] older, int sizeOfOlder, boolean last, long[] out) {
    int i = 0;
    int j = 0;
    int n = 0;
    while (i < sizeOfNewer && j < sizeOfOlder) {
      long x = newer[i];
      long y = older[j];
      if (x >>> 1 != y >>> 1) {
        long slot = Math.min(x, y);
        out[n] = slot;
        n += last ? (int) (~slot & 1) : 1;
        i += x < y ? 1 : 0;
        j += y < x ? 1 : 0;
      } else {
        int endOfNewer = endOfRun(newer, i, sizeOfNewer);
        int endOfOlder = endOfRun(older, j, sizeOfOlder);
        long copies = Copies.then(copies(older, j, endOfOlder), copies(newer, i, endOfNewer));
        n = put(x >>> 1, copies, last, out, n);
        i = endOfNewer;
        j = endOfOlder;
      }
    }
    n = rest(newer, i, sizeOfNewer, last, out, n);
    return rest(older, j, sizeOfOlder, last, out, n);
  }

  private static int rest(long[] slots, int from, int to, boolean last, long[] out, int at) {
    int n = at;
    for (int i = from; i < to; i++) {
      out[n] = slots[i];
      n += last ? (int) (~slots[i] & 1) : 1;
    }
    return n;
  }

  /** The end of the slots with the fingerprint of the one at {@code from}. */
  static int endOfRun(long[] slots, int from, int to) {
    int end = from + 1;
    while (end < to && slots[end] >>> 1 == slots[from] >>> 1) {
      end++;
    }
    return end;
  }

  private static long copies(long[] slots, int from, int to) {
    int tombstones = 0;
    for (int i = from; i < to; i++) {
      tombstones += (int) (slots[i] & 1);
    }
    return Copies.of(to - from - tombstones, tombstones);
  }

  /** Writes the slots of one fingerprint, keys before tombstones as they sort. */
  static int put(long fingerprint, long copies, boolean last, long[] out, int at) {
    int n = at;
    for (int k = Copies.keys(copies); k > 0; k--) {
      out[n++] = fingerprint << 1;
    }
    for (int t = last ? 0 : Copies.tombstones(copies); t > 0; t--) {
      out[n++] = fingerprint << 1 | 1;
    }
    return n;
  }
}
