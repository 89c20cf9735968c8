package io.winnow.hbase.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.winnow.FilterBuilder;
import io.winnow.base.ScratchPool;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.settings.WinnowSettings;
import io.winnow.hbase.settings.WrongSettingException;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bounds by which memory is reserved, beside what builds really take. */
class BuildCostTest {
  private static WinnowSettings settings(String filter, String width, String rate)
      throws WrongSettingException {
    Configuration conf = new Configuration(false);
    conf.set("winnow.filter", filter);
    conf.set("winnow.ribbon.width", width);
    conf.set("io.storefile.bloom.error.rate", rate);
    conf.setInt("io.storefile.bloom.block.size", 8 << 20);
    return WinnowSettings.of(conf, KeyKind.ROW);
  }

  @ParameterizedTest
  @CsvSource({
    "ribbon, 64, 0.5",
    "ribbon, 64, 0.01",
    "ribbon, 64, 1e-9",
    "ribbon, 128, 0.01",
    "ribbon, 128, 1e-15",
    "bumped-ribbon, 64, 0.5",
    "bumped-ribbon, 64, 0.01",
    "bumped-ribbon, 64, 1e-15",
    "quotient, 64, 0.5",
    "quotient, 64, 0.01",
    "quotient, 64, 1e-9",
  })
  void buildTakesNoMoreThanItReserves(String filter, String width, String rate) throws Exception {
    WinnowSettings settings = settings(filter, width, rate);
    BuildCost cost = new BuildCost(settings);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    Random random = new Random(1);
    for (int keys : new int[] {50, 10_000, 250_000}) {
      FilterBuilder builder = settings.newBuilder();
      for (int round = 0; round < 2; round++) { // the first one loads classes
        for (int i = 0; i < keys; i++) {
          builder.add(random.nextLong());
        }
        ScratchPool.dropIdle();
        long before = threads.getThreadAllocatedBytes(thread);
        builder.finish();
        long taken = threads.getThreadAllocatedBytes(thread) - before;
        long reserved = cost.scratch(keys);
        String text = keys + " keys: " + taken + " bytes taken, " + reserved + " reserved";
        assertTrue(round == 0 || taken <= reserved, text);
        assertTrue(keys < 250_000 || 4 * taken >= reserved, text);
      }
      assertTrue(ScratchPool.idleKeys() >= keys, "counted while it is kept");
      ScratchPool.dropIdle();
      assertEquals(0, ScratchPool.idleKeys());
    }
  }

  @Test
  void keysThatAFileMayHave() throws Exception {
    WinnowSettings settings = settings("ribbon", "64", "0.01");
    BuildCost cost = new BuildCost(settings);
    long limit = settings.keyLimit();
    assertEquals(4096, cost.keys(1));
    assertEquals(4096, cost.keys(4096));
    assertEquals(8192, cost.keys(4097));
    for (int maxKeys : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertTrue(cost.keys(maxKeys) >= limit && cost.keys(maxKeys) < limit + 4096);
    }
    assertEquals(0, cost.scratch(0));
  }
}
