package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/**
 * Ranges that filters state, beside HBase's own filters on rows of few letters, short ones too.
 * {@code -Dwinnow.filter.sweep=N} tries another number of filters, {@code -Dwinnow.scan.seed=N}
 * other ones.
 */
class FilterRangesTest {

  private final long seed = Long.getLong("winnow.scan.seed", 20261128);
  private final Random random = new Random(seed);
  private final NavigableSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
  private final RandomFilters filters = new RandomFilters(random, rows);
  private byte[] family = {'f'};

  private static final RegionInfo ALL_ROWS =
      RegionInfoBuilder.newBuilder(TableName.valueOf("t")).build();

  private static TableDescriptor table(byte[] family) {
    return TableDescriptorBuilder.newBuilder(ALL_ROWS.getTable())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(family))
        .build();
  }

  private static byte[] bytes(String text) {
    return Bytes.toBytesBinary(text);
  }

  private Scan scan() {
    Scan scan = new Scan().setReversed(random.nextInt(3) == 0);
    byte[] one = random.nextInt(2) == 0 ? new byte[0] : filters.value();
    byte[] other = random.nextInt(2) == 0 ? new byte[0] : filters.value();
    boolean isTurned =
        one.length > 0 && other.length > 0 && Bytes.compareTo(one, other) > 0 != scan.isReversed();
    return scan.withStartRow(isTurned ? other : one, random.nextInt(4) > 0)
        .withStopRow(isTurned ? one : other, random.nextBoolean());
  }

  /** Rows that a scan finds, and true if the filter then ends it in all regions. */
  private record Found(List<String> rows, boolean isDone) {}

  /** HBase's filter over the given rows, called as the scanner of a region calls it. */
  private Found found(NavigableSet<byte[]> some, Scan scan) throws IOException {
    Filter filter = ProtobufUtil.toFilter(ProtobufUtil.toFilter(scan.getFilter()));
    filter.setReversed(scan.isReversed());
    List<Cell> cells = new ArrayList<>();
    for (byte[] row : scan.isReversed() ? some.descendingSet() : some) {
      if (TestRows.isBetween(row, scan)) {
        for (byte column : new byte[] {'p', 'q'}) {
          cells.add(new KeyValue(row, family, new byte[] {column}, 1, RandomFilters.VALUE));
        }
      }
    }
    List<String> found = new ArrayList<>();
    int at = 0;
    while (at < cells.size() && !filter.filterAllRemaining()) {
      Cell first = cells.get(at);
      List<Cell> row = new ArrayList<>();
      boolean isFiltered = filter.filterRowKey(first);
      int next = at;
      while (next < cells.size() && compareRows(cells.get(next), first) == 0) {
        next = isFiltered ? next + 1 : step(filter, cells, next, row);
      }
      if (!row.isEmpty()) {
        filter.filterRowCells(row);
        if (!row.isEmpty() && !filter.filterRow()) {
          found.add(row.toString());
        }
      }
      filter.reset();
      at = next;
    }
    return new Found(found, filter.filterAllRemaining());
  }

  private static int compareRows(Cell one, Cell other) {
    return CellComparator.getInstance().compareRows(one, other);
  }

  private static int step(Filter filter, List<Cell> cells, int at, List<Cell> row)
      throws IOException {
    Cell cell = cells.get(at);
    int nextRow = at + 1;
    while (nextRow < cells.size() && compareRows(cells.get(nextRow), cell) == 0) {
      nextRow++;
    }
    switch (filter.filterCell(cell)) {
      case INCLUDE:
      case INCLUDE_AND_NEXT_COL:
        row.add(cell);
        return at + 1;
      case INCLUDE_AND_SEEK_NEXT_ROW:
        row.add(cell);
        return nextRow;
      case NEXT_ROW:
        return nextRow;
      case SEEK_NEXT_USING_HINT:
        Cell hint = filter.getNextCellHint(cell);
        int to = at + 1;
        while (hint != null && to < cells.size() && isBefore(cells.get(to), hint, filter)) {
          to++;
        }
        return to;
      default:
        return at + 1;
    }
  }

  private static boolean isBefore(Cell cell, Cell hint, Filter filter) {
    return filter.isReversed()
        ? compareRows(cell, hint) > 0
        : CellComparator.getInstance().compare(cell, hint) < 0;
  }

  private static boolean isIn(byte[] row, RowRanges ranges) {
    for (int i = 0; i < ranges.size(); i++) {
      byte[] to = ranges.to(i);
      if (Bytes.compareTo(row, ranges.from(i)) >= 0
          && (to == null || Bytes.compareTo(row, to) < 0)) {
        return true;
      }
    }
    return false;
  }

  private void newRows() {
    rows.clear();
    for (int i = 2 + random.nextInt(30); i > 0; i--) {
      rows.add(filters.row());
    }
    family = random.nextInt(4) == 0 ? bytes("family-\\xFF") : new byte[] {'f'};
  }

  /** The rows outside of the ranges make no difference, whichever of them there are. */
  @Test
  void rowsOutsideMakeNoDifference() throws IOException {
    long sweep = Long.getLong("winnow.filter.sweep", 30_000);
    int stating = 0;
    int ended = 0;
    for (long i = 0; i < sweep; i++) {
      if (i % 100 == 0) {
        newRows();
      }
      Scan scan = scan();
      try {
        scan.setFilter(filters.filter(2));
      } catch (IllegalArgumentException e) {
        continue; // ranges without a row
      }
      scan.getFilter().setReversed(scan.isReversed());
      StatedRows stated = FilterRanges.of(scan, ALL_ROWS, table(family));
      if (stated == null) {
        continue;
      }
      stating++;
      String words = "seed " + seed + ", try " + i + ": " + scan;
      NavigableSet<byte[]> some = new TreeSet<>(Bytes.BYTES_COMPARATOR);
      for (byte[] row : rows) {
        if (random.nextInt(4) == 0 || isIn(row, stated.ranges)) {
          some.add(row);
        }
      }
      Found all = found(rows, scan);
      assertEquals(all.rows(), found(some, scan).rows(), words);
      ended += checkEnd(scan, stated, all, words) ? 1 : 0;
    }
    assertTrue(stating > sweep / 5, stating + " scans stated ranges");
    assertTrue(ended > sweep / 20, ended + " scans were ended by a row behind the ranges");
  }

  /** No row before the end ends the scan, and each one does that is behind the last hint, too. */
  private boolean checkEnd(Scan scan, StatedRows stated, Found all, String words)
      throws IOException {
    NavigableSet<byte[]> some = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    NavigableSet<byte[]> before = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    List<byte[]> behind = new ArrayList<>();
    for (byte[] row : rows) {
      if (isIn(row, stated.ranges)) {
        some.add(row);
      }
      if (!isBehind(row, stated.end, scan)) {
        before.add(row);
      } else if (stated.hint == null || isBehind(row, stated.hint, scan)) {
        behind.add(row);
      }
    }
    boolean isPaged = scan.getFilter().toString().contains("PageFilter");
    assertTrue(isPaged || !found(before, scan).isDone(), words);
    if (behind.isEmpty()) {
      return false;
    }
    some.add(behind.get(random.nextInt(behind.size())));
    assertTrue(found(some, scan).isDone(), words);
    assertTrue(all.isDone(), words);
    return true;
  }

  private static boolean isBehind(byte[] row, byte[] end, Scan scan) {
    return end != null
        && TestRows.isBetween(row, scan)
        && (scan.isReversed() ? Bytes.compareTo(row, end) < 0 : Bytes.compareTo(row, end) >= 0);
  }

  private static StatedRows stated(Scan scan, Filter filter) {
    filter.setReversed(scan.isReversed());
    return stated(scan.setFilter(filter));
  }

  /** Returns what the filter of a scan states in a table of one region, with a short family. */
  static StatedRows stated(Scan scan) {
    return FilterRanges.of(scan, ALL_ROWS, table(new byte[] {'f'}));
  }

  static String inWords(StatedRows stated) {
    StringBuilder words = new StringBuilder();
    for (int i = 0; i < stated.ranges.size(); i++) {
      byte[] to = stated.ranges.to(i);
      words
          .append(i == 0 ? "" : " ")
          .append(Bytes.toStringBinary(stated.ranges.from(i)))
          .append("..")
          .append(to == null ? "" : Bytes.toStringBinary(to));
    }
    return words.toString();
  }

  private static RowFilter rowFilter(CompareOperator operator, String prefix) {
    return new RowFilter(operator, new BinaryPrefixComparator(bytes(prefix)));
  }

  @Test
  void eachFilterStatesItsRanges() {
    assertEquals("abc..abd", inWords(stated(new Scan(), new PrefixFilter(bytes("abc")))));
    assertEquals("ab\\xFF..ac", inWords(stated(new Scan(), new PrefixFilter(bytes("ab\\xFF")))));
    assertEquals("..b\\x00", inWords(stated(new Scan(), new InclusiveStopFilter(bytes("b")))));
    assertEquals("..b", inWords(stated(new Scan(), rowFilter(CompareOperator.LESS, "b"))));
    assertEquals("c..", inWords(stated(new Scan(), rowFilter(CompareOperator.GREATER, "b"))));
    assertNull(stated(new Scan(), rowFilter(CompareOperator.NOT_EQUAL, "b")));
    assertNull(stated(new Scan(), new PageFilter(2)));
    Scan bounded = new Scan().withStartRow(bytes("b1")).withStopRow(bytes("d"));
    Filter prefixes = new MultiRowRangeFilter(new byte[][] {bytes("a"), bytes("b"), bytes("cc")});
    assertEquals("b1..c cc..cd", inWords(stated(bounded, prefixes)));
    assertNull(stated(bounded, new PrefixFilter(bytes(""))), "the bounds say as much");
    Filter or =
        new FilterList(
            FilterList.Operator.MUST_PASS_ONE,
            new PrefixFilter(bytes("x")),
            new PrefixFilter(bytes("c")));
    assertEquals("c..d", inWords(stated(bounded, or)));
    assertEquals("c..d x..y", inWords(stated(new Scan(), or)));
    assertNull(stated(new Scan(), new FilterList(or, new WhileMatchFilter(new PageFilter(1)))));
    assertNull(stated(new Scan(), new FilterList()));
    assertEquals("", inWords(stated(bounded, new PrefixFilter(bytes("x")))), "no row at all");
  }

  /** HBase compares a shorter row with a prefix as if its family were a part of it. */
  @Test
  void rowsShorterThanThePrefixAreKnownToBeLess() {
    Scan scan = new Scan();
    assertNull(stated(scan, new PrefixFilter(bytes("user1\\x00"))));
    assertNull(stated(scan, new PrefixFilter(bytes("user1\\x01"))), "of a family of one letter");
    assertNotNull(stated(scan, new PrefixFilter(bytes("user1\\x02"))));
    assertNotNull(stated(scan, new PrefixFilter(bytes("\\x00"))));
    Scan behind = new Scan().withStartRow(bytes("user1"), false);
    assertNotNull(stated(behind, new PrefixFilter(bytes("user1\\x00"))));
    Scan before = new Scan().withStartRow(bytes("user1"));
    assertNull(stated(before, new PrefixFilter(bytes("user1\\x00"))));
  }

  /** HBase's reversed scan seeks a row before those with the prefix, and so finds none of them. */
  @Test
  void aReversedPrefixStatesNothingIfHBaseLosesItsRows() {
    for (String prefix : new String[] {"a\\xFF", "a\\xFF\\x7F", "\\x7F", "\\x7F\\x7F", "\\xFF"}) {
      Filter filter = new PrefixFilter(bytes(prefix));
      assertNull(stated(new Scan().setReversed(true), filter), prefix);
      assertNotNull(stated(new Scan(), filter), prefix);
    }
    assertNotNull(stated(new Scan().setReversed(true), new PrefixFilter(bytes("a\\x7F"))));
    assertNotNull(stated(new Scan().setReversed(true), new PrefixFilter(bytes("a\\xFFb"))));
  }

  @Test
  void aFilterWithoutComparatorStatesNothing() {
    assertNull(stated(new Scan(), new RowFilter(CompareOperator.NO_OP, null)));
  }

  /** HBase returns the row of an empty range if the scan is reversed. */
  @Test
  void anEmptyRangeStatesNothingInAReversedScan() {
    Filter empty =
        new MultiRowRangeFilter(
            new ArrayList<>(List.of(new RowRange(bytes("a"), false, bytes("a"), true))));
    assertNull(stated(new Scan().setReversed(true), empty));
    assertEquals("", inWords(stated(new Scan(), empty)));
  }

  private static final class OwnFilter extends PrefixFilter {
    private OwnFilter() {
      super(bytes("a"));
    }
  }

  private static final class OwnComparator extends BinaryPrefixComparator {
    private OwnComparator() {
      super(bytes("a"));
    }
  }

  @Test
  void classesOfOthersStateNothing() {
    assertNull(stated(new Scan(), new OwnFilter()));
    PrefixFilter known = new PrefixFilter(bytes("a"));
    assertNull(stated(new Scan(), new FilterList(known, new OwnFilter())));
    Filter own = new RowFilter(CompareOperator.EQUAL, new OwnComparator());
    assertNull(stated(new Scan(), own));
    assertNull(stated(new Scan(), new FilterList(known, own)));
    Filter ofValues = new ValueFilter(CompareOperator.EQUAL, new OwnComparator());
    assertNull(stated(new Scan(), new FilterList(known, new FilterList(ofValues))));
  }

  @Test
  void manyRangesBecomeFew() {
    List<RowRange> ranges = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      byte[] row = Bytes.toBytes(i);
      ranges.add(new RowRange(row, true, row, true));
    }
    Collections.shuffle(ranges, random);
    RowRanges few = stated(new Scan(), new MultiRowRangeFilter(ranges)).ranges;
    assertEquals(RowRanges.MAX, few.size());
    for (int i = 0; i < 1000; i++) {
      assertTrue(isIn(Bytes.toBytes(i), few));
    }
    Scan scan = new Scan().withStartRow(Bytes.toBytes(500)).withStopRow(Bytes.toBytes(520));
    assertEquals(20, stated(scan, new MultiRowRangeFilter(ranges)).ranges.size());
    RegionInfo region =
        RegionInfoBuilder.newBuilder(ALL_ROWS.getTable())
            .setStartKey(Bytes.toBytes(980))
            .setEndKey(Bytes.toBytes(990))
            .build();
    Scan inRegion = new Scan().setFilter(new MultiRowRangeFilter(ranges));
    assertEquals(10, FilterRanges.of(inRegion, region, table(family)).ranges.size());
  }
}
