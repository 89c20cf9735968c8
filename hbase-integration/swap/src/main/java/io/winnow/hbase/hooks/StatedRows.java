package io.winnow.hbase.hooks;

import java.util.Arrays;

/** Rows that the filter of a scan states, and the rows that end a scan with it. Immutable. */
final class StatedRows {
  /** The statement of a filter that treats each row alone. */
  static final StatedRows NOTHING = new StatedRows(RowRanges.ALL, null, null, false);

  /** The only rows that the scan can return. */
  final RowRanges ranges;

  /**
   * The row before which no row outside of the ranges ends the scan in all regions: only this row
   * or a later one does, and in a reversed scan only an earlier one, without this. Null if no row
   * does.
   */
  final byte[] end;

  /**
   * The last row that the filter may seek; null if it seeks none. A row between {@link #end} and
   * this may be jumped over. Any row behind both is seen, and ends the scan.
   */
  final byte[] hint;

  /**
   * True for a skip scan of Phoenix, and a list with one. It sees cells and no rows, so it sees no
   * row behind its end of which each cell is deleted. It may be done at a row of its ranges, so no
   * other filter of the list may state ranges.
   */
  final boolean isSkipScan;

  StatedRows(RowRanges ranges, byte[] end, byte[] hint) {
    this(ranges, end, hint, false);
  }

  StatedRows(RowRanges ranges, byte[] end, byte[] hint, boolean isSkipScan) {
    this.ranges = ranges;
    this.end = end;
    this.hint = hint;
    this.isSkipScan = isSkipScan;
  }

  /** Returns true if the filter sees each row behind its end, in any files that are read. */
  boolean seesItsEnd(boolean isReversed) {
    if (end == null || hint == null) {
      return end == null || !isSkipScan;
    }
    int order = Arrays.compareUnsigned(hint, end);
    return isReversed ? order >= 0 : order <= 0;
  }
}
