package io.winnow.hbase.hooks;

import io.winnow.hbase.settings.LocalIndexes;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.filter.BigDecimalComparator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryComponentComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.BitComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.CompareFilter;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.LongComparator;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.NullComparator;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;

/**
 * Ranges of rows that the filter of a scan states: the scan returns no row outside of them, also if
 * the filter never sees such a row. {@code docs/design/filter-ranges.md} has the rules, and why
 * each holds.
 *
 * <p>Only HBase's own classes are known, exactly, of filters and of comparators, and two of Apache
 * Phoenix ({@link PhoenixRanges}). A filter of another class states nothing, nor does any list with
 * such a filter.
 */
final class FilterRanges {
  /**
   * Filters that treat each row alone, so that it does not matter which rows they saw before. Pages
   * count only rows of which the filters before have left a cell, so none outside of the ranges.
   */
  private static final Set<Class<?>> ROW_BY_ROW =
      Set.of(
          PageFilter.class,
          ColumnPaginationFilter.class,
          FirstKeyOnlyFilter.class,
          KeyOnlyFilter.class,
          SingleColumnValueFilter.class,
          SingleColumnValueExcludeFilter.class,
          QualifierFilter.class,
          FamilyFilter.class,
          ValueFilter.class,
          RowFilter.class,
          ColumnPrefixFilter.class,
          MultipleColumnPrefixFilter.class,
          ColumnRangeFilter.class,
          TimestampsFilter.class,
          DependentColumnFilter.class);

  private static final Set<Class<?>> COMPARATORS =
      Set.of(
          BinaryComparator.class,
          BinaryPrefixComparator.class,
          BinaryComponentComparator.class,
          SubstringComparator.class,
          RegexStringComparator.class,
          NullComparator.class,
          BitComparator.class,
          LongComparator.class,
          BigDecimalComparator.class);

  private final Scan scan;
  private final boolean isReversed;
  private final RegionInfo region;
  private final TableDescriptor table;

  /** The rows of the region between the bounds of the scan; null until they are needed. */
  private RowRanges bounds;

  private FilterRanges(Scan scan, RegionInfo region, TableDescriptor table) {
    this.scan = scan;
    this.isReversed = scan.isReversed();
    this.region = region;
    this.table = table;
  }

  private RowRanges bounds() {
    if (bounds == null) {
      byte[] end = region.getEndKey();
      RowRanges ofRegion = RowRanges.between(region.getStartKey(), end.length == 0 ? null : end);
      bounds = ofRegion.and(boundsOfScan());
    }
    return bounds;
  }

  private RowRanges boundsOfScan() {
    byte[] smaller = ScanPrefix.smallerBound(scan);
    byte[] larger = ScanPrefix.largerBound(scan);
    boolean isIncluded = isReversed ? scan.includeStopRow() : scan.includeStartRow();
    byte[] from = smaller.length == 0 || isIncluded ? smaller : RowRanges.after(smaller);
    byte[] to = larger.length == 0 ? null : larger;
    return RowRanges.between(
        from, to != null && ScanPrefix.largerIsIncluded(scan) ? RowRanges.after(to) : to);
  }

  /**
   * Returns the rows of a region between a scan's bounds that its filter can let pass; null if the
   * filter states nothing beyond the bounds.
   */
  static StatedRows of(Scan scan, RegionInfo region, TableDescriptor table) {
    FilterRanges ranges = new FilterRanges(scan, region, table);
    Filter filter = PhoenixRanges.behindPaging(scan.getFilter());
    StatedRows stated = filter == null ? null : ranges.stated(filter);
    if (stated == null || stated.ranges.areAll()) {
      return null;
    }
    RowRanges within = ranges.bounds().and(stated.ranges);
    return within.size() == 1 && ranges.hasBounds(within)
        ? null
        : new StatedRows(within, stated.end, stated.hint, stated.isSkipScan);
  }

  private boolean hasBounds(RowRanges within) {
    RowRanges bounds = bounds();
    return bounds.size() == 1
        && Arrays.equals(within.from(0), bounds.from(0))
        && Arrays.equals(within.to(0), bounds.to(0));
  }

