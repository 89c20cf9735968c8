package io.winnow.hbase.format;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * The segments of the rows of a store file: their rule, and intervals that hold each of them. A
 * scan or a Get whose rows have no segment in these intervals finds nothing in the file.
 *
 * <p>It is an entry of the file info, apart from the filters: {@code
 * docs/format/key-segment-v1.md}. Queries allocate nothing. Immutable.
 */
public final class KeySegment {
  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** The largest number of intervals that the segments of a file may have. */
  private static final int MAX_INTERVALS = 64;

  private static final int MAX_BYTES = 2048;

  /** The first four bytes: "WSG1". */
  private static final int VERSION = 0x57534731;

  private static final int HEADER_BYTES = 10;
  private static final int CHECKSUM_BYTES = Integer.BYTES;

  private static final byte[] KEY = "WINNOW_KEY_SEGMENT".getBytes(StandardCharsets.US_ASCII);

  /** The rule by which the segments of the file were found. */
  public final SegmentRule rule;

  private final byte[][] smallest;
  private final byte[][] largest;

  /** First bytes of the largest segments, as {@link #firstBytes} returns them. */
  private final long[] firstBytes;

  /**
   * Creates the segments of a file.
   *
   * @param smallest the smallest segment of each interval, in ascending order
   * @param largest the largest segment of each interval, less than the next smallest one
   */
  public KeySegment(SegmentRule rule, byte[][] smallest, byte[][] largest) {
    this.rule = rule;
    this.smallest = smallest;
    this.largest = largest;
    this.firstBytes =
        Arrays.stream(largest).mapToLong(bytes -> firstBytes(bytes, 0, bytes.length)).toArray();
  }

  /** Returns a copy of the key of the entry in the file info. */
  public static byte[] key() {
    return KEY.clone();
  }

  /** Returns the largest number of intervals that an entry can have with a rule. */
  public static int maxIntervals(SegmentRule rule) {
    int room = MAX_BYTES - HEADER_BYTES - CHECKSUM_BYTES;
    return Math.min(MAX_INTERVALS, room / (2 * (1 + rule.length)));
  }

  /**
   * Returns the segments of a file; null if it has none, or if they have another version, which is
   * not damaged.
   *
   * @throws FilterFormatException if they are damaged
   */
  public static KeySegment in(Map<byte[], byte[]> fileInfo) {
    byte[] entry = fileInfo.get(KEY);
    return entry == null || !isOfThisVersion(entry) ? null : read(entry);
  }

  /** Returns true if an entry of the file info has the version that this class can read. */
  static boolean isOfThisVersion(byte[] entry) {
    return entry.length >= Integer.BYTES && ByteBuffer.wrap(entry).getInt(0) == VERSION;
  }

  /**
   * Reads an entry of the file info, and checks each part of it before it is used.
   *
   * @throws FilterFormatException if it is damaged, or of another version
   */
  public static KeySegment read(byte[] entry) {
    int end = entry.length - CHECKSUM_BYTES;
    check(end >= HEADER_BYTES && entry.length <= MAX_BYTES, "its size");
    check(isOfThisVersion(entry), "its version");
    int crc = ByteAccess.ARRAY.crc32c(entry, 0, end);
    check(ByteAccess.ARRAY.getInt(entry, end) == crc, "its checksum");
    ByteBuffer in = ByteBuffer.wrap(entry, 0, end).order(ByteOrder.LITTLE_ENDIAN);
    in.position(Integer.BYTES);
    int id = in.get();
    byte delimiter = in.get();
    SegmentRule rule = SegmentRule.of(id, in.getShort() & 0xFFFF, delimiter, in.get());
    int count = in.get() & 0xFF;
    check(count <= MAX_INTERVALS, "the number of its intervals");
    byte[][] smallest = new byte[count][];
    byte[][] largest = new byte[count][];
    for (int i = 0; i < count; i++) {
      smallest[i] = segment(in, rule);
      largest[i] = segment(in, rule);
      check(
          Arrays.compareUnsigned(smallest[i], largest[i]) <= 0
              && (i == 0 || Arrays.compareUnsigned(largest[i - 1], smallest[i]) < 0),
          "the order of its intervals");
    }
    check(!in.hasRemaining(), "its size");
    return new KeySegment(rule, smallest, largest);
  }

  private static byte[] segment(ByteBuffer in, SegmentRule rule) {
    int length = in.hasRemaining() ? in.get() & 0xFF : Integer.MAX_VALUE;
    check(length <= rule.length && length <= in.remaining(), "the size of an interval");
    byte[] segment = new byte[length];
    in.get(segment);
    return segment;
  }

  private static void check(boolean isRight, String part) {
    if (!isRight) {
      throw new FilterFormatException("key segment: " + part + " cannot be right");
    }
  }

