package io.winnow.hbase.read;

import io.winnow.hbase.AgentState;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics;

/**
 * Counter of bytes read from the block cache, in HBase's metrics of the scan that this thread
 * serves. Counts as HBase does, if this HBase has such metrics (from 2.5.12 and 2.6.4 on).
 */
final class ScanMetrics {
  private static final boolean PRESENT = isPresent();

  private ScanMetrics() {}

  private static boolean isPresent() {
    try {
      ThreadLocalServerSideScanMetrics.isScanMetricsEnabled();
      return !AgentState.isSwitchedOff("scan-metrics");
    } catch (LinkageError e) {
      return false;
    }
  }

  /**
   * Returns the bytes that HBase counts as read with a block: its own, and the header of the next
   * block if that was read too.
   */
  static int bytesOf(HFileBlock block) {
    if (!PRESENT) {
      return 0;
    }
    int nextHeader = block.getNextBlockOnDiskSize() > 0 ? block.headerSize() : 0;
    return block.getOnDiskSizeWithHeader() + nextHeader;
  }

  /**
   * Counts a block that was read from the block cache in the metrics of the present scan.
   *
   * @param bytes the bytes that count as read with it
   */
  static void countCached(int bytes) {
    if (PRESENT && ThreadLocalServerSideScanMetrics.isScanMetricsEnabled()) {
      ThreadLocalServerSideScanMetrics.addBytesReadFromBlockCache(bytes);
    }
  }
}
