package io.winnow.hbase.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.winnow.hbase.Thrown;
import io.winnow.hbase.agent.WovenFactory;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The scanner of a store file calls these hooks in the middle of a Get: nothing may leave them. */
class AnswerHooksTest {
  private static final byte[] NAME = Bytes.toBytes("f");

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
}
