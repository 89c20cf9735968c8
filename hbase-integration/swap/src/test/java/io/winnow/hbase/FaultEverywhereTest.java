package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A fault at each call that our classes make while HBase writes and reads, one at a time: nothing
 * fails, and no row is lost.
 */
class FaultEverywhereTest {
  @TempDir Path dir;

  /**
   * One store file of each filter. Each call has a fault of one kind, the next call one of the next
   * kind; with {@code -Dwinnow.fault.kinds=8} each call has a fault of every kind, below a Ribbon
   * filter of rows.
   */
  @Test
  void noFaultFailsAFileOrLosesARow() throws Exception {
    int faults = FaultLoader.faultsOf(FaultDrive.class, dir);
    assertTrue(faults > 1000, "faults tried: " + faults);
  }

  /** A region: its flushes, compactions, opens, Gets and scans; and what was counted. */
  @Test
  void noFaultFailsARegionOrGoesUncounted() throws Exception {
    int faults = FaultLoader.faultsOf(RegionFaultDrive.class, dir);
    assertTrue(faults > 200, "faults tried: " + faults);
  }
}
