package io.winnow.hbase.hooks;

import io.winnow.hbase.metrics.ScanCounters;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.Scan;

/**
 * A filter's answer <i>maybe</i> to a scan of rows with a common prefix, until the first seek shows
 * if the file has a row between the scan's bounds.
 *
 * <p>The seek finds the last cell up to its key, and the first one after that. A reversed scan
 * seeks the larger bound, and may have to go back to find the row before it.
 */
final class ScanAnswer implements FileAnswer {
  private final ScanCounters counters;
  private final int prefixLength;

  /**
   * True if a filter answered <i>maybe</i>; false if the file is read because no filter was
   * queried.
   */
  private final boolean isOfFilter;

  private final boolean isReversed;
  private final byte[] smaller;
  private final boolean smallerIsIncluded;
  private final byte[] larger;
  private final boolean largerIsIncluded;

  private boolean isSettled;

  /** Last cell at or before the key of the current seek; null if there was none. */
  private Cell before;

  ScanAnswer(ScanCounters counters, Scan scan, int prefixLength, boolean isOfFilter) {
    this.counters = counters;
    this.prefixLength = prefixLength;
    this.isOfFilter = isOfFilter;
    this.isReversed = scan.isReversed();
    this.smaller = ScanPrefix.smallerBound(scan);
    this.smallerIsIncluded = isReversed ? scan.includeStopRow() : scan.includeStartRow();
    this.larger = isReversed ? scan.getStartRow() : scan.getStopRow();
    this.largerIsIncluded = isReversed ? scan.includeStartRow() : scan.includeStopRow();
  }

  @Override
  public boolean isSettled() {
    return isSettled;
  }

  @Override
  public void passing(Cell cell) {
    before = cell;
  }

  @Override
  public void sought(Cell key, Cell after) {
    if (isSettled) {
      return;
    }
    Cell last = before;
    before = null;
    if (isBetween(after) || isBetween(last)) {
      settle(true);
    } else if (isReversed ? isBeforeAll(last) : last != null || compare(key, smaller) <= 0) {
      settle(false);
    }
  }

  @Override
  public void cameBack(Cell cell) {
    if (!isSettled) {
      settle(isBetween(cell));
    }
  }

  private boolean isBeforeAll(Cell cell) {
    return cell != null && !isFromSmaller(cell);
  }

  private boolean isBetween(Cell cell) {
    if (cell == null || !isFromSmaller(cell)) {
      return false;
    }
    int order = larger.length == 0 ? -1 : compare(cell, larger);
    return order < 0 || order == 0 && largerIsIncluded;
  }

  private boolean isFromSmaller(Cell cell) {
    int order = compare(cell, smaller);
    return order > 0 || order == 0 && smallerIsIncluded;
  }

  private static int compare(Cell cell, byte[] row) {
    return CellComparator.getInstance().compareRows(cell, row, 0, row.length);
  }

  private void settle(boolean isTrue) {
    isSettled = true;
    counters.countFile(prefixLength, isTrue);
    if (isOfFilter) {
      counters.countAnswer(isTrue);
    }
  }
}
