package io.winnow.hbase.write;

import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.format.SegmentRule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.hbase.ByteBufferExtendedCell;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/**
 * Collector of the segments of a file's rows while the file is written. Segments with the same
 * first bits share an interval. When there are some thousand intervals, it drops bits until a
 * quarter is left, because rows come sorted by what is before the segment. So a gap is lost only if
 * it is shorter than the bits that were dropped. At the end it keeps the largest gaps that the
 * entry has room for. A row costs one look-up in a hash table, or less.
 *
 * <p>A segment is kept as words that compare as segments do: its bytes, zeros up to the length of
 * the rule, and the number of its bytes. Without that number "a" would equal "a\x00". Memory is at
 * most 100 KiB. Not thread-safe.
 */
public final class SegmentCollector {
  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final int MIN_CAPACITY = 64;
  private static final int MAX_CAPACITY = 1024;
  private static final int REDUCED = 256;

  /** Binary logarithm of the size of the hash table, which is at most half full. */
  private static final int TABLE_BITS = 11;

  private final SegmentRule rule;

  /** Number of 64-bit words that hold a segment. */
  private final int words;

  /** Bytes of the segment that was added last, padded to whole words. */
  private final byte[] bytes;

  private final long[] segment;
  private long[] smallest;
  private long[] largest;
  private int intervals;

  /** Index of the interval that has the segment that was added last. */
  private int last;

  /** Hash table of the intervals: an index plus 1, or 0. */
  private int[] table = new int[1 << TABLE_BITS];

  /** Number of first bits that the segments of an interval share. */
  private int bits;

  private byte[] row = new byte[256];

  /**
   * True while a row is added. An addition that fails leaves it true, so that a collection that
   * lacks a row is never used, even if there is no stack left to end it.
   */
  private boolean isIncomplete;

  /** Creates a collector of the segments of a new file, without any row. */
  public SegmentCollector(SegmentRule rule) {
    this.rule = rule;
    this.words = rule.length / Long.BYTES + 1;
    this.bits = words * Long.SIZE;
    this.bytes = new byte[words * Long.BYTES];
    this.segment = new long[words];
    this.smallest = new long[MIN_CAPACITY * words];
    this.largest = new long[MIN_CAPACITY * words];
  }

  /** Adds the segment of a cell's row. After one that failed, nothing is added any more. */
  public void add(Cell cell) {
    if (isIncomplete) {
      return;
    }
    isIncomplete = true;
    addRow(cell);
    isIncomplete = false;
  }

  private void addRow(Cell cell) {
    int length = cell.getRowLength();
    if (!(cell instanceof ByteBufferExtendedCell)) {
      add(cell.getRowArray(), cell.getRowOffset(), length);
      return;
    }
    if (row.length < length) {
      row = new byte[Math.max(length, 2 * row.length)];
    }
    add(row, 0, CellUtil.copyRowTo(cell, row, 0));
  }

  /** Adds the segment of a row. */
  public void add(byte[] rows, int offset, int length) {
    int begin = rule.beginIn(rows, offset, length);
    if (begin == SegmentRule.NONE) {
      return;
    }
    int size = Math.min(rule.length, length - begin);
    readSegment(rows, offset + begin, size);
    if (intervals == 0 || !isIn(last, bits)) {
      last = find(table, bits, intervals);
      if (last == intervals) {
        insert();
        return;
      }
    }
    if (compare(smallest, last) > 0) {
      System.arraycopy(segment, 0, smallest, last * words, words);
    } else if (compare(largest, last) < 0) {
      System.arraycopy(segment, 0, largest, last * words, words);
    }
  }

  private void readSegment(byte[] rows, int from, int size) {
    if (size == Long.BYTES && words == 2) { // a time, most often: it needs no copy
      segment[0] = (long) BIG_ENDIAN.get(rows, from);
      segment[1] = size;
      return;
    }
    System.arraycopy(rows, from, bytes, 0, size);
    Arrays.fill(bytes, size, rule.length, (byte) 0);
    bytes[bytes.length - 1] = (byte) size;
    for (int i = 0; i < words; i++) {
      segment[i] = (long) BIG_ENDIAN.get(bytes, i * Long.BYTES);
    }
  }

  private void insert() {
    if (intervals * words == smallest.length) {
      smallest = Arrays.copyOf(smallest, 2 * smallest.length);
      largest = Arrays.copyOf(largest, 2 * largest.length);
    }
    System.arraycopy(segment, 0, smallest, intervals * words, words);
    System.arraycopy(segment, 0, largest, intervals * words, words);
    if (++intervals == MAX_CAPACITY) {
      dropBits();
      last = 0;
    }
  }

  /** Returns true if the segment that was added last begins with the bits of an interval. */
  private boolean isIn(int interval, int bits) {
    int at = interval * words;
    int whole = bits / Long.SIZE;
    for (int i = 0; i < whole; i++) {
      if (smallest[at + i] != segment[i]) {
        return false;
      }
    }
    return whole == words || ((smallest[at + whole] ^ segment[whole]) & mask(bits)) == 0;
  }

  /** Returns a mask of those bits that are in the last word of the first bits of a segment. */
  private static long mask(int bits) {
    return bits % Long.SIZE == 0 ? 0 : -1L << -bits;
  }

