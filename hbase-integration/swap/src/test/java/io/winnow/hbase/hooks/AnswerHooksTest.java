package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.winnow.hbase.Thrown;
import io.winnow.hbase.agent.WovenFactory;
import io.winnow.hbase.metrics.FamilyCounters;
import io.winnow.hbase.metrics.TestRegion;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scanner of a store file calls these hooks in the middle of a Get: nothing may leave them. */
class AnswerHooksTest {
  private static final byte[] NAME = Bytes.toBytes("f");
  private static final int ANSWERS = 200_000;
  private static final long MOST_BYTES_PER_ANSWER = 16;

  static {
    WovenFactory.install(); // before anything looks at the scanner
  }

  static Stream<Supplier<Throwable>> kinds() {
    return Thrown.KINDS.stream();
  }

  /** Each of its methods fails. */
  private static <T> T failing(Class<T> type, Supplier<Throwable> fault) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> Thrown.sneakily(fault.get())));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void whateverFailsNothingLeaves(Supplier<Throwable> fault) {
    Scan scan =
        new Scan() {
          @Override
          public boolean isGetScan() {
            return Thrown.sneakily(fault.get());
          }
        };
    assertNull(AnswerHooks.answered(true, scan, null, null));
    FamilyCounters counters = new FamilyCounters(TableName.valueOf("t"), NAME);
    Cell cell = failing(Cell.class, fault);
    for (byte[] column : new byte[][] {null, NAME}) {
      PositiveAnswer asked = PositiveAnswer.of(counters, NAME, column);
      HFileScanner scanner = failing(HFileScanner.class, fault);
      AnswerHooks.ruledOut(asked, cell);
      AnswerHooks.passing(asked, scanner, cell);
      AnswerHooks.passing(asked, scanner, PrivateCellUtil.createFirstOnRow(new byte[] {1}));
      asked.passing(cell);
      assertNull(AnswerHooks.sought(asked, cell, cell));
      if (column == null) {
        assertSame(asked, AnswerHooks.stepped(asked, cell), "a step tells nothing of a row");
      }
    }
    assertNull(AnswerHooks.sought(new Object(), cell, cell));
    assertEquals(
        0, counters.falsePositives.sum() + counters.truePositives.sum(), "nothing is known");
    ServerHooks.starts(null);
  }

  /** A cell in memory that is no array, such as that of a BucketCache. */
  private static Cell offHeap(String row, String qualifier) {
    KeyValue cell =
        new KeyValue(Bytes.toBytes(row), NAME, Bytes.toBytes(qualifier), 1, new byte[100]);
    ByteBuffer bytes = ByteBuffer.allocateDirect(cell.getLength());
    bytes.put(cell.getBuffer(), cell.getOffset(), cell.getLength());
    return new ByteBufferKeyValue(bytes, 0, cell.getLength());
  }

  /** From the question to the count, with all that the hooks take from the scanner. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAnswerOffTheHeapIsCountedWithoutACopy(boolean withColumn, @TempDir Path directory)
      throws Exception {
    String long1 = "a row of some length, so that a copy of it would be seen: ";
    byte[] row = Bytes.toBytes(long1 + 5);
    byte[] column = Bytes.toBytes("q");
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(NAME)
            .setBloomFilterType(withColumn ? BloomType.ROWCOL : BloomType.ROW)
            .build();
    Get get = withColumn ? new Get(row).addColumn(NAME, column) : new Get(row);
    Scan scan = new Scan(get);
    Cell key = PrivateCellUtil.createFirstDeleteFamilyCellOnRow(row, NAME); // as HBase begins
    Cell after = offHeap(long1 + 6, "q");
    Cell there = offHeap(long1 + 5, "q");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    try (TestRegion region = new TestRegion(directory, "bytes-" + withColumn, family)) {
      for (int i : new int[] {4, 6}) {
        region.region().put(new Put(Bytes.toBytes(long1 + i)).addColumn(NAME, column, 1, row));
      }
      region.region().flush(true);
      HStore store = region.store();
      StoreFileReader reader = region.files().iterator().next().getReader();
      HFileScanner scanner =
          reader.getHFileReader().getScanner(region.configuration(), false, true, false);
      assertEquals(1, scanner.seekTo(key), "the scanner is at the row before");
      long taken = 0;
      for (int round = 0; round < 2; round++) { // the first one has the JVM compile
        long start = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < ANSWERS; i++) {
          Object asked = AnswerHooks.answered(true, scan, store, reader);
          AnswerHooks.passing(asked, scanner, key);
          AnswerHooks.sought(asked, key, i % 2 == 0 ? after : there);
        }
        taken = threads.getThreadAllocatedBytes(thread) - start;
      }
      assertEquals(ANSWERS, region.falsePositives());
      assertEquals(ANSWERS, region.truePositives());
      long perAnswer = taken / ANSWERS;
      assertTrue(perAnswer <= MOST_BYTES_PER_ANSWER, perAnswer + " bytes taken by an answer");
    }
  }

  @Test
  void onlyASettledAnswerIsUsedAgain() {
    FamilyCounters counters = new FamilyCounters(TableName.valueOf("t"), NAME);
    byte[] row = Bytes.toBytes("b");
    Cell key = PrivateCellUtil.createFirstOnRow(row);
    PositiveAnswer first = PositiveAnswer.of(counters, row, null);
    PositiveAnswer second = PositiveAnswer.of(counters, row, null);
    assertNotSame(first, second);
    assertNull(AnswerHooks.sought(first, key, null), "the file ends: the row is not there");
    assertSame(first, PositiveAnswer.of(counters, row, NAME));
    assertNotSame(second, PositiveAnswer.of(counters, row, null));
    assertEquals(1, counters.falsePositives.sum());
  }

  private static Cell cell(String row, String column) {
    return cell(row, column, HConstants.LATEST_TIMESTAMP);
  }

  private static Cell cell(String row, String column, long time) {
    return new KeyValue(Bytes.toBytes(row), NAME, Bytes.toBytes(column), time, row.getBytes());
  }

  /** Else a seek that ends behind cells of the row would count as one that found nothing. */
  @Test
  void lastCellIsLookedAtWhereItTellsMoreThanTheKey() {
    FamilyCounters counters = new FamilyCounters(TableName.valueOf("t"), NAME);
    PositiveAnswer ofRow = PositiveAnswer.of(counters, Bytes.toBytes("b"), null);
    assertTrue(ofRow.needsLast(cell("a", "")));
    assertFalse(ofRow.needsLast(cell("b", "")), "the row begins there");
    assertTrue(ofRow.needsLast(cell("b", "", 7)));
    assertTrue(ofRow.needsLast(cell("b", "m")));
    PositiveAnswer ofColumn = PositiveAnswer.of(counters, Bytes.toBytes("b"), Bytes.toBytes("m"));
    assertTrue(ofColumn.needsLast(cell("c", "")));
    assertFalse(ofColumn.needsLast(cell("b", "")));
    assertTrue(ofColumn.needsLast(cell("b", "a")), "it may be in column \"\"");
    ofColumn.ruledOut(cell("b", ""));
    assertFalse(ofColumn.needsLast(cell("b", "a")));
    assertFalse(ofColumn.needsLast(cell("b", "m")), "the column begins there");
    assertTrue(ofColumn.needsLast(cell("b", "m", 7)));
    assertTrue(ofColumn.needsLast(cell("b", "z")));
  }

  /** Column "m" of row "b" is sought; the file may have the row in column "", too. */
  @ParameterizedTest
  @CsvSource({
    "b:m, b:a, c:a, maybe",
    "b:m, a:z, c:a, false",
    "b:m, a:z, b:z, false",
    "b:m, , b:z, maybe",
    "b:m, , c:a, false",
    "b:m, , , false",
    "b:m, b:, c:a, true",
    "b:m, b:a, b:m, true",
    "b:, a:z, b:a, maybe",
    "a:m, a:a, c:a, maybe",
  })
  void twoCellsTellWhetherTheColumnIsThere(String key, String last, String after, String told) {
    FamilyCounters counters = new FamilyCounters(TableName.valueOf("t"), NAME);
    PositiveAnswer asked = PositiveAnswer.of(counters, Bytes.toBytes("b"), Bytes.toBytes("m"));
    if (last != null) {
      asked.passing(cellOf(last));
    }
    Object left = AnswerHooks.sought(asked, cellOf(key), after == null ? null : cellOf(after));
    assertEquals(told.equals("maybe") ? asked : null, left);
    assertEquals(told.equals("true") ? 1 : 0, counters.truePositives.sum());
    assertEquals(told.equals("false") ? 1 : 0, counters.falsePositives.sum());
  }

  private static Cell cellOf(String text) {
    return cell(text.substring(0, 1), text.substring(2));
  }
}
