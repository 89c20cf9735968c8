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
 * Collector of the segments of a file's rows while the file is written. It keeps up to some
 * thousand intervals, and closes the smallest gaps between them when it is full, because rows come
 * sorted by what is before the segment. At the end it keeps the largest gaps that the entry has
 * room for.
 *
 * <p>A segment is kept as words that compare as segments do: its bytes, zeros up to the length of
 * the rule, and the number of its bytes. Without that number "a" would equal "a\x00". Memory is at
 * most 160 KiB. Not thread-safe.
 */
public final class SegmentCollector {
  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final int MIN_CAPACITY = 64;
  private static final int MAX_CAPACITY = 2048;
  private static final int REDUCED = 1024;

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
    System.arraycopy(rows, offset + begin, bytes, 0, size);
    Arrays.fill(bytes, size, rule.length, (byte) 0);
    bytes[bytes.length - 1] = (byte) size;
    for (int i = 0; i < words; i++) {
      segment[i] = (long) BIG_ENDIAN.get(bytes, i * Long.BYTES);
    }
    if (intervals > 0 && compare(smallest, last) <= 0 && compare(largest, last) >= 0) {
      return;
    }
    insert();
  }

  private void insert() {
    int low = 0;
    int high = intervals;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(largest, middle) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    last = low;
    if (low < intervals && compare(smallest, low) <= 0) {
      return;
    }
    if (intervals * words == smallest.length) {
      smallest = Arrays.copyOf(smallest, 2 * smallest.length);
      largest = Arrays.copyOf(largest, 2 * largest.length);
    }
    for (long[] bounds : new long[][] {smallest, largest}) {
      int at = low * words;
      System.arraycopy(bounds, at, bounds, at + words, (intervals - low) * words);
      System.arraycopy(segment, 0, bounds, at, words);
    }
    if (++intervals == MAX_CAPACITY) {
      reduceTo(REDUCED);
      last = 0;
    }
  }

  /** Compares a bound of an interval with the segment that was added last. */
  private int compare(long[] bounds, int interval) {
    for (int i = 0; i < words; i++) {
      int order = Long.compareUnsigned(bounds[interval * words + i], segment[i]);
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
