package io.winnow.hbase.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.metrics.ServerViewDoor;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class RecentCountsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String PREFIX = "Namespace_default_table_false-reads_columnfamily_f_metric_";

  private final AtomicLong clock = new AtomicLong(-50);
  private final RecentCounts recent = new RecentCounts(clock::get, -50);

  private RecentCounts.Rates after(long seconds, int reads) {
    clock.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    for (int i = 0; i < reads; i++) {
      ServerViewDoor.countFalseRead(TableName.valueOf("false-reads"), FAMILY);
    }
    return recent.sample(ServerViewDoor.of(List.of()));
  }

  /** A mean over the first seconds of a server would say little, so there is none. */
  private static void assertTooShort(RecentCounts.Rates rates) {
    assertTrue(rates.isTooShort());
    assertTrue(Double.isNaN(rates.falseReadsPerSecond(PREFIX)));
    assertTrue(Double.isNaN(rates.missesPerQuery()));
  }

  private static void assertRates(double reads, double seconds, RecentCounts.Rates rates) {
    assertEquals(seconds, rates.seconds, 1e-6);
    assertEquals(reads / seconds, rates.falseReadsPerSecond(PREFIX), 1e-9);
  }

  @Test
  void rateIsOfTheLastMinuteOrLonger() {
    assertTooShort(after(10, 30));
    assertTooShort(after(20, 0));
    assertRates(31, 62, after(32, 1)); // since the start
    // 70 s after the first look: since that one.
    assertRates(1 + 6, 70, after(18, 6));
    // Nobody looked for a long time: since the last look.
    assertRates(500, 1000, after(1000, 500));
    assertRates(500, 1001, after(1, 0)); // too close to be remembered
    assertRates(500, 1059, after(58, 0));
    assertRates(2, 62, after(3, 2));
  }

  @Test
  void reloadsAndSkippedLoadsHaveRatesToo() {
    after(100, 0);
    ServerViewDoor.countReloads(50, 150);
    RecentCounts.Rates rates = after(100, 0);
    assertEquals(0.5, rates.perSecond(RecentCounts.RELOADS), 1e-9);
    assertEquals(1.5, rates.perSecond(RecentCounts.SKIPPED), 1e-9);
    assertEquals(0, after(100, 0).perSecond(RecentCounts.SKIPPED), 1e-9);
  }
}