  /**
   * Returns the statement of a filter; null if the filter is not known to be right without rows.
   */
  private StatedRows stated(Filter filter) {
    Class<?> type = filter.getClass();
    if (type == FilterList.class) {
      return ofList((FilterList) filter);
    }
    if (type == PrefixFilter.class) {
      return isOfScan(filter) ? ofPrefix(((PrefixFilter) filter).getPrefix()) : null;
    }
    if (type == InclusiveStopFilter.class) {
      return isOfScan(filter) ? ofStop(((InclusiveStopFilter) filter).getStopRowKey()) : null;
    }
    if (type == MultiRowRangeFilter.class) {
      return isOfScan(filter) ? ofRanges(((MultiRowRangeFilter) filter).getRowRanges()) : null;
    }
    if (PhoenixRanges.isSkipScan(type)) {
      return isReversed || isOfLocalIndex() ? null : ofSkipScan(PhoenixRanges.of(filter));
    }
    if (!isRowByRow(filter, type)) {
      return null;
    }
    return type == RowFilter.class ? ofRow((RowFilter) filter) : StatedRows.NOTHING;
  }

  private boolean isOfScan(Filter filter) {
    return filter.isReversed() == isReversed;
  }

  private static boolean isRowByRow(Filter filter, Class<?> type) {
    if (!ROW_BY_ROW.contains(type)) {
      return false;
    }
    ByteArrayComparable comparator;
    if (filter instanceof CompareFilter) {
      comparator = ((CompareFilter) filter).getComparator();
    } else if (filter instanceof SingleColumnValueFilter) {
      comparator = ((SingleColumnValueFilter) filter).getComparator();
    } else {
      return true;
    }
    return comparator == null || COMPARATORS.contains(comparator.getClass());
  }

  private StatedRows ofList(FilterList list) {
    List<Filter> filters = list.getFilters();
    boolean isAnd = list.getOperator() == FilterList.Operator.MUST_PASS_ALL;
    if (!isAnd && list.getOperator() != FilterList.Operator.MUST_PASS_ONE) {
      return null;
    }
    if (filters.isEmpty()) {
      return StatedRows.NOTHING;
    }
    RowRanges.Union union = new RowRanges.Union();
    RowRanges common = RowRanges.ALL;
    int stating = 0;
    boolean hasSkipScan = false;
    byte[] end = null;
    byte[] hint = null;
    for (int i = 0; i < filters.size(); i++) {
      StatedRows stated = stated(filters.get(i));
      if (stated == null) {
        return null;
      }
      hasSkipScan |= stated.isSkipScan;
      stating += stated.ranges.areAll() ? 0 : 1;
      if (isAnd) {
        common = common.and(stated.ranges);
      } else {
        union.add(stated.ranges);
      }
      // One filter of an AND ends a scan. An OR ends it when each of its filters would.
      end = i == 0 ? stated.end : isAnd ? first(end, stated.end) : last(end, stated.end);
      hint =
          hint == null || stated.hint == null ? first(hint, stated.hint) : last(hint, stated.hint);
    }
    if (hasSkipScan && (!isAnd || stating > 1)) {
      return null;
    }
    RowRanges any = stating == filters.size() ? union.ranges() : RowRanges.ALL;
    return new StatedRows(isAnd ? common : any, end, hint, hasSkipScan);
  }

  /** Returns the end that a scan reaches first, in its direction. */
  private byte[] first(byte[] end, byte[] other) {
    if (end == null || other == null) {
      return end == null ? other : end;
    }
    return Arrays.compareUnsigned(end, other) < 0 == isReversed ? other : end;
  }

  private byte[] last(byte[] end, byte[] other) {
    if (end == null || other == null) {
      return null;
    }
    return Arrays.compareUnsigned(end, other) < 0 == isReversed ? end : other;
  }

  private StatedRows ofPrefix(byte[] prefix) {
    if (prefix == null || prefix.length == 0) {
      return null;
    }
    if (isReversed && !hintIsBehindPrefix(prefix)) {
      return null; // HBase itself loses rows
    }
    if (!shorterRowsAreLess(prefix) && !boundsExcludeShorter(prefix)) {
      return null;
    }
    byte[] after = RowRanges.afterPrefix(prefix);
    return new StatedRows(
        RowRanges.of(prefix), isReversed ? prefix : after, isReversed ? after : prefix);
  }

  /**
   * Returns true if the row that a reversed scan seeks for a prefix is behind all rows with it.
   * HBase adds 1 to the last byte that is not 0x7F, the greatest signed byte, so that 0xFF becomes
   * 0x00, and it seeks the prefix itself if there is no such byte.
   */
  private static boolean hintIsBehindPrefix(byte[] prefix) {
    int last = prefix.length - 1;
    while (last >= 0 && prefix[last] == Byte.MAX_VALUE) {
      last--;
    }
    return last >= 0 && prefix[last] != (byte) 0xFF;
  }

