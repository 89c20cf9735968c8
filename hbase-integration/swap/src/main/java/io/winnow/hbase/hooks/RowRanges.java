package io.winnow.hbase.hooks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows of a scan as ranges, each from a row on, which is one of its rows, and up to a row that is
 * not. They are sorted, and no two overlap. Immutable.
 */
final class RowRanges {
  /** Maximum number of ranges. If there were more, neighbours become one range. */
  static final int MAX = 64;

  private static final byte[] FIRST = {};

  /** All rows. */
  static final RowRanges ALL = new RowRanges(new byte[][] {FIRST}, new byte[][] {null});

  /** No row. */
  static final RowRanges NONE = new RowRanges(new byte[0][], new byte[0][]);

  private final byte[][] from;
  private final byte[][] to;

  private RowRanges(byte[][] from, byte[][] to) {
    this.from = from;
    this.to = to;
  }

  /**
   * Returns the rows from one row on and before another.
   *
   * @param from null for none
   * @param to null for an open end
   */
  static RowRanges between(byte[] from, byte[] to) {
    return from == null || to != null && compare(from, to) >= 0
        ? NONE
        : new RowRanges(new byte[][] {from}, new byte[][] {to});
  }

  /** Returns the rows that begin with given bytes. */
  static RowRanges of(byte[] prefix) {
    return between(prefix, afterPrefix(prefix));
  }

  /** Returns the first row after a row. */
  static byte[] after(byte[] row) {
    return Arrays.copyOf(row, row.length + 1);
  }

  /** Returns the first row after all rows that begin with given bytes; null if there is none. */
  static byte[] afterPrefix(byte[] prefix) {
    int end = prefix.length;
    while (end > 0 && prefix[end - 1] == (byte) 0xFF) {
      end--;
    }
    if (end == 0) {
      return null;
    }
    byte[] next = Arrays.copyOf(prefix, end);
    next[end - 1]++;
    return next;
  }

  /** Returns the number of ranges. */
  int size() {
    return from.length;
  }

  /** Returns the first row of a range. The array must not be changed. */
  byte[] from(int range) {
    return from[range];
  }

  /**
   * Returns the row before which a range ends; null for an open end. The array must not be changed.
   */
  byte[] to(int range) {
    return to[range];
  }

  /**
   * Returns the length in bytes of the shortest row prefix that a range implies; 0 if one implies
   * none, or if there is no range.
   */
  int impliedLength() {
    int shortest = from.length == 0 ? 0 : Integer.MAX_VALUE;
    for (int i = 0; i < from.length; i++) {
      shortest = Math.min(shortest, ScanPrefix.impliedLength(from[i], to[i]));
    }
    return shortest;
  }

  /**
   * Returns the rules of usual delimiters by which each range implies a row prefix, a bit each; 0
   * if there is no range.
   */
  int impliedRules() {
    int rules = from.length == 0 ? 0 : -1;
    for (int i = 0; i < from.length && rules != 0; i++) {
      rules &= ScanPrefix.impliedRules(from[i], to[i]);
    }
    return rules;
  }

  /** Returns true if these are all rows. */
  boolean areAll() {
    return from.length == 1 && from[0].length == 0 && to[0] == null;
  }

  /** Returns the rows that both have. */
  RowRanges and(RowRanges other) {
    if (areAll()) {
      return other;
    }
    if (other.areAll()) {
      return this;
    }
    Union union = new Union();
    for (int i = 0, j = 0; i < from.length && j < other.from.length; ) {
      byte[] later = compare(from[i], other.from[j]) >= 0 ? from[i] : other.from[j];
      boolean endsFirst = isBefore(to[i], other.to[j]);
      union.add(later, endsFirst ? to[i] : other.to[j]);
      if (endsFirst) {
        i++;
      } else {
        j++;
      }
    }
    return union.ranges();
  }

  private static boolean isBefore(byte[] end, byte[] otherEnd) {
    return end != null && (otherEnd == null || compare(end, otherEnd) < 0);
  }

  private static int compare(byte[] row, byte[] other) {
    return Arrays.compareUnsigned(row, other);
  }

  /** Rows that are in any of some ranges, which may overlap and come in any order. */
  static final class Union {
    private final List<byte[][]> ranges = new ArrayList<>();
    private boolean isSorted = true;

    /**
     * Adds the rows from one row on and before another.
     *
     * @param to null for an open end
     */
    void add(byte[] from, byte[] to) {
      if (to != null && compare(from, to) >= 0) {
        return;
      }
      byte[][] last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
      // Two ranges that only touch stay two: each may imply a prefix.
      isSorted &= last == null || last[1] != null && compare(last[1], from) <= 0;
      ranges.add(new byte[][] {from, to});
    }

    /** Adds the rows of given ranges. */
    void add(RowRanges other) {
      for (int i = 0; i < other.from.length; i++) {
        add(other.from[i], other.to[i]);
      }
    }

    /** Returns the rows as ranges. If they were too many, neighbours become one. */
    RowRanges ranges() {
      if (!isSorted) {
        merge();
      }
      int count = ranges.size();
      int size = Math.min(MAX, count);
      byte[][] from = new byte[size][];
      byte[][] to = new byte[size][];
      for (int i = 0; i < size; i++) {
        from[i] = ranges.get((int) ((long) i * count / size))[0];
        to[i] = ranges.get((int) ((i + 1L) * count / size) - 1)[1];
      }
      return new RowRanges(from, to);
    }

    private void merge() {
      ranges.sort((one, other) -> compare(one[0], other[0]));
      int last = 0;
      for (int i = 1; i < ranges.size(); i++) {
        byte[][] open = ranges.get(last);
        byte[][] next = ranges.get(i);
        if (open[1] != null && compare(open[1], next[0]) <= 0) {
          ranges.set(++last, next);
        } else if (isBefore(open[1], next[1])) {
          ranges.set(last, new byte[][] {open[0], next[1]});
        }
      }
      ranges.subList(last + 1, ranges.size()).clear();
    }
  }
}
