package io.winnow.hbase.hooks;

import io.winnow.hbase.metrics.ScanCounters;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Answer <i>maybe</i> of a filter or of key segments to a scan, until the first seek shows if the
 * file has a row between the scan's bounds.
 *
 * <p>The seek finds the last cell up to its key, and the first one after that. A reversed scan
 * seeks the larger bound, and may have to go back to find the row before it.
 */
final class ScanAnswer implements FileAnswer {
  private final ScanCounters counters;
  private final int prefixLength;

  /**
   * True if a filter answered <i>maybe</i>; false if the file is read because no filter was
   * queried, or its chunk was not loaded.
   */
  private final boolean isOfFilter;

  /** True if the file is read because its segments do not rule out rows between the bounds. */
  private final boolean isOfSegment;

  private final boolean isReversed;
  private final byte[] smaller;
  private final boolean smallerIsIncluded;
  private final byte[] larger;
  private final boolean largerIsIncluded;

  private boolean isSettled;

  /** Last cell at or before the key of the current seek; null if there was none. */
  private Cell before;

  ScanAnswer(ScanCounters counters, Scan scan, ScanHooks.Walk walk) {
    this.counters = counters;
    this.prefixLength = walk.impliedLength;
    this.isOfFilter = walk.isQueried;
    this.isOfSegment = walk.isOfSegment;
    this.isReversed = scan.isReversed();
    this.smaller = ScanPrefix.smallerBound(scan);
    this.smallerIsIncluded = isReversed ? scan.includeStopRow() : scan.includeStartRow();
    this.larger = ScanPrefix.largerBound(scan);
    this.largerIsIncluded = ScanPrefix.largerIsIncluded(scan);
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
    if (prefixLength > 0) {
      counters.countFile(prefixLength, isTrue);
    }
    if (isOfSegment) {
      counters.countSegmentRead(isTrue);
    }
    if (isOfFilter) {
      counters.countAnswer(isTrue);
    }
  }
}