  /** Returns the segments as an entry of the file info, which {@link #read} reads. */
  public byte[] toBytes() {
    ByteBuffer out = ByteBuffer.allocate(MAX_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(Integer.reverseBytes(VERSION));
    out.put((byte) rule.id()).put(rule.delimiter()).putShort((short) rule.number());
    out.put((byte) rule.length).put((byte) smallest.length);
    for (int i = 0; i < smallest.length; i++) {
      out.put((byte) smallest[i].length).put(smallest[i]);
      out.put((byte) largest[i].length).put(largest[i]);
    }
    out.putInt(ByteAccess.ARRAY.crc32c(out.array(), 0, out.position()));
    return Arrays.copyOf(out.array(), out.position());
  }

  /** Returns the number of intervals of segments; 0 if no row of the file has a segment. */
  public int intervals() {
    return smallest.length;
  }

  /** Returns a copy of the smallest segment of an interval. */
  public byte[] smallest(int interval) {
    return smallest[interval].clone();
  }

  /** Returns a copy of the largest segment of an interval. */
  public byte[] largest(int interval) {
    return largest[interval].clone();
  }

  /**
   * Returns false if the file cannot have a given row, because no interval has the row's segment.
   */
  public boolean mayHaveRow(byte[] row) {
    int begin = rule.beginIn(row, 0, row.length);
    // A Get of a shorter row gains nothing here: its file is found by the filter.
    return begin == SegmentRule.NONE
        || row.length - begin < rule.length
        || isInInterval(row, begin, begin + rule.length);
  }

  /** Returns true if a row has no segment, or if an interval of the file has its segment. */
  public boolean covers(byte[] row, int offset, int length) {
    int begin = rule.beginIn(row, offset, length);
    return begin == SegmentRule.NONE
        || isInInterval(row, offset + begin, offset + Math.min(length, begin + rule.length));
  }

  private boolean isInInterval(byte[] bytes, int from, int to) {
    int interval = firstFrom(bytes, from, to);
    return interval < smallest.length && compare(smallest[interval], bytes, from, to) <= 0;
  }

  /**
   * Returns false if the file has no row between two bounds, because no interval has a segment that
   * a row between them can have.
   *
   * <p>All rows between the bounds begin with the bytes of {@code smaller} before the segment. So
   * their segments are in order as they are, and none is less than that of {@code smaller}. None is
   * greater than that of {@code larger} if that begins with the same bytes; any other bound, such
   * as the first row after all with these bytes, says nothing about the segment.
   *
   * @param begin the number of bytes before the segment, by the rule and the bytes of {@code
   *     smaller} that all rows share
   * @param larger empty if there is no such bound
   * @param largerIsIncluded true if a row that equals {@code larger} is one of the rows
   */
  public boolean mayHaveRows(int begin, byte[] smaller, byte[] larger, boolean largerIsIncluded) {
    int length = rule.length;
    int interval = firstFrom(smaller, begin, Math.min(smaller.length, begin + length));
    if (interval == smallest.length) {
      return false;
    }
    boolean bounds =
        larger.length > 0
            && larger.length >= begin
            && Arrays.equals(larger, 0, begin, smaller, 0, begin);
    if (!bounds) {
      return true;
    }
    int order = compare(smallest[interval], larger, begin, Math.min(larger.length, begin + length));
    // A row before an excluded bound that ends in the segment, or with it, has a smaller segment.
    // Behind a longer bound the segment may be the same.
    boolean isLess = !largerIsIncluded && larger.length <= begin + length;
    return isLess ? order < 0 : order <= 0;
  }

  /** Returns the first interval that does not end before a segment. */
  private int firstFrom(byte[] bytes, int from, int to) {
    long first = firstBytes(bytes, from, to);
    int low = 0;
    int high = largest.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      long other = firstBytes[middle];
      if (other < first || other == first && compare(largest[middle], bytes, from, to) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns the first eight bytes of a segment as a number. If two such numbers differ, their order
   * is that of the segments, also if one ends before: zeros stand for the bytes that it lacks.
   */
  private static long firstBytes(byte[] bytes, int from, int to) {
    long first = 0;
    if (to - from >= Long.BYTES) {
      first = (long) BIG_ENDIAN.get(bytes, from);
    } else {
      for (int i = from; i < to; i++) {
        first |= (bytes[i] & 0xFFL) << Long.SIZE - Byte.SIZE * (i - from + 1);
      }
    }
    return first ^ Long.MIN_VALUE;
  }

  private static int compare(byte[] segment, byte[] bytes, int from, int to) {
    return Arrays.compareUnsigned(segment, 0, segment.length, bytes, from, to);
  }
}
