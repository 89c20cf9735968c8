package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.phoenix.filter.DistinctPrefixFilter;
import org.apache.phoenix.filter.PagingFilter;
import org.apache.phoenix.filter.SkipScanFilter;
import org.apache.phoenix.filter.UnverifiedRowFilter;
import org.apache.phoenix.query.KeyRange;
import org.apache.phoenix.schema.types.PChar;
import org.apache.phoenix.schema.types.PVarchar;
import org.junit.jupiter.api.Test;

/** Ranges that Phoenix's own filters state, and those that state nothing. */
class PhoenixRangesTest {
  private static final PhoenixFilters.Field TEXT =
      new PhoenixFilters.Field(PVarchar.INSTANCE, 0, false, false);
  private static final PhoenixFilters.Field TEXT_DOWN =
      new PhoenixFilters.Field(PVarchar.INSTANCE, 0, false, true);
  private static final PhoenixFilters.Field CODE =
      new PhoenixFilters.Field(PChar.INSTANCE, 2, false, false);

  private static byte[] bytes(String text) {
    return Bytes.toBytesBinary(text);
  }

  private static List<KeyRange> keys(String... keys) {
    List<KeyRange> ranges = new ArrayList<>();
    for (String key : keys) {
      ranges.add(KeyRange.getKeyRange(bytes(key)));
    }
    return ranges;
  }

  private static List<KeyRange> range(String from, String to) {
    return List.of(KeyRange.getKeyRange(bytes(from), bytes(to)));
  }

  @SafeVarargs
  private static SkipScanFilter skipScan(
      List<PhoenixFilters.Field> fields, List<KeyRange>... slots) {
    List<List<KeyRange>> all = new ArrayList<>();
    for (List<KeyRange> slot : slots) {
      all.add(slot);
    }
    return new SkipScanFilter(all, PhoenixFilters.schema(fields));
  }

  private static StatedRows stated(Scan scan, Filter filter) {
    return FilterRangesTest.stated(scan.setFilter(filter));
  }

  private static String inWords(Filter filter) {
    StatedRows stated = stated(new Scan(), filter);
    return stated == null ? "nothing" : FilterRangesTest.inWords(stated);
  }

  @Test
  void slotsOfKeysAndThenOneOfRangesAreCombined() {
    assertEquals("ab..ac ca..cb", inWords(skipScan(List.of(CODE, TEXT), keys("ab", "ca"))));
    assertEquals("a..a\\x01 b..b\\x01", inWords(skipScan(List.of(TEXT, CODE), keys("a", "b"))));
    assertEquals(
        "a\\x00xx..a\\x00xy b\\x00xx..b\\x00xy",
        inWords(skipScan(List.of(TEXT, CODE), keys("a", "b"), keys("xx"))));
    assertEquals(
        "a\\x00c..a\\x00f",
        inWords(skipScan(List.of(TEXT, TEXT, CODE), keys("a"), range("c", "e"), keys("xx"))));
    assertEquals("ab..ag", inWords(skipScan(List.of(CODE), range("ab", "af"))));
    assertEquals("b..d", inWords(skipScan(List.of(TEXT, TEXT), range("b", "c\\x00d"))));
    assertEquals("\\x9E..\\x9F", inWords(skipScan(List.of(TEXT_DOWN), keys("\\x9E"))));
    assertEquals(
        "\\x9E\\xFFxx..\\x9E\\xFFxy",
        inWords(skipScan(List.of(TEXT_DOWN, CODE), keys("\\x9E"), keys("xx"))));
  }