  /**
   * Returns the interval that begins with the first bits of the segment that was added last, from a
   * hash table.
   *
   * @param absent the index that the table gets, and that is returned, if there is none
   */
  private int find(int[] table, int bits, int absent) {
    int whole = bits / Long.SIZE;
    long hash = whole == words ? 0 : segment[whole] & mask(bits);
    for (int i = 0; i < whole; i++) {
      hash = (hash ^ segment[i]) * 0x9e3779b97f4a7c15L;
    }
    hash = (hash ^ hash >>> 32) * 0xbf58476d1ce4e5b9L;
    int slot = (int) (hash >>> Long.SIZE - TABLE_BITS);
    while (table[slot] != 0) {
      if (isIn(table[slot] - 1, bits)) {
        return table[slot] - 1;
      }
      slot = slot + 1 & table.length - 1;
    }
    table[slot] = absent + 1;
    return absent;
  }

  /** Drops as many bits as needed for few intervals, and merges those that then are the same. */
  private void dropBits() {
    int low = 0;
    int high = bits;
    while (high - low > 1) { // with the bits of high there are too many
      int middle = (low + high) >>> 1;
      if (count(middle) <= REDUCED) {
        low = middle;
      } else {
        high = middle;
      }
    }
    bits = low;
    Arrays.fill(table, 0);
    int kept = 0;
    for (int i = 0; i < intervals; i++) {
      System.arraycopy(smallest, i * words, segment, 0, words);
      int interval = find(table, bits, kept);
      if (interval == kept) {
        kept++;
        System.arraycopy(smallest, i * words, smallest, interval * words, words);
        System.arraycopy(largest, i * words, largest, interval * words, words);
      } else {
        if (compare(smallest, interval) > 0) {
          System.arraycopy(smallest, i * words, smallest, interval * words, words);
        }
        System.arraycopy(largest, i * words, segment, 0, words);
        if (compare(largest, interval) < 0) {
          System.arraycopy(largest, i * words, largest, interval * words, words);
        }
      }
    }
    intervals = kept;
  }

  /** Returns the number of intervals with other first bits, or a number above the allowed one. */
  private int count(int bits) {
    int[] seen = new int[table.length];
    int count = 0;
    for (int i = 0; i < intervals && count <= REDUCED; i++) {
      System.arraycopy(smallest, i * words, segment, 0, words);
      count += find(seen, bits, i) == i ? 1 : 0;
    }
    return count;
  }

  /** Sorts the intervals, which have no segment in common. */
  private void sort() {
    Integer[] order = new Integer[intervals];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (i, j) -> compare(smallest, i, smallest, j));
    smallest = inOrder(smallest, order);
    largest = inOrder(largest, order);
  }

  private long[] inOrder(long[] bounds, Integer[] order) {
    long[] sorted = new long[bounds.length];
    for (int i = 0; i < order.length; i++) {
      System.arraycopy(bounds, order[i] * words, sorted, i * words, words);
    }
    return sorted;
  }

  /** Compares a bound of an interval with the segment that was added last. */
  private int compare(long[] bounds, int interval) {
    return compare(bounds, interval, segment, 0);
  }

  private int compare(long[] bounds, int interval, long[] others, int other) {
    for (int i = 0; i < words; i++) {
      int order = Long.compareUnsigned(bounds[interval * words + i], others[other * words + i]);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** Closes the smallest gaps until at most a number of intervals are left. */
  private void reduceTo(int count) {
    if (intervals <= count) {
      return;
    }
    double[] gaps = new double[intervals - 1];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = gapBehind(i);
    }
    double[] sorted = gaps.clone();
    Arrays.sort(sorted);
    int closed = intervals - count;
    double limit = sorted[closed - 1];
    int atLimit = 0;
    for (int i = 0; i < closed; i++) {
      atLimit += sorted[i] == limit ? 1 : 0;
    }
    int kept = 0;
    for (int i = 0; i < gaps.length; i++) {
      boolean isClosed = gaps[i] < limit || gaps[i] == limit && atLimit-- > 0;
      if (!isClosed) {
        kept++;
        System.arraycopy(smallest, (i + 1) * words, smallest, kept * words, words);
      }
      System.arraycopy(largest, (i + 1) * words, largest, kept * words, words);
    }
    intervals = kept + 1;
  }

  /** Returns the width of the gap between an interval and the next one. */
  private double gapBehind(int interval) {
    double gap = 0;
    double weight = 1;
    long borrow = 0;
    for (int i = words - 1; i >= 0; i--) {
      long from = largest[interval * words + i];
      long to = smallest[(interval + 1) * words + i];
      long difference = to - from - borrow;
      int order = Long.compareUnsigned(to, from);
      borrow = order < 0 || order == 0 && borrow == 1 ? 1 : 0;
      gap += weight * ((difference >>> 1) * 2.0 + (difference & 1));
      weight *= 0x1p64;
    }
    return gap;
  }

  /**
   * Returns the segments of all rows that were added, in intervals with the largest gaps between
   * them; null if a row is missing, because its addition failed.
   */
  public KeySegment segments() {
    if (isIncomplete) {
      return null;
    }
    sort();
    reduceTo(KeySegment.maxIntervals(rule));
    byte[][] from = new byte[intervals][];
    byte[][] to = new byte[intervals][];
    for (int i = 0; i < intervals; i++) {
      from[i] = segment(smallest, i);
      to[i] = segment(largest, i);
    }
    return new KeySegment(rule, from, to);
  }

  private byte[] segment(long[] bounds, int interval) {
    byte[] whole = new byte[words * Long.BYTES];
    for (int i = 0; i < words; i++) {
      BIG_ENDIAN.set(whole, i * Long.BYTES, bounds[interval * words + i]);
    }
    return Arrays.copyOf(whole, whole[whole.length - 1]);
  }
}
