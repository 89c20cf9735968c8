package io.winnow.hbase.hooks;

import java.util.Arrays;

/** Rows that the filter of a scan states, and the rows that end a scan with it. Immutable. */
final class StatedRows {
  /** The statement of a filter that treats each row alone. */
  static final StatedRows NOTHING = new StatedRows(RowRanges.ALL, null, null);

  /** The only rows that the scan can return. */
  final RowRanges ranges;

  /**
   * The row before which no row ends the scan in all regions: only this row or a later one does,
   * and in a reversed scan only an earlier one, without this. Null if no row does.
   */
  final byte[] end;

  /**
   * The last row that the filter may seek; null if it seeks none. A row between {@link #end} and
   * this may be jumped over. Any row behind both is seen, and ends the scan.
   */
  final byte[] hint;

  StatedRows(RowRanges ranges, byte[] end, byte[] hint) {
    this.ranges = ranges;
    this.end = end;
    this.hint = hint;
  }

  /** Returns true if the filter sees each row behind its end, in any files that are read. */
  boolean seesItsEnd(boolean isReversed) {
    if (end == null || hint == null) {
      return true;
    }
    int order = Arrays.compareUnsigned(hint, end);
    return isReversed ? order >= 0 : order <= 0;
  }
}
