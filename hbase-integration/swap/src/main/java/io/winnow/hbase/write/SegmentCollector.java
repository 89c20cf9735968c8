package io.winnow.hbase.write;

import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.format.SegmentRule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.hbase.ByteBufferExtendedCell;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/**
 * Collector of the segments of a file's rows while the file is written. The rows come sorted by
 * what is before the segment. So it gathers the first thousand segments, each as an interval of its
 * own, and then sorts them and drops bits until some hundred intervals are left: segments with the
 * same first bits share one. A gap is lost only if it is shorter than the bits that were dropped.
 * From then on a row costs one look-up in a hash table, or less. At a thousand intervals it drops
 * bits again. At the end it keeps the largest gaps that the entry has room for.
 *
 * <p>Memory is at most 160 KiB, and 80 KiB with segments of eight bytes. Not thread-safe.
 */
public final class SegmentCollector {
  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final int MIN_CAPACITY = 64;
  private static final int MAX_CAPACITY = 1024;
  private static final int REDUCED = 256;

  /** Binary logarithm of the size of the hash table, which is at most half full. */
  private static final int TABLE_BITS = 11;

  /** Factor of the hash, which spreads segments that differ in a few bits. */
  private static final long FACTOR = 0x9e3779b97f4a7c15L;

  /** Number of bits by which segments are sorted at a time. */
  private static final int DIGIT_BITS = 11;

  private final SegmentRule rule;

  /** True if all segments are eight bytes at one place of the rows, as times are, most often. */
  private final boolean hasTimes;

  /** Segment that was added last, at the index 0. */
  private final Segments added;

  /** Bytes of the segment that was added last, padded to whole words. */
  private final byte[] bytes;

  private Segments smallest;

  /** The largest segments of the intervals; the same object as the smallest ones at first. */
  private Segments largest;

  private int intervals;

  /** Index of the interval that has the segment that was added last. */
  private int last;

  /** Mask of the first bits that the segments of an interval share. */
  private final long[] mask;

  /** Hash table of the intervals: an index plus 1, or 0. Null while intervals are gathered. */
  private int[] table;

  private byte[] row = new byte[256];

  /**
   * True while a row is added. An addition that fails leaves it true, so that a collection that
   * lacks a row is never used, even if there is no stack left to end it.
   */
  private boolean isIncomplete;

  /**
   * Array of segments. A segment is kept as words that compare as segments do, its bytes and zeros
   * behind them, and as the number of its bytes: without that "a" would equal "a\x00".
   */
  private static final class Segments {
    /** Number of words of a segment. */
    private final int width;

    private long[] words;
    private byte[] sizes;

    Segments(int width, int capacity) {
      this.width = width;
      this.words = new long[capacity * width];
      this.sizes = new byte[capacity];
    }

    int capacity() {
      return sizes.length;
    }

    void enlarge(int capacity) {
      words = Arrays.copyOf(words, capacity * width);
      sizes = Arrays.copyOf(sizes, capacity);
    }

    /** Returns a word of a segment, or the number of its bytes, which stands behind the words. */
    long word(int index, int word) {
      return word < width ? words[index * width + word] : sizes[index];
    }

    void set(int index, Segments others, int other) {
      words[index * width] = others.words[other * width];
      for (int i = 1; i < width; i++) {
        words[index * width + i] = others.words[other * width + i];
      }
      sizes[index] = others.sizes[other];
    }

    int compare(int index, Segments others, int other) {
      long first = words[index * width];
      long second = others.words[other * width];
      if (first != second) {
        return Long.compareUnsigned(first, second);
      }
      for (int i = 1; i < width; i++) {
        int order = Long.compareUnsigned(words[index * width + i], others.words[other * width + i]);
        if (order != 0) {
          return order;
        }
      }
      return Byte.compare(sizes[index], others.sizes[other]);
    }

    byte[] bytes(int index) {
      byte[] whole = new byte[width * Long.BYTES];
      for (int i = 0; i < width; i++) {
        BIG_ENDIAN.set(whole, i * Long.BYTES, words[index * width + i]);
      }
      return Arrays.copyOf(whole, sizes[index]);
    }
  }