  /**
   * Returns true if HBase finds each row that is a part of a prefix to be less than the prefix. It
   * compares as many bytes as the prefix has, also of a shorter row, behind which a cell has the
   * length of its family's name.
   */
  private boolean shorterRowsAreLess(byte[] prefix) {
    int longestFamily = 0;
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      longestFamily = Math.max(longestFamily, family.getName().length);
    }
    for (int i = 1; i < prefix.length; i++) {
      if ((prefix[i] & 0xFF) <= longestFamily) {
        return false;
      }
    }
    return true;
  }

  private boolean boundsExcludeShorter(byte[] prefix) {
    byte[] smaller = ScanPrefix.smallerBound(scan);
    int order = Arrays.compareUnsigned(smaller, 0, smaller.length, prefix, 0, prefix.length - 1);
    boolean isIncluded = isReversed ? scan.includeStopRow() : scan.includeStartRow();
    return order > 0 || order == 0 && !isIncluded;
  }

  private StatedRows ofStop(byte[] stop) {
    if (stop == null) {
      return null;
    }
    if (isReversed) {
      return new StatedRows(RowRanges.between(stop, null), stop, null);
    }
    byte[] after = RowRanges.after(stop);
    return new StatedRows(RowRanges.between(new byte[0], after), after, null);
  }

  private StatedRows ofRanges(List<MultiRowRangeFilter.RowRange> ranges) {
    RowRanges.Union union = new RowRanges.Union();
    byte[] end = null;
    byte[] hint = null;
    for (int i = 0; i < ranges.size(); i++) {
      MultiRowRangeFilter.RowRange range = ranges.get(i);
      if (range.getClass() != MultiRowRangeFilter.RowRange.class) {
        return null;
      }
      byte[] stop = range.getStopRow();
      if (isReversed && stop.length == 0) {
        return null; // HBase seeks the empty row then
      }
      byte[] start = range.getStartRow();
      byte[] from = range.isStartRowInclusive() ? start : RowRanges.after(start);
      byte[] to =
          stop.length == 0 ? null : range.isStopRowInclusive() ? RowRanges.after(stop) : stop;
      if (isReversed && to != null && Arrays.compareUnsigned(from, to) >= 0) {
        return null; // HBase returns the row of an empty range
      }
      byte[] behind = isReversed ? from : to;
      end = i == 0 ? behind : last(end, behind);
      hint = i == 0 ? isReversed ? stop : start : last(hint, isReversed ? stop : start);
      if (meetsBounds(from, to)) { // so that few are left of very many
        union.add(from, to);
      }
    }
    return new StatedRows(union.ranges(), end, hint);
  }

  private static StatedRows ofSkipScan(RowRanges ranges) {
    return ranges == null || ranges.size() == 0
        ? null
        : new StatedRows(ranges, ranges.to(ranges.size() - 1), null, true);
  }

  /** Returns true if Phoenix may add an offset to a filter after the files are selected. */
  private boolean isOfLocalIndex() {
    if (scan.getAttribute(PhoenixRanges.LOCAL_INDEX) != null) {
      return true;
    }
    for (byte[] family : scan.getFamilyMap().keySet()) {
      if (LocalIndexes.areIn(family)) {
        return true;
      }
    }
    return false;
  }

  private boolean meetsBounds(byte[] from, byte[] to) {
    RowRanges bounds = bounds();
    return bounds.size() == 1
        && (to == null || Arrays.compareUnsigned(bounds.from(0), to) < 0)
        && (bounds.to(0) == null || Arrays.compareUnsigned(from, bounds.to(0)) < 0);
  }

  private static StatedRows ofRow(RowFilter filter) {
    ByteArrayComparable comparator = filter.getComparator();
    if (comparator == null) { // with NO_OP
      return StatedRows.NOTHING;
    }
    boolean isPrefix = comparator.getClass() == BinaryPrefixComparator.class;
    if (!isPrefix && comparator.getClass() != BinaryComparator.class) {
      return StatedRows.NOTHING;
    }
    byte[] value = comparator.getValue();
    byte[] after = isPrefix ? RowRanges.afterPrefix(value) : RowRanges.after(value);
    byte[] first = new byte[0];
    switch (filter.getCompareOperator()) {
      case LESS:
        return new StatedRows(RowRanges.between(first, value), null, null);
      case LESS_OR_EQUAL:
        return new StatedRows(RowRanges.between(first, after), null, null);
      case EQUAL:
        return new StatedRows(RowRanges.between(value, after), null, null);
      case GREATER_OR_EQUAL:
        return new StatedRows(RowRanges.between(value, null), null, null);
      case GREATER:
        return new StatedRows(RowRanges.between(after, null), null, null);
      default:
        return StatedRows.NOTHING;
    }
  }
}
