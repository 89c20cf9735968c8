package io.winnow.hbase.hooks;

import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.format.RangeKeys;
import java.util.Arrays;
import org.apache.hadoop.hbase.client.Scan;

/**
 * The row prefix that the bounds of a scan imply: each row between them begins with it.
 *
 * <p>Only the two bounds count. {@link FilterRanges} reads the ranges that a scan's filter states.
 * In doubt the prefix is shorter than it could be, and a file is read.
 */
public final class ScanPrefix {
  private ScanPrefix() {}

  /**
   * Returns the length in bytes of the longest prefix that all rows between the bounds of a scan
   * share; 0 if they share none. The prefix stands at the beginning of {@link #smallerBound}.
   */
  public static int impliedLength(Scan scan) {
    return impliedLength(smallerBound(scan), largerBound(scan), largerIsIncluded(scan));
  }

  /** Returns the smaller of the two rows that bound a scan, where a reversed scan ends. */
  public static byte[] smallerBound(Scan scan) {
    return scan.isReversed() ? scan.getStopRow() : scan.getStartRow();
  }

  /** Returns the larger bound of a scan, after which it reads no row; empty if it has none. */
  static byte[] largerBound(Scan scan) {
    return scan.isReversed() ? scan.getStartRow() : scan.getStopRow();
  }

  /** Returns true if a row that equals {@link #largerBound} is a row of the scan. */
  static boolean largerIsIncluded(Scan scan) {
    return scan.isReversed() ? scan.includeStartRow() : scan.includeStopRow();
  }

  /**
   * Returns the length in bytes of the longest prefix that all rows between two bounds share.
   *
   * <p>The rows begin with the first {@code n} bytes of {@code smaller} in two cases. Either {@code
   * larger} begins with these bytes too. Or {@code larger} is the first row after all rows with
   * these bytes, and is not a row of the scan: "abd" for "abc", "ac" for "ab\xFF", and an open end
   * if all bytes are 0xFF. No other bound implies a prefix: "abd\x00" lets the row "abd" pass.
   *
   * @param larger empty if there is no such bound
   * @param largerIsIncluded true if a row that equals {@code larger} is one of the rows
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

  /**
   * Returns the length in bytes of the longest prefix that all rows of a range share.
   *
   * @param to the row before which the range ends; null for an open end
   */
  static int impliedLength(byte[] from, byte[] to) {
    return to == null ? countOfFF(from, 0) : impliedLength(from, to, false);
  }

  /**
   * Returns the rules of {@link PrefixRule#USUAL} by which the bounds of a scan imply a row prefix,
   * a bit each.
   */
  static int impliedRules(Scan scan) {
    byte[] larger = largerBound(scan);
    byte[] to = largerIsIncluded(scan) ? RowRanges.after(larger) : larger;
    return impliedRules(smallerBound(scan), larger.length == 0 ? null : to);
  }

  /**
   * Returns the rules of {@link PrefixRule#USUAL} by which all rows of a range have one prefix, a
   * bit each, but for its first row ({@link RangeKeys#isOfRowAndZero}).
   *
   * @param to the row before which the range ends; null for an open end
   */
  static int impliedRules(byte[] from, byte[] to) {
    int implied = impliedLength(from, to);
    byte[] bytes = from;
    if (to != null && RangeKeys.isOfRowAndZero(from, to)) {
      implied = from.length + 1;
      bytes = Arrays.copyOf(from, implied);
    }
    int[] lengths = new int[PrefixRule.USUAL.size()];
    PrefixRule.usualIn(bytes, 0, implied, lengths);
    int rules = 0;
    for (int i = 0; i < lengths.length; i++) {
      rules |= lengths[i] == PrefixRule.NONE ? 0 : 1 << i;
    }
    return rules;
  }

  private static int countOfFF(byte[] bytes, int from) {
    int end = from;
    while (end < bytes.length && bytes[end] == (byte) 0xFF) {
      end++;
    }
    return end - from;
  }
}
