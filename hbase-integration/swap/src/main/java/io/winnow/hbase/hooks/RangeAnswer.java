package io.winnow.hbase.hooks;

import io.winnow.hbase.metrics.ScanCounters;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;

/**
 * Answer <i>maybe</i> of a file to a scan whose filter states ranges of rows, until the cells at
 * which the file's scanner arrives show if the file has a row in a range. The filter passes over no
 * row of its ranges, so a scanner behind the last range has found none. If the scan ends before, it
 * is not counted.
 */
final class RangeAnswer implements FileAnswer {
  private final ScanCounters counters;
  private final int prefixLength;
  private final RowRanges ranges;
  private final boolean isReversed;

  /** Range that the file's scanner has not left behind. */
  private int range;

  private boolean isSettled;

  RangeAnswer(ScanCounters counters, int prefixLength, RowRanges ranges, boolean isReversed) {
    this.counters = counters;
    this.prefixLength = prefixLength;
    this.ranges = ranges;
    this.isReversed = isReversed;
    this.range = isReversed ? ranges.size() - 1 : 0;
  }

  @Override
  public boolean isSettled() {
    return isSettled;
  }

  @Override
  public boolean needsLast(Cell key) {
    return false;
  }

  @Override
  public void passing(Cell cell) {}

  @Override
  public void sought(Cell key, Cell after) {
    if (!isReversed) {
      arrivedAt(after);
    } else if (after != null && isInRange(after)) {
      settle(true);
    } // else the scanner goes back from here
  }

  @Override
  public void stepped(Cell cell) {
    if (!isReversed) {
      arrivedAt(cell);
    }
  }

  @Override
  public void cameBack(Cell cell) {
    arrivedAt(cell);
  }

  private void arrivedAt(Cell cell) {
    while (!isSettled) {
      if (cell == null || range < 0 || range == ranges.size()) {
        settle(false);
      } else if (isReversed ? isFromEnd(cell) : isBeforeStart(cell)) {
        return; // the scanner has yet to arrive at the range
      } else if (isReversed ? isBeforeStart(cell) : isFromEnd(cell)) {
        range += isReversed ? -1 : 1;
      } else {
        settle(true);
      }
    }
  }

  private boolean isInRange(Cell cell) {
    return !isSettled
        && 0 <= range
        && range < ranges.size()
        && !isBeforeStart(cell)
        && !isFromEnd(cell);
  }

  private boolean isBeforeStart(Cell cell) {
    return compare(cell, ranges.from(range)) < 0;
  }

  private boolean isFromEnd(Cell cell) {
    byte[] to = ranges.to(range);
    return to != null && compare(cell, to) >= 0;
  }

  private static int compare(Cell cell, byte[] row) {
    return CellComparator.getInstance().compareRows(cell, row, 0, row.length);
  }

  private void settle(boolean hasRows) {
    isSettled = true;
    if (prefixLength > 0) {
      counters.countFile(prefixLength, hasRows);
    }
    counters.countRangeRead(hasRows);
  }
}
