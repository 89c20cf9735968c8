package io.winnow.hbase.hooks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** Random filters, and lists of them, of rows of few letters. */
class RandomFilters {
  static final byte[] FAMILY = {'f'};
  static final byte[] OTHER = {'g'};
  static final byte[] VALUE = {'v'};
  private static final byte[] LETTERS = {0, 1, 'a', 'b', 0x7F, (byte) 0xFE, (byte) 0xFF};
  private static final int MAX_LENGTH = 4;

  final Random random;
  private final Collection<byte[]> rows;

  /**
   * @param rows those that there are
   */
  RandomFilters(Random random, Collection<byte[]> rows) {
    this.random = random;
    this.rows = rows;
  }

  /** Random row of a file, by chance with the first bytes of some rows of that file. */
  byte[] row(byte[] head) {
    byte[] row = row();
    System.arraycopy(head, 0, row, 0, Math.min(head.length, row.length));
    return row;
  }

  byte[] row() {
    byte[] row = new byte[1 + random.nextInt(MAX_LENGTH)];
    for (int i = 0; i < row.length; i++) {
      row[i] =
          LETTERS[random.nextInt(3) > 0 ? 2 + random.nextInt(2) : random.nextInt(LETTERS.length)];
    }
    return row;
  }

  /** A row that exists, the beginning of one, or another row. */
  byte[] value() {
    byte[] row = row();
    if (random.nextInt(3) > 0 && !rows.isEmpty()) {
      List<byte[]> all = List.copyOf(rows);
      row = all.get(random.nextInt(all.size()));
      row = Arrays.copyOf(row, random.nextInt(3) > 0 ? 1 + random.nextInt(row.length) : row.length);
    }
    return row;
  }

  private CompareOperator operator() {
    return CompareOperator.values()[random.nextInt(CompareOperator.values().length)];
  }

  /** An operator that filters of single columns have: they throw with NO_OP. */
  private CompareOperator comparison() {
    CompareOperator operator = operator();
    return operator == CompareOperator.NO_OP ? CompareOperator.EQUAL : operator;
  }

  private Filter stating() {
    switch (random.nextInt(6)) {
      case 0:
        return new PrefixFilter(value());
      case 1:
        List<RowRange> ranges = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
          byte[] from = value();
          byte[] to = random.nextInt(12) == 0 ? new byte[0] : value();
          boolean isTurned = to.length > 0 && Bytes.compareTo(from, to) > 0;
          boolean isOne = Bytes.equals(from, to);
          ranges.add(
              new RowRange(
                  isTurned ? to : from,
                  isOne && random.nextInt(9) > 0 || random.nextBoolean(),
                  isTurned ? from : to,
                  isOne || random.nextBoolean()));
        }
        return new MultiRowRangeFilter(ranges);
      case 2:
        byte[][] prefixes = new byte[1 + random.nextInt(4)][];
        Arrays.setAll(prefixes, i -> value());
        return new MultiRowRangeFilter(prefixes);
      case 3:
        return new RowFilter(operator(), new BinaryComparator(value()));
      case 4:
        return new RowFilter(operator(), new BinaryPrefixComparator(value()));
      default:
        return new InclusiveStopFilter(value());
    }
  }

  Filter other() {
    switch (random.nextInt(21)) {
      case 0:
        return new PageFilter(1 + random.nextInt(4));
      case 1:
        return new FirstKeyOnlyFilter();
      case 2:
        return new ValueFilter(operator(), new BinaryComparator(VALUE));
      case 3:
        return new RowFilter(CompareOperator.EQUAL, new SubstringComparator("b"));
      case 4:
        return new WhileMatchFilter(random.nextBoolean() ? stating() : new FirstKeyOnlyFilter());
      case 5:
        return new SkipFilter(stating());
      case 6:
        byte[] key = value();
        return new FuzzyRowFilter(List.of(new Pair<>(key, new byte[key.length])));
      case 7:
        return new ColumnPaginationFilter(1 + random.nextInt(2), random.nextInt(2));
      case 8:
        return new ColumnCountGetFilter(1 + random.nextInt(2));
      case 9:
        return new KeyOnlyFilter();
      case 10:
      case 11:
        return ofColumn(new SingleColumnValueFilter(family(), column(), comparison(), VALUE));
      case 12:
        return ofColumn(
            new SingleColumnValueExcludeFilter(family(), column(), comparison(), VALUE));
      case 13:
        return new QualifierFilter(operator(), new BinaryComparator(column()));
      case 14:
        return new FamilyFilter(operator(), new BinaryComparator(family()));
      case 15:
        return new ColumnPrefixFilter(column());
      case 16:
        return new ColumnRangeFilter(column(), true, column(), true);
      case 17:
        return new MultipleColumnPrefixFilter(new byte[][] {column(), column()});
      case 18:
        return new TimestampsFilter(List.of(1001L, 1003L, 1005L, 1013L), random.nextBoolean());
      case 19:
        return new DependentColumnFilter(FAMILY, column(), random.nextBoolean());
      default:
        return new FirstKeyOnlyFilter();
    }
  }

  private Filter ofColumn(SingleColumnValueFilter filter) {
    filter.setFilterIfMissing(random.nextBoolean());
    filter.setLatestVersionOnly(random.nextBoolean());
    return filter;
  }

  byte[] family() {
    return random.nextBoolean() ? FAMILY : OTHER;
  }

  byte[] column() {
    return new byte[] {(byte) ('p' + random.nextInt(4))};
  }

  Filter filter(int depth) {
    int pick = random.nextInt(10);
    if (depth == 0 || pick < 3) {
      return random.nextInt(10) == 0 ? other() : stating();
    }
    List<Filter> filters = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i >= 0; i--) {
      filters.add(
          random.nextInt(4) == 0 ? filter(depth - 1) : random.nextInt(4) > 0 ? stating() : other());
    }
    return new FilterList(
        random.nextInt(3) > 0
            ? FilterList.Operator.MUST_PASS_ALL
            : FilterList.Operator.MUST_PASS_ONE,
        filters);
  }
}
