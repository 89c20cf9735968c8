package io.winnow.hbase.format;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keys of a filter that stand for all rows of a range, where the rows have several prefixes or
 * none: each prefix that such a row can have, and each row that is too short for one. If the filter
 * has none of these keys, the file has no row of the range. Immutable.
 */
public final class RangeKeys {
  /** Maximum number of prefixes, and of rows, for which a filter is queried. */
  private static final int MAX = 32;

  /** Number of last bytes in which the prefixes of a range may differ. */
  private static final int DIFFERENT = 2;

  /** All prefixes of rows of the range. */
  public final List<byte[]> prefixes = new ArrayList<>();

  /** All rows of the range without a prefix. */
  public final List<byte[]> rows = new ArrayList<>();

  private final byte[] from;
  private final byte[] to;

  private RangeKeys(byte[] from, byte[] to) {
    this.from = from;
    this.to = to;
  }

  /**
   * Returns the keys of the rows from one row on and before another; null if they are too many.
   *
   * @param to null for an open end
   */
  public static RangeKeys of(PrefixRule rule, byte[] from, byte[] to) {
    if (to == null) {
      return null;
    }
    RangeKeys keys = new RangeKeys(from, to);
    boolean areFew = rule.id == PrefixRule.LENGTH ? keys.ofLength(rule.number) : keys.of(rule);
    return areFew ? keys : null;
  }

  /**
   * Finds the keys of ["abc", "abc\x01") and ["abc", "abc\x00..."): the row "abc", and rows that go
   * on with 0x00, which is the delimiter that ends their prefix. With another delimiter the
   * prefixes are too many.
   */
  private boolean of(PrefixRule rule) {
    int end = from.length;
    if (!isOfRowAndZero(from, to)
        || rule.lengthIn(from, 0, end) != PrefixRule.NONE
        || rule.delimiter != 0
        || rule.lengthIn(Arrays.copyOf(from, end + 1), 0, end + 1) == PrefixRule.NONE) {
      return false;
    }
    prefixes.add(Arrays.copyOf(from, end + 1));
    return addRow(from);
  }

  /**
   * Returns true if a range is of the form ["abc", "abc\x01") or ["abc", "abc\x00..."), the ranges
   * of a value in Apache Phoenix: each row but "abc" goes on with the delimiter 0x00.
   */
  public static boolean isOfRowAndZero(byte[] from, byte[] to) {
    int end = from.length;
    return to.length > end
        && Arrays.equals(from, 0, end, to, 0, end)
        && (to[end] == 0 || to[end] == 1 && to.length == end + 1);
  }

  /** Finds the keys by a rule of a number of bytes. */
  private boolean ofLength(int length) {
    if (from.length < length - DIFFERENT || to.length < length - DIFFERENT) {
      return false; // too many prefixes, or too many short rows
    }
    byte[] prefix = Arrays.copyOf(from, length);
    byte[] last = Arrays.copyOf(to, length);
    boolean isNone = to.length <= length && !decrement(last);
    int same = Math.max(0, length - DIFFERENT);
    if (!isNone && Arrays.compareUnsigned(prefix, last) <= 0) {
      if (!Arrays.equals(prefix, 0, same, last, 0, same)) {
        return false;
      }
      int count = number(last, same) - number(prefix, same) + 1;
      if (count > MAX) {
        return false;
      }
      for (int i = 0; i < count; i++) {
        prefixes.add(prefix);
        if (!addShorter(prefix, length)) {
          return false;
        }
        prefix = prefix.clone();
        for (int k = length - 1; k >= same && ++prefix[k] == 0; k--) {}
      }
    }
    // A row that is the start of the range's end, up to its last zeros, is in the range too.
    return to.length > length || addShorter(to, to.length);
  }

  /** Adds the rows of the range that become given bytes if they are filled up with zeros. */
  private boolean addShorter(byte[] bytes, int length) {
    for (int end = length - 1; end > 0 && bytes[end] == 0; end--) {
      byte[] row = Arrays.copyOf(bytes, end);
      if (Arrays.compareUnsigned(row, from) < 0) {
        return true;
      }
      if (!addRow(row)) {
        return false;
      }
    }
    return true;
  }

  private boolean addRow(byte[] row) {
    if (row.length > 0) {
      rows.add(row);
    }
    return rows.size() <= MAX;
  }

  /** Turns bytes into the greatest ones of the same length before them; false if there are none. */
  private static boolean decrement(byte[] bytes) {
    for (int i = bytes.length - 1; i >= 0; i--) {
      if (bytes[i]-- != 0) {
        return true;
      }
    }
    return false;
  }

  private static int number(byte[] bytes, int offset) {
    int number = 0;
    for (int i = offset; i < bytes.length; i++) {
      number = number << 8 | bytes[i] & 0xFF;
    }
    return number;
  }
}
