package io.winnow.hbase.hooks;

import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/** Rows and the bounds of scans, in tests. */
final class TestRows {
  private TestRows() {}

  /** Returns true if a row is between the bounds of a scan. */
  static boolean isBetween(byte[] row, Scan scan) {
    byte[] smaller = ScanPrefix.smallerBound(scan);
    byte[] larger = ScanPrefix.largerBound(scan);
    boolean smallerIn = scan.isReversed() ? scan.includeStopRow() : scan.includeStartRow();
    int toSmaller = Bytes.compareTo(row, smaller);
    int toLarger = larger.length == 0 ? -1 : Bytes.compareTo(row, larger);
    return (toSmaller > 0 || toSmaller == 0 && smallerIn)
        && (toLarger < 0 || toLarger == 0 && ScanPrefix.largerIsIncluded(scan));
  }
}
