package io.winnow.hbase.read;

import io.winnow.hbase.AgentState;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics;

/**
 * Counts into the metrics of the scan that this thread serves what HBase counts for a block from
 * its cache, where HBase has such metrics (from 2.5.12 and 2.6.4 on).
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

  /** What counts as read with this block: its bytes, and the next one's header if it has that. */
  static int bytesOf(HFileBlock block) {
    if (!PRESENT) {
      return 0;
    }
    int nextHeader = block.getNextBlockOnDiskSize() > 0 ? block.headerSize() : 0;
    return block.getOnDiskSizeWithHeader() + nextHeader;
  }

  /** A block of so many bytes came from the cache. */
  static void countCached(int bytes) {
    if (PRESENT && ThreadLocalServerSideScanMetrics.isScanMetricsEnabled()) {
      ThreadLocalServerSideScanMetrics.addBytesReadFromBlockCache(bytes);
    }
  }
}
