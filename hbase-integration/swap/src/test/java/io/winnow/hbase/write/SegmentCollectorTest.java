package io.winnow.hbase.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.format.SegmentRule;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The intervals that are kept of the segments of a file, whatever their order. */
class SegmentCollectorTest {
  private static final int HOUR = 3_600_000;

  private static KeySegment collected(String rule, byte[][] rows) {
    SegmentCollector collector = new SegmentCollector(SegmentRule.parse(rule));
    for (byte[] row : rows) {
      collector.add(row, 0, row.length);
    }
    KeySegment segment = collector.segments();
    byte[] entry = segment.toBytes();
    assertTrue(entry.length <= 2048, entry.length + " bytes");
    assertArrayEquals(entry, KeySegment.read(entry).toBytes());
    for (byte[] row : rows) {
      assertTrue(segment.covers(row, 0, row.length), () -> Bytes.toStringBinary(row));
    }
    return segment;
  }

  private static byte[][] rows(long[] times) {
    return Arrays.stream(times)
        .mapToObj(time -> Bytes.add(Bytes.toBytes("id"), Bytes.toBytes(time)))
        .toArray(byte[][]::new);
  }

  private static double covered(KeySegment segment) {
    double covered = 0;
    for (int i = 0; i < segment.intervals(); i++) {
      covered += Bytes.toLong(segment.largest(i)) - (double) Bytes.toLong(segment.smallest(i));
    }
    return covered;
  }

  /** Returns what is covered without the 63 largest gaps. */
  private static double best(long[] times) {
    long[] sorted = times.clone();
    Arrays.sort(sorted);
    double[] gaps = new double[sorted.length - 1];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = sorted[i + 1] - sorted[i];
    }
    Arrays.sort(gaps);
    double covered = sorted[sorted.length - 1] - sorted[0];
    for (int i = Math.max(0, gaps.length - 63); i < gaps.length; i++) {
      covered -= gaps[i];
    }
    return covered;
  }

  private static long[] times(int rows, double late, Random random) {
    return LongStream.generate(() -> (long) (random.nextDouble() * HOUR))
        .map(
            time ->
                random.nextDouble() < late
                    ? time - (long) (random.nextDouble() * random.nextDouble() * 72 * HOUR)
                    : time)
        .map(time -> 1_790_000_000_000L + time)
        .limit(rows)
        .toArray();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.001, 0.01})
  void fewSegmentsHaveTheLargestGapsBetweenThem(double late) {
    long[] times = times(1000, late, new Random(5));
    KeySegment segment = collected("2", rows(times));
    assertEquals(64, segment.intervals());
    assertEquals(best(times), covered(segment));
  }

  /** More segments than are kept while they come, each an interval at first. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.0001, 0.001, 0.01})
  void manySegmentsCoverLittleMoreThanTheyMust(double late) {
    long[] times = times(100_000, late, new Random(6));
    double covered = covered(collected("2", rows(times)));
    double best = best(times);
    assertTrue(covered < 1.2 * best, covered / HOUR + " hours for " + best / HOUR);
  }

  @Test
  void ascendingAndDescendingSegmentsAreCovered() {
    long[] times = LongStream.range(0, 10_000).map(i -> i * i).toArray();
    collected("2", rows(times));
    collected("2", rows(LongStream.range(0, 10_000).map(i -> -i * i).toArray()));
  }

  /** Of 32 bytes that differ in the last ones only: the entry has room for 30 intervals. */
  @Test
  void longSegmentsHaveFewerIntervals() {
    byte[][] rows = new byte[3000][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Bytes.toBytes(String.format("%030d%04d", 0, i * 37 % 3000 * 3));
    }
    assertEquals(30, collected("2,32", rows).intervals());
  }

  @Test
  void shortRowsHaveSegmentsOfTheirOwn() {
    byte[][] rows = {
      Bytes.toBytes("i"), Bytes.toBytes("id"), Bytes.toBytesBinary("id\\x00"), Bytes.toBytes("idb")
    };
    KeySegment segment = collected("2,2", rows);
    assertEquals(3, segment.intervals());
    assertArrayEquals(new byte[0], segment.largest(0));
    assertArrayEquals(new byte[1], segment.smallest(1));
    assertEquals(0, collected("delimiter:|,1", rows).intervals());
  }

  /** Segments that end early, with zeros and without, beside others of the same first bytes. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "1,3", "1,17", "delimiter:0x01,1"})
  void rowsOfAllLengthsAreCovered(String rule) {
    Random random = new Random(7);
    for (int rows : new int[] {100, 1500, 5000}) {
      byte[][] all = new byte[rows][];
      for (int i = 0; i < rows; i++) {
        all[i] = new byte[1 + random.nextInt(12)];
        for (int j = 0; j < all[i].length; j++) {
          all[i][j] = (byte) (random.nextInt(4) * random.nextInt(86));
        }
      }
      collected(rule, all);
    }
  }

  /** More rows than are gathered at first, with fewer segments. */
  @Test
  void fewSegmentsOfManyRowsHaveTheLargestGapsBetweenThem() {
    long[] few = times(400, 0.01, new Random(8));
    long[] times = LongStream.range(0, 5000).map(i -> few[(int) (i % few.length)]).toArray();
    assertEquals(best(few), covered(collected("2", rows(times))));
  }

  @Test
  void cellsOffTheHeapCountAsThoseOnIt() {
    byte[] longRow = new byte[1000];
    longRow[998] = '|';
    longRow[999] = 7;
    byte[][] rows = {
      Bytes.toBytes("a|bcd"), longRow, Bytes.toBytes("x|y"), Bytes.toBytes("id|time")
    };
    for (String rule : new String[] {"delimiter:|,1,2", "delimiter:|,1", "2", "990", "2,5"}) {
      SegmentCollector onHeap = new SegmentCollector(SegmentRule.parse(rule));
      SegmentCollector offHeap = new SegmentCollector(SegmentRule.parse(rule));
      for (byte[] row : rows) {
        KeyValue cell = new KeyValue(row, new byte[1], row, row);
        onHeap.add(cell);
        ByteBuffer bytes = ByteBuffer.allocateDirect(cell.getLength() + 3);
        bytes.put(3, cell.getBuffer(), cell.getOffset(), cell.getLength());
        offHeap.add(new ByteBufferKeyValue(bytes, 3, cell.getLength()));
      }
      KeySegment segment = onHeap.segments();
      assertTrue(segment.intervals() > 0, rule);
      assertArrayEquals(segment.toBytes(), offHeap.segments().toBytes(), rule);
      Arrays.stream(rows).forEach(row -> assertTrue(segment.covers(row, 0, row.length), rule));
    }
  }

  @Test
  void nothingIsLeftAfterAnAdditionThatFailed() {
    SegmentCollector collector = new SegmentCollector(SegmentRule.parse("2"));
    KeyValue cell = new KeyValue(new byte[5], new byte[1], new byte[0], new byte[0]);
    collector.add(cell);
    assertThrows(NullPointerException.class, () -> collector.add(null));
    collector.add(cell);
    assertNull(collector.segments());
  }
}