  @Test
  void slotsEndWhereRowsMayBeElsewhere() {
    PhoenixFilters.Field mayBeNull = new PhoenixFilters.Field(PVarchar.INSTANCE, 0, true, false);
    List<PhoenixFilters.Field> fields = List.of(TEXT, mayBeNull);
    List<KeyRange> isNull = List.of(KeyRange.IS_NULL_RANGE);
    assertEquals("a..a\\x01", inWords(skipScan(fields, keys("a"), isNull)), "a row \"a\"");
    assertEquals("nothing", inWords(skipScan(fields, isNull, keys("a"))));
    List<KeyRange> upTo = List.of(KeyRange.getKeyRange(KeyRange.UNBOUND, bytes("c")));
    assertEquals("nothing", inWords(skipScan(fields, keys("a"), upTo)));
    List<KeyRange> all = List.of(KeyRange.EVERYTHING_RANGE);
    assertEquals("nothing", inWords(skipScan(fields, all, keys("a"))));
    assertEquals("a..a\\x01", inWords(skipScan(fields, keys("a"), all)), "a row \"a\"");
    assertEquals("nothing", inWords(skipScan(List.of(TEXT_DOWN), range("\\x9E", "\\x9F"))));
    int[] spans = {1};
    List<List<KeyRange>> slots = List.of(keys("a\\x00b"));
    assertEquals(
        "nothing", inWords(new SkipScanFilter(slots, spans, PhoenixFilters.schema(fields), false)));
    String[] many = new String[RowRanges.MAX];
    for (int i = 0; i < many.length; i++) {
      many[i] = String.valueOf(10 + i);
    }
    assertEquals(
        RowRanges.MAX,
        stated(new Scan(), skipScan(List.of(CODE, CODE), keys(many), keys("aa", "bb")))
            .ranges
            .size());
  }

  @Test
  void rangesAreSeenBehindPagesAndBesideFiltersOfRowsOnly() {
    List<PhoenixFilters.Field> fields = List.of(CODE);
    assertEquals("ab..ac", inWords(new PagingFilter(skipScan(fields, keys("ab")), Long.MAX_VALUE)));
    assertEquals("nothing", inWords(new PagingFilter(null, Long.MAX_VALUE)));
    assertEquals(
        "ab..ac",
        inWords(
            new FilterList(
                new FirstKeyOnlyFilter(), skipScan(fields, keys("ab")), new PageFilter(3))));
    for (Filter other :
        List.of(
            new PrefixFilter(bytes("a")),
            new RowFilter(CompareOperator.LESS, new BinaryComparator(bytes("b"))),
            new DistinctPrefixFilter(PhoenixFilters.schema(fields), 1))) {
      Filter skipScan = skipScan(fields, keys("ab"));
      assertEquals("nothing", inWords(new FilterList(skipScan, other)), other.toString());
      Filter list = new FilterList(new FilterList(skipScan), new FilterList(other));
      assertEquals("nothing", inWords(list), other.toString());
    }
    Filter any =
        new FilterList(
            FilterList.Operator.MUST_PASS_ONE,
            skipScan(fields, keys("ab")),
            skipScan(fields, keys("cd")));
    assertEquals("nothing", inWords(any));
    Filter unverified =
        new UnverifiedRowFilter(skipScan(fields, keys("ab")), bytes("0"), bytes("_0"));
    assertEquals("nothing", inWords(unverified));
    assertEquals("nothing", inWords(new PagingFilter(unverified, Long.MAX_VALUE)));
  }

  @Test
  void scansOfLocalIndexesStateNothing() {
    SkipScanFilter filter = skipScan(List.of(CODE), keys("ab"));
    assertNotNull(stated(new Scan().addFamily(bytes("0")), filter));
    assertNull(stated(new Scan().setAttribute("_LocalIndex", bytes("1")), filter));
    assertNull(stated(new Scan().addFamily(bytes("L#0")), filter));
    filter.setOffset(1);
    assertNull(stated(new Scan(), filter));
    filter.setOffset(0);
    assertNotNull(stated(new Scan(), filter));
    filter.setReversed(true);
    assertNull(stated(new Scan().setReversed(true), filter));
  }

  /** A row behind the last range ends the scan only if it has a cell that is not deleted. */
  @Test
  void endOfAScanMayNotBeSeen() {
    List<KeyRange> keys = keys("ab", "cd");
    StatedRows stated = stated(new Scan(), skipScan(List.of(CODE), keys));
    assertEquals("ce", Bytes.toString(stated.end));
    assertFalse(stated.seesItsEnd(false));
    Filter list = new FilterList(new PageFilter(3), skipScan(List.of(CODE), keys));
    assertFalse(stated(new Scan(), list).seesItsEnd(false));
    List<KeyRange> open = List.of(KeyRange.getKeyRange(bytes("ab"), KeyRange.UNBOUND));
    assertTrue(stated(new Scan(), skipScan(List.of(CODE), open)).seesItsEnd(false));
  }
}
