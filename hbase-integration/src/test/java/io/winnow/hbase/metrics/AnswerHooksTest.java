package io.winnow.hbase.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.winnow.hbase.Thrown;
import io.winnow.hbase.agent.WovenFactory;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.params.ParameterizedTest;
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
    assertNull(AnswerHooks.asked(true, scan, null, null));
    FamilyCounters counters = new FamilyCounters(TableName.valueOf("t"), NAME);
    Cell cell = failing(Cell.class, fault);
    for (byte[] column : new byte[][] {null, NAME}) {
      PositiveAnswer asked = new PositiveAnswer(counters, NAME, column);
      AnswerHooks.ruledOut(asked, cell);
      AnswerHooks.passing(asked, failing(HFileScanner.class, fault));
      asked.passing(cell);
      AnswerHooks.sought(asked, cell, cell);
      AnswerHooks.stepped(asked, cell);
    }
    AnswerHooks.sought(new Object(), cell, cell);
    assertEquals(0, counters.falsePositives() + counters.truePositives(), "nothing is known");
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

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAnswerOffTheHeapIsCountedWithoutACopy(boolean withColumn) {
    String long1 = "a row of some length, so that a copy of it would be seen: ";
    byte[] row = Bytes.toBytes(long1 + 5);
    byte[] column = withColumn ? Bytes.toBytes("q") : null;
    Cell before = offHeap(long1 + 4, "q");
    Cell after = offHeap(long1 + 6, "q");
    Cell there = offHeap(long1 + 5, "q");
    Cell key = PrivateCellUtil.createFirstOnRow(row);
    FamilyCounters counters = new FamilyCounters(TableName.valueOf("t"), NAME);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long taken = 0;
    for (int round = 0; round < 2; round++) { // the first one has the JVM compile
      PositiveAnswer[] answers = new PositiveAnswer[ANSWERS];
      Arrays.setAll(answers, i -> new PositiveAnswer(counters, row, column));
      long start = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < ANSWERS; i++) {
        answers[i].passing(before);
        AnswerHooks.sought(answers[i], key, i % 2 == 0 ? after : there);
      }
      taken = threads.getThreadAllocatedBytes(thread) - start;
    }
    assertEquals(ANSWERS, counters.falsePositives());
    assertEquals(ANSWERS, counters.truePositives());
    long perAnswer = taken / ANSWERS;
    assertTrue(perAnswer <= MOST_BYTES_PER_ANSWER, perAnswer + " bytes taken by an answer");
  }
}
