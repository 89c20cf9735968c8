package io.winnow.hbase.hooks;

import io.winnow.hbase.RepeatedLog;
import io.winnow.hbase.format.CellOrder;
import io.winnow.hbase.metrics.Failures;
import io.winnow.hbase.metrics.ServerMetric;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hook of the scanner of a region, which reads the ranges of rows that the scan's filter states,
 * before the scanners of its stores select their files. It throws nothing. In doubt a scan has no
 * such ranges.
 */
public final class RangeHooks {
  private static final Logger LOG = LoggerFactory.getLogger(RangeHooks.class);

  private static final String SCANNER = "org.apache.hadoop.hbase.regionserver.RegionScannerImpl";
  private static final String REVERSED_SCANNER =
      "org.apache.hadoop.hbase.regionserver.ReversedRegionScannerImpl";

  private static final Failures FAILURES =
      new Failures(
          LOG::error,
          "Cannot read the ranges of a filter: the scan reads all files between its bounds",
          ServerMetric.PROBE_FAILURES,
          RepeatedLog.everyMinutes(10));

  private RangeHooks() {}

  /**
   * Reads the ranges that the filter of a scan states, and keeps them until the stores of the
   * region have selected their files. Called by {@code RegionScannerImpl.initializeScanners}.
   *
   * @param others scanners of a coprocessor that the region's scanner merges with its own; null for
   *     none
   */
  public static void opens(Object scanner, HRegion region, Scan scan, List<?> others) {
    try {
      if (scan.getFilter() == null) {
        return;
      }
      ScanHooks.forgetRanges(); // the filter may have changed since the last scanner of this scan
      if (scan.isGetScan() || !isKnown(scanner, region, others)) {
        return;
      }
      StatedRows stated =
          FilterRanges.of(scan, region.getRegionInfo(), region.getTableDescriptor());
      boolean goesOn = stated != null && goesOn(region, scan);
      if (stated != null && (!goesOn || stated.seesItsEnd(scan.isReversed()))) {
        ScanHooks.keepRanges(scan, stated, goesOn);
      }
    } catch (Throwable e) {
      FAILURES.report(e);
    }
  }

  /**
   * Returns true if a scan reads the region as HBase's own code does: no coprocessor adds rows, or
   * is called with rows that the filter does not let pass, and rows are sorted by their bytes.
   */
  private static boolean isKnown(Object scanner, HRegion region, List<?> others) {
    String type = scanner.getClass().getName();
    RegionCoprocessorHost host = region.getCoprocessorHost();
    return (type.equals(SCANNER) || type.equals(REVERSED_SCANNER))
        && (others == null || others.isEmpty())
        && (host == null || !host.hasCustomPostScannerFilterRow())
        && CellOrder.isByBytes(region.getCellComparator());
  }

  /** Returns true if the client goes on with the next region, unless the filter ends the scan. */
  private static boolean goesOn(HRegion region, Scan scan) {
    byte[] stop = scan.getStopRow();
    if (scan.isReversed()) {
      byte[] first = region.getRegionInfo().getStartKey();
      return first.length > 0 && Arrays.compareUnsigned(stop, first) < 0;
    }
    byte[] end = region.getRegionInfo().getEndKey();
    if (end.length == 0 || stop.length == 0) {
      return end.length > 0;
    }
    int order = Arrays.compareUnsigned(stop, end);
    return order > 0 || order == 0 && scan.includeStopRow();
  }
}
