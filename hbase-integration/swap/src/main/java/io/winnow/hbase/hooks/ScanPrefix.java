package io.winnow.hbase.hooks;

import org.apache.hadoop.hbase.client.Scan;

/**
 * The prefix that the bounds of a scan imply: each row between them begins with it.
 *
 * <p>Only the two bounds are looked at. Ranges inside a scan's filters are not, because such a
 * filter may be part of a larger one. In doubt the prefix is shorter than it could be, and a file
 * is read.
 */
public final class ScanPrefix {
  private ScanPrefix() {}

  /**
   * The length of the longest prefix that all rows of the scan share: that of {@link
   * #smallerBound}, up to there. 0 if they share none.
   */
  public static int impliedLength(Scan scan) {
    return scan.isReversed()
        ? impliedLength(scan.getStopRow(), scan.getStartRow(), scan.includeStartRow())
        : impliedLength(scan.getStartRow(), scan.getStopRow(), scan.includeStopRow());
  }

  /** The bound that no row of the scan is before: a reversed scan ends there. */
  public static byte[] smallerBound(Scan scan) {
    return scan.isReversed() ? scan.getStopRow() : scan.getStartRow();
  }

  /**
   * The same, of rows that are not before {@code smaller}, and not after {@code larger}.
   *
   * <p>They begin with the first {@code n} bytes of {@code smaller} if {@code larger} begins with
   * them, too, or if it is the first row that is after all of these and is not a row of the scan:
   * "abd" for "abc", "ac" for "ab\xFF", and an open end where all bytes are 0xFF. Nothing else
   * tells as much: "abd\x00" lets the row "abd" through.
   *
   * @param larger empty if there is no such bound
   * @param largerIsIncluded whether a row that equals it is one of the rows
   */
  static int impliedLength(byte[] smaller, byte[] larger, boolean largerIsIncluded) {
    if (larger.length == 0) {
      return countOfFF(smaller, 0);
    }
    int common = 0;
    int shorter = Math.min(smaller.length, larger.length);
    while (common < shorter && smaller[common] == larger[common]) {
      common++;
    }
    boolean isNext =
        common == larger.length - 1
            && common < smaller.length
            && (smaller[common] & 0xFF) + 1 == (larger[common] & 0xFF);
    return isNext && !largerIsIncluded ? common + 1 + countOfFF(smaller, common + 1) : common;
  }

  private static int countOfFF(byte[] bytes, int from) {
    int end = from;
    while (end < bytes.length && bytes[end] == (byte) 0xFF) {
      end++;
    }
    return end - from;
  }
}