  /** Creates a collector of the segments of a new file, without any row. */
  public SegmentCollector(SegmentRule rule) {
    int width = (rule.length + Long.BYTES - 1) / Long.BYTES;
    this.rule = rule;
    this.hasTimes = rule.length == Long.BYTES && rule.offset != SegmentRule.NONE;
    this.added = new Segments(width, 1);
    this.bytes = new byte[width * Long.BYTES];
    this.smallest = new Segments(width, MIN_CAPACITY);
    this.largest = smallest;
    this.mask = new long[width];
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
    if (hasTimes && length >= rule.offset + Long.BYTES) {
      ByteBufferExtendedCell buffer = (ByteBufferExtendedCell) cell;
      int position = buffer.getRowPosition() + rule.offset;
      ByteBuffer bytes = buffer.getRowByteBuffer();
      long time = bytes.getLong(position);
      addTime(bytes.order() == ByteOrder.BIG_ENDIAN ? time : Long.reverseBytes(time));
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
    int from = offset + begin;
    int size = Math.min(rule.length, length - begin);
    if (size == Long.BYTES && rule.length == Long.BYTES) {
      addTime((long) BIG_ENDIAN.get(rows, from));
      return;
    }
    System.arraycopy(rows, from, bytes, 0, size);
    Arrays.fill(bytes, size, rule.length, (byte) 0);
    for (int i = 0; i < added.width; i++) {
      added.words[i] = (long) BIG_ENDIAN.get(bytes, i * Long.BYTES);
    }
    added.sizes[0] = (byte) size;
    addSegment();
  }

  /** Adds a segment of eight bytes, which needs no copy. */
  private void addTime(long time) {
    if (table != null) { // most rows of a large file end here
      int interval = table[slot((time & mask[0]) * FACTOR)] - 1;
      if (interval >= 0
          && Long.compareUnsigned(smallest.words[interval], time) <= 0
          && Long.compareUnsigned(time, largest.words[interval]) <= 0
          && largest.sizes[interval] == Long.BYTES) {
        return;
      }
    }
    added.words[0] = time;
    added.sizes[0] = Long.BYTES;
    addSegment();
  }

  private void addSegment() {
    if (intervals > 0
        && smallest.compare(last, added, 0) <= 0
        && largest.compare(last, added, 0) >= 0) {
      return; // the row of the cell before, most often
    }
    last = table == null ? intervals : find(intervals);
    if (last == intervals) {
      append();
    } else if (smallest.compare(last, added, 0) > 0) {
      smallest.set(last, added, 0);
    } else if (largest.compare(last, added, 0) < 0) {
      largest.set(last, added, 0);
    }
  }

  /** Adds an interval of the segment that was added last. */
  private void append() {
    if (intervals == smallest.capacity()) {
      smallest.enlarge(2 * intervals);
    }
    smallest.set(intervals, added, 0);
    if (largest != smallest) {
      largest.set(intervals, added, 0);
    }
    if (++intervals == MAX_CAPACITY) {
      sort();
      dropBits();
      last = 0;
    }
  }

  /**
   * Returns the interval that begins with the first bits of the segment that was added last, from
   * the hash table.
   *
   * @param absent the index that the table gets, and that is returned, if there is none
   */
  private int find(int absent) {
    long hash = (added.words[0] & mask[0]) * FACTOR;
    for (int i = 1; i < mask.length; i++) {
      hash = (hash ^ added.words[i] & mask[i]) * FACTOR;
    }
    int slot = slot(hash);
    while (table[slot] != 0) {
      if (isIn(table[slot] - 1)) {
        return table[slot] - 1;
      }
      slot = slot + 1 & table.length - 1;
    }
    table[slot] = absent + 1;
    return absent;
  }

  private static int slot(long hash) {
    return (int) (hash >>> Long.SIZE - TABLE_BITS);
  }

  /** Returns true if the segment that was added last begins with the first bits of an interval. */
  private boolean isIn(int interval) {
    int at = interval * mask.length;
    if (((smallest.words[at] ^ added.words[0]) & mask[0]) != 0) {
      return false;
    }
    for (int i = 1; i < mask.length; i++) {
      if (((smallest.words[at + i] ^ added.words[i]) & mask[i]) != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Drops as many bits of the sorted intervals as needed, joins those that then are the same, and
   * makes the hash table. If many rows have few segments, it drops none.
   */
  private void dropBits() {
    int limit = intervals > MAX_CAPACITY / 2 ? REDUCED : intervals;
    // Numbers of neighbors that share so many first bits. They say how many intervals are left.
    int[] neighbors = new int[mask.length * Long.SIZE + 1];
    for (int i = 1; i < intervals; i++) {
      neighbors[sharedBits(i)]++;
    }
    int bits = 0;
    for (int count = 1 + neighbors[0]; count <= limit && bits + 1 < neighbors.length; ) {
      count += neighbors[++bits];
    }
    for (int i = 0; i < mask.length; i++) {
      int left = Math.min(Long.SIZE, Math.max(0, bits - i * Long.SIZE));
      mask[i] = left == 0 ? 0 : -1L << Long.SIZE - left;
    }
    table = new int[1 << TABLE_BITS];
    int all = intervals;
    intervals = 0;
    for (int i = 0; i < all; i++) {
      added.set(0, smallest, i);
      int interval = find(intervals);
      if (interval == intervals) {
        smallest.set(intervals++, added, 0);
      }
      largest.set(interval, largest, i);
    }
  }

  /** Returns the number of first bits that an interval shares with the one before it. */
  private int sharedBits(int interval) {
    for (int i = 0; i < mask.length; i++) {
      long difference = smallest.word(interval, i) ^ smallest.word(interval - 1, i);
      if (difference != 0) {
        return i * Long.SIZE + Long.numberOfLeadingZeros(difference);
      }
    }
    return mask.length * Long.SIZE;
  }

  /** Sorts the intervals, and joins those that have a segment in common, which are equal. */
  private void sort() {
    int[] order = new int[intervals];
    Arrays.setAll(order, i -> i);
    for (int word = mask.length; word >= 0; word--) {
      long different = 0;
      for (int i = 1; i < intervals; i++) {
        different |= smallest.word(0, word) ^ smallest.word(i, word);
      }
      int end = Long.SIZE - Long.numberOfLeadingZeros(different);
      for (int bit = Long.numberOfTrailingZeros(different); bit < end; bit += DIGIT_BITS) {
        order = sortedByDigit(order, word, bit);
      }
    }
    Segments from = smallest;
    Segments to = largest;
    smallest = new Segments(mask.length, from.capacity());
    largest = new Segments(mask.length, from.capacity());
    intervals = 0;
    for (int i : order) {
      if (intervals == 0 || largest.compare(intervals - 1, from, i) < 0) {
        smallest.set(intervals, from, i);
        largest.set(intervals++, to, i);
      }
    }
  }

  /** Returns the intervals in the order of some bits; those with equal ones stay in theirs. */
  private int[] sortedByDigit(int[] order, int word, int bit) {
    int digit = (1 << DIGIT_BITS) - 1;
    int[] ends = new int[digit + 2];
    for (int i : order) {
      ends[((int) (smallest.word(i, word) >>> bit) & digit) + 1]++;
    }
    for (int i = 1; i < ends.length; i++) {
      ends[i] += ends[i - 1];
    }
    int[] sorted = new int[order.length];
    for (int i : order) {
      sorted[ends[(int) (smallest.word(i, word) >>> bit) & digit]++] = i;
    }
    return sorted;
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
        smallest.set(kept, smallest, i + 1);
      }
      largest.set(kept, largest, i + 1);
    }
    intervals = kept + 1;
  }

  /** Returns the width of the gap between an interval and the next one. */
  private double gapBehind(int interval) {
    double gap = 0;
    double weight = 1;
    long borrow = 0;
    for (int i = mask.length - 1; i >= 0; i--) {
      long from = largest.word(interval, i);
      long to = smallest.word(interval + 1, i);
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
      from[i] = smallest.bytes(i);
      to[i] = largest.bytes(i);
    }
    return new KeySegment(rule, from, to);
  }
}
