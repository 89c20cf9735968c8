package io.winnow.hbase.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is counted is what is true: each file of a region is read whole, each file's filter is asked
 * directly, and both together tell which answers of a filter were right.
 */
class FalsePositivesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 200;
  private static final int FILES = 5;
  private static final List<String> COLUMNS = List.of("", "a", "b", "c", "d");

  @TempDir Path directory;

  /** What a Get is counted as, all files together. */
  private record Counts(long falsePositives, long truePositives) {
    static Counts of(FamilyCounters counters) {
      return new Counts(counters.falsePositives.sum(), counters.truePositives.sum());
    }

    Counts minus(Counts other) {
      return new Counts(falsePositives - other.falsePositives, truePositives - other.truePositives);
    }

    Counts plus(boolean isTrue) {
      return new Counts(falsePositives + (isTrue ? 0 : 1), truePositives + (isTrue ? 1 : 0));
    }

    Counts plus(Counts other) {
      return new Counts(falsePositives + other.falsePositives, truePositives + other.truePositives);
    }
  }

  static Stream<Arguments> families() {
    List<Arguments> all = new ArrayList<>();
    for (BloomType type : List.of(BloomType.ROW, BloomType.ROWCOL)) {
      for (String filter : List.of("bloom", "ribbon", "bumped-ribbon", "quotient")) {
        all.add(Arguments.of(filter, type, DataBlockEncoding.NONE));
      }
      for (DataBlockEncoding encoding :
          List.of(
              DataBlockEncoding.PREFIX,
              DataBlockEncoding.DIFF,
              DataBlockEncoding.FAST_DIFF,
              DataBlockEncoding.ROW_INDEX_V1)) {
        all.add(Arguments.of("ribbon", type, encoding));
      }
    }
    return all.stream();
  }

  private static ColumnFamilyDescriptor family(
      String filter, BloomType type, DataBlockEncoding encoding) {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
        .setBloomFilterType(type)
        .setDataBlockEncoding(encoding)
        .setBlocksize(512) // rows that begin in one block and go on in the next
        .setMaxVersions(100)
        .setConfiguration("winnow.filter", filter)
        .setConfiguration("io.storefile.bloom.error.rate", "0.1")
        .build();
  }

  private static byte[] row(int i) {
    return Bytes.toBytes(String.format(Locale.ROOT, "row-%06d", i));
  }

  /** Even rows, each in some of the files, with some of the columns; markers of all kinds. */
  private static void fill(TestRegion region, Random random) throws Exception {
    for (int file = 0; file < FILES; file++) {
      for (int i = 0; i < ROWS; i += 2) {
        if (random.nextInt(3) != 0) {
          continue;
        }
        long time = 100 + random.nextInt(100);
        Put put = new Put(row(i));
        for (String column : COLUMNS) {
          if (random.nextInt(column.isEmpty() ? 10 : 3) == 0) {
            put.addColumn(FAMILY, Bytes.toBytes(column), time, row(random.nextInt(ROWS)));
          }
        }
        if (!put.isEmpty()) {
          region.region().put(put);
        }
        switch (random.nextInt(12)) {
          case 0 -> region.region().delete(new Delete(row(i)).addFamily(FAMILY, time - 20));
          case 1 ->
              region.region().delete(new Delete(row(i)).addColumns(FAMILY, column("b"), time));
          case 2 -> region.region().delete(new Delete(row(i)).addFamilyVersion(FAMILY, time));
          default -> {}
        }
      }
      region.region().flush(true);
    }
    assertEquals(FILES, region.files().size());
  }

  /** The ways to ask for one row that have to read every file which the filters let through. */
  private static List<Scan> thorough(byte[] row) throws Exception {
    List<Scan> scans = new ArrayList<>();
    scans.add(new Scan(new Get(row)));
    scans.add(new Scan(new Get(row).addFamily(FAMILY).readAllVersions()));
    scans.add(new Scan(new Get(row).setTimeRange(0, 150)));
    scans.add(new Scan(new Get(row).setFilter(new FirstKeyOnlyFilter())));
    for (String name : List.of("", "a", "b", "bb", "d", "z")) {
      scans.add(new Scan(get(row, name).readAllVersions()));
    }
    scans.add(new Scan(get(row, "a", "c").readAllVersions()));
    scans.add(new Scan(get(row, "c").setTimeRange(0, 150).readAllVersions()));
    Scan oneRow = new Scan().withStartRow(row, true).withStopRow(row, true);
    scans.add(oneRow);
    scans.add(new Scan(oneRow).setReversed(true));
    scans.add(new Scan(oneRow).setReversed(true).addColumn(FAMILY, column("c")).readAllVersions());
    return scans;
  }

  private static byte[] column(String name) {
    return Bytes.toBytes(name);
  }

  private static Get get(byte[] row, String... columns) {
    Get get = new Get(row);
    for (String name : columns) {
      get.addColumn(FAMILY, column(name));
    }
    return get;
  }

  /** Has the region answer, and tells what was counted meanwhile. */
  private static Counts counted(TestRegion region, Scan scan) throws Exception {
    Counts before = Counts.of(region.counters());
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      scanner.next(new ArrayList<>());
    }
    return Counts.of(region.counters()).minus(before);
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @MethodSource("families")
  void countedAnswersAreTheTrueOnes(String filter, BloomType type, DataBlockEncoding encoding)
      throws Exception {
    ColumnFamilyDescriptor family = family(filter, type, encoding);
    try (TestRegion region =
        new TestRegion(directory, "truth", family, Map.of(), TestRegion.CACHE)) {
      fill(region, new Random(12));
      List<HStoreFile> files = List.copyOf(region.files());
      List<Map<String, Set<String>>> contents = TestRegion.contents(files);
      Counts all = new Counts(0, 0);
      for (int i = 0; i < ROWS; i++) {
        for (Scan scan : thorough(row(i))) {
          Counts expected = expected(region, files, contents, type, scan);
          assertEquals(expected, counted(region, scan), scan.toString());
          all = all.plus(expected);
        }
      }
      assertTrue(all.falsePositives() > ROWS / 10, all.toString());
      assertTrue(all.truePositives() > ROWS, all.toString());
    }
  }

  /** One column in its newest version: HBase leaves files alone in which it can only be older. */
  @ParameterizedTest
  @EnumSource(names = {"ROW", "ROWCOL"})
  void filesThatWereNotReadAreNotCounted(BloomType type) throws Exception {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(family("ribbon", type, DataBlockEncoding.NONE))
            .setConfiguration(
                "io.storefile.bloom.error.rate", "1e-9") // no false positive reads one
            .build();
    try (TestRegion region = new TestRegion(directory, "lazy", family)) {
      for (int time : List.of(30, 20, 10)) {
        for (int i = 0; i < ROWS; i += 2) {
          region.region().put(new Put(row(i)).addColumn(FAMILY, column("a"), time, row(i)));
        }
        region.region().flush(true);
      }
      for (int i = 0; i < ROWS; i += 2) {
        Counts counted = counted(region, new Scan(get(row(i), "a")));
        assertEquals(new Counts(0, 1), counted, "row " + i + ", of which two files are not read");
      }
    }
  }

  /** A filter answers for all that is in its file, be it too new for the one who asks. */
  @ParameterizedTest
  @EnumSource(names = {"ROW", "ROWCOL"})
  void cellsTooNewToBeSeenAreInTheFile(BloomType type) throws Exception {
    ColumnFamilyDescriptor family = family("ribbon", type, DataBlockEncoding.NONE);
    try (TestRegion region = new TestRegion(directory, "new", family)) {
      for (int i : List.of(0, 5, 9)) {
        region.region().put(new Put(row(i)).addColumn(FAMILY, column("b"), 1, row(i)));
      }
      region.region().flush(true);
      try (RegionScanner early = region.region().getScanner(new Scan(get(row(5), "b")))) {
        for (int i : List.of(0, 5, 9)) {
          region.region().put(new Put(row(i)).addColumn(FAMILY, column("b"), 2, row(i)));
        }
        region
            .region()
            .flush(true); // the scanner takes in the new file, and must not see its cells
        Counts before = Counts.of(region.counters());
        List<Cell> cells = new ArrayList<>();
        early.next(cells);
        assertEquals(1, cells.get(0).getTimestamp());
        // One of the old file, in which HBase seeks only now, and one of the new.
        assertEquals(new Counts(0, 2), Counts.of(region.counters()).minus(before));
      }
    }
  }

  @Test
  void whatHasNoFilterOrIsNoGetIsNotCounted() throws Exception {
    for (BloomType type : List.of(BloomType.NONE, BloomType.ROW)) {
      ColumnFamilyDescriptor family = family("ribbon", type, DataBlockEncoding.NONE);
      try (TestRegion region =
          new TestRegion(directory.resolve(type.name()), "none-" + type, family)) {
        fill(region, new Random(13));
        List<Scan> scans = new ArrayList<>();
        scans.add(new Scan().withStartRow(row(10)).withStopRow(row(11)));
        if (type == BloomType.NONE) {
          scans.addAll(thorough(row(10)));
          scans.addAll(thorough(row(11)));
        }
        for (Scan scan : scans) {
          assertEquals(new Counts(0, 0), counted(region, scan), scan.toString());
        }
      }
    }
  }

  private static Counts expected(
      TestRegion region,
      List<HStoreFile> files,
      List<Map<String, Set<String>>> contents,
      BloomType type,
      Scan scan) {
    Counts expected = new Counts(0, 0);
    NavigableSet<byte[]> columns = scan.getFamilyMap().get(FAMILY);
    boolean isOneColumn = columns != null && columns.size() == 1;
    if (type == BloomType.ROWCOL && !isOneColumn) {
      return expected;
    }
    for (int f = 0; f < files.size(); f++) {
      if (StoreFileDoor.passes(files.get(f).getReader(), scan, region.store())) {
        String row = Bytes.toString(scan.getStartRow());
        Set<String> there = contents.get(f).getOrDefault(row, Set.of());
        expected =
            expected.plus(
                type == BloomType.ROW
                    ? !there.isEmpty()
                    : there.contains("") || there.contains(Bytes.toString(columns.first())));
      }
    }
    return expected;
  }

  /**
   * A load that is skipped says nothing about the filter: neither a false positive nor a right
   * answer. The block cache loses the file's chunk before each Get, and rows that are there show
   * first that to load it again does not pay.
   */
  @ParameterizedTest
  @EnumSource(names = {"ROW", "ROWCOL"})
  void skippedLoadsAreNoAnswers(BloomType type) throws Exception {
    BlockCache cache = new LruBlockCache(64 << 20, 64 << 10, false, new Configuration());
    ColumnFamilyDescriptor family = family("ribbon", type, DataBlockEncoding.NONE);
    try (TestRegion region = new TestRegion(directory, "skipped", family, Map.of(), cache)) {
      for (int i = 0; i < ROWS; i += 2) {
        region.region().put(new Put(row(i)).addColumn(FAMILY, column("a"), row(i)));
      }
      region.region().flush(true);
      String file = region.files().iterator().next().getPath().getName();
      long skippedBefore = ServerMetric.LOADS_SKIPPED.value();
      Counts before = Counts.of(region.counters());
      int gets = 2000;
      for (int i = 0; i < gets; i++) {
        cache.evictBlocksByHfileName(file);
        assertEquals(1, region.region().get(get(row(0), "a")).size());
      }
      long skipped = ServerMetric.LOADS_SKIPPED.value() - skippedBefore;
      assertTrue(skipped > gets / 2, skipped + " skipped");
      Counts ofPresent = Counts.of(region.counters()).minus(before);
      assertEquals(new Counts(0, gets - skipped), ofPresent);

      BloomFilterMetrics queries = region.store().getStoreEngine().getBloomFilterMetrics();
      long negatives = queries.getNegativeResultsCount();
      skippedBefore = ServerMetric.LOADS_SKIPPED.value();
      before = Counts.of(region.counters());
      gets = 1000;
      for (int i = 0; i < gets; i++) {
        cache.evictBlocksByHfileName(file);
        assertTrue(region.region().get(get(row(2 * (i % 90) + 1), "a")).isEmpty());
      }
      skipped = ServerMetric.LOADS_SKIPPED.value() - skippedBefore;
      assertTrue(skipped > gets / 2, skipped + " skipped");
      Counts ofAbsent = Counts.of(region.counters()).minus(before);
      assertEquals(0, ofAbsent.truePositives());
      negatives = queries.getNegativeResultsCount() - negatives;
      if (type == BloomType.ROW) {
        assertEquals(gets, negatives + skipped + ofAbsent.falsePositives());
      } else { // a Get queries more than once, for the column and for the whole row
        assertTrue(ofAbsent.falsePositives() <= gets / 10, ofAbsent.toString());
      }
    }
  }
}
