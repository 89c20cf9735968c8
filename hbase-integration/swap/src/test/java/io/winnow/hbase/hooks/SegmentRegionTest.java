package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.format.SegmentRule;
import io.winnow.hbase.metrics.ScanCounters;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.write.SegmentCollector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of a region that scans of an hour, and Gets, skip: each flush has the rows of one hour. */
class SegmentRegionTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int HOURS = 6;
  private static final int ENTITIES = 20;

  /** Time of the cells of the first hour: an hour is over when its rows are written. */
  private static final long START = System.currentTimeMillis() - HOURS * 3_600_000L;

  @TempDir Path directory;

  /** Other tests query readers without a selection of scanners before. */
  @AfterEach
  void endWithKnownScanners() {
    ScanHooks.selects(List.of(), new Scan());
  }

  /** A row of an entity: these have even numbers, and lie between those of others. */
  private static byte[] row(int entity, int hour, int minute) {
    return rowOf(2 * entity, hour, minute);
  }

  private static byte[] rowOf(int number, int hour, int minute) {
    return ByteBuffer.allocate(12).putInt(number).putLong(hour * 60L + minute).array();
  }

  private static ColumnFamilyDescriptorBuilder family(String segment) {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
        .setBloomFilterType(BloomType.ROW)
        .setConfiguration("winnow.scan.segment", segment);
  }

  private static long time(int hour) {
    return START + hour * 3_600_000L;
  }

  private TestRegion region(String name, ColumnFamilyDescriptor family) throws IOException {
    return region(name, family, 1);
  }

  /**
   * @param rows of an entity in an hour, whose minutes no other entity has
   */
  private TestRegion region(String name, ColumnFamilyDescriptor family, int rows)
      throws IOException {
    TestRegion region =
        new TestRegion(
            directory.resolve(name),
            name.toLowerCase(Locale.ROOT),
            family,
            Map.of(),
            TestRegion.CACHE);
    for (int hour = 0; hour < HOURS; hour++) {
      for (int entity = 0; entity < ENTITIES; entity++) {
        for (int i = 0; i < rows; i++) {
          byte[] row = row(entity, hour, i * ENTITIES + entity);
          region.region().put(new Put(row).addColumn(FAMILY, FAMILY, time(hour), row));
        }
      }
      region.region().flush(true);
    }
    return region;
  }

  private static List<Scan> scansOf(int entity, int hour) {
    return scansOfNumber(2 * entity, hour);
  }

  private static List<Scan> scansOfNumber(int number, int hour) {
    byte[] from = rowOf(number, hour, 0);
    byte[] to = rowOf(number, hour + 1, 0);
    return List.of(
        new Scan().withStartRow(from).withStopRow(to),
        new Scan().setReversed(true).withStartRow(to, false).withStopRow(from, true));
  }

  private static int filesOf(TestRegion region, Scan scan) {
    int files = 0;
    for (HStoreFile file : region.files()) {
      files += StoreFileDoor.passes(file.getReader(), scan, region.store()) ? 1 : 0;
    }
    return files;
  }

  private static int rows(TestRegion region, Scan scan) throws IOException {
    int rows = 0;
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more; cells.clear()) {
        more = scanner.next(cells);
        rows += cells.isEmpty() ? 0 : 1;
      }
    }
    return rows;
  }

  private static KeySegment segmentOf(HStoreFile file) {
    byte[] entry = file.getReader().getHFileReader().getHFileInfo().get(KeySegment.key());
    return entry == null ? null : KeySegment.read(entry);
  }

  @ParameterizedTest
  @CsvSource({
    "ROW, bloom",
    "ROW, bumped-ribbon",
    "ROWCOL, bloom",
    "ROWCOL, ribbon",
    "ROWPREFIX_FIXED_LENGTH, bloom",
    "ROWPREFIX_FIXED_LENGTH, quotient",
    "NONE, bloom",
    "NONE, bumped-ribbon"
  })
  void eachHourIsInOneFileWithEachFilter(BloomType type, String filter) throws IOException {
    ColumnFamilyDescriptorBuilder family =
        family("4")
            .setBloomFilterType(type)
            .setConfiguration("RowPrefixBloomFilter.prefix_length", "4")
            .setConfiguration("winnow.filter", filter);
    try (TestRegion region = region("hours-" + type + filter, family.build())) {
      assertEquals(HOURS, region.files().size());
      ScanCounters counters = region.counters().scans;
      long skips = 0;
      long read = 0;
      for (int hour = 0; hour < HOURS; hour++) {
        for (Scan scan : scansOf(7, hour)) {
          assertEquals(1, filesOf(region, scan), scan.toString());
          assertEquals(1, rows(region, scan), scan.toString());
          skips += HOURS - 1;
          read++;
          assertEquals(skips, counters.segmentSkips.sum());
          assertEquals(read, counters.segmentTruePositives.sum());
          assertEquals(read, counters.segmentScans.sum(), "each scan is one");
        }
        Scan get = new Scan(new Get(row(7, hour, 7)));
        assertEquals(1, filesOf(region, get));
        assertEquals(1, rows(region, get));
        skips += HOURS - 1;
        assertEquals(skips, counters.segmentSkips.sum());
      }
      assertEquals(0, counters.segmentFalsePositives.sum());
      // A minute without a row, in the hour of one file.
      assertEquals(0, rows(region, scansOf(8, 2).get(0).withStopRow(row(8, 2, 5))));
      assertEquals(1, counters.segmentFalsePositives.sum());
      long scans = counters.segmentScans.sum();
      assertEquals(HOURS * ENTITIES, rows(region, new Scan()));
      assertEquals(scans, counters.segmentScans.sum(), "its bounds imply nothing");
      assertEquals(HOURS, filesOf(region, new Scan()));
      assertEquals(HOURS, filesOf(region, new Scan().withStartRow(row(7, 2, 0))));
      region.region().compact(true);
      HStoreFile file = region.files().iterator().next();
      assertEquals(HOURS * ENTITIES, file.getReader().getEntries());
      assertEquals("4", segmentOf(file).rule.toString());
      for (Scan scan : scansOf(7, HOURS)) {
        assertEquals(0, filesOf(region, scan), "after the last hour");
      }
    }
  }

  /** No file has the entity, whose number lies between those of others. */
  @ParameterizedTest
  @CsvSource({
    "ROW, bumped-ribbon, 4",
    "ROW, bumped-ribbon, none",
    "ROWPREFIX_FIXED_LENGTH, bloom, none",
    "ROWPREFIX_FIXED_LENGTH, ribbon, none"
  })
  void segmentsAndFiltersCountTheirOwnAnswers(BloomType type, String filter, String prefix)
      throws IOException {
    ColumnFamilyDescriptorBuilder family =
        family("4")
            .setBloomFilterType(type)
            .setConfiguration("RowPrefixBloomFilter.prefix_length", "4")
            .setConfiguration("io.storefile.bloom.error.rate", "1e-6")
            .setConfiguration("winnow.filter", filter)
            .setConfiguration("winnow.scan.prefix", prefix);
    try (TestRegion region = region("own-" + type + filter + prefix, family.build(), 3)) {
      ScanCounters counters = region.counters().scans;
      boolean hasPrefixes = !prefix.equals("none");
      boolean isRuledOut = hasPrefixes || type == BloomType.ROWPREFIX_FIXED_LENGTH;
      for (Scan scan : scansOfNumber(15, 2)) {
        assertEquals(isRuledOut ? 0 : 1, filesOf(region, scan));
        long skips = counters.segmentSkips.sum();
        long negatives = counters.negatives.sum();
        long falsePositives = counters.segmentFalsePositives.sum();
        assertEquals(0, rows(region, scan));
        assertEquals(skips + HOURS - 1, counters.segmentSkips.sum(), scan.toString());
        assertEquals(negatives + (hasPrefixes ? 1 : 0), counters.negatives.sum());
        assertEquals(falsePositives + (isRuledOut ? 0 : 1), counters.segmentFalsePositives.sum());
      }
      // Both let the file, which has another minute of the entity.
      Scan scan = scansOf(8, 2).get(0).withStopRow(row(8, 2, 5));
      long falsePositives = counters.segmentFalsePositives.sum();
      assertEquals(0, rows(region, scan));
      assertEquals(falsePositives + 1, counters.segmentFalsePositives.sum());
      assertEquals(hasPrefixes ? 1 : 0, counters.falsePositives.sum());
      // A Get that a filter rules out, in the hour of one file.
      long skips = counters.segmentSkips.sum();
      assertEquals(0, rows(region, new Scan(new Get(rowOf(15, 2, 7)))));
      assertEquals(skips + HOURS - 1, counters.segmentSkips.sum());
      assertEquals(falsePositives + 1, counters.segmentFalsePositives.sum());
    }
  }

  /**
   * Halves are made by a split, links by a clone of a snapshot, and both by that of a split region.
   */
  @ParameterizedTest
  @CsvSource({"true, false", "false, true", "true, true"})
  void halvesAndLinksHaveTheSegmentsOfTheWholeFile(boolean isLink, boolean isHalf)
      throws IOException {
    try (TestRegion region = region("stand-in-" + isLink + isHalf, family("4").build())) {
      if (isLink) {
        region.link();
      }
      int first = isHalf ? ENTITIES / 2 : 0;
      if (isHalf) {
        region.halve(row(first, 0, 0), true);
      }
      assertEquals(HOURS, region.files().size());
      for (HStoreFile file : region.files()) {
        assertEquals(isHalf, file.isReference());
        assertEquals(isLink, file.getPath().getName().contains("="));
        assertEquals("4", segmentOf(file).rule.toString());
      }
      ScanCounters counters = region.counters().scans;
      long read = 0;
      for (int entity = first; entity < ENTITIES; entity++) {
        for (int hour = 0; hour < HOURS; hour++) {
          for (Scan scan : scansOf(entity, hour)) {
            assertEquals(1, filesOf(region, scan), scan.toString());
            assertEquals(1, rows(region, scan), scan.toString());
            assertEquals(++read, counters.segmentTruePositives.sum());
          }
          assertEquals(1, rows(region, new Scan(new Get(row(entity, hour, entity)))));
        }
      }
      assertEquals(read, counters.segmentScans.sum());
      assertEquals(0, counters.segmentFalsePositives.sum());
      // A minute of another half, or of another entity, stands in the intervals.
      assertEquals(0, rows(region, scansOf(first + 1, 2).get(0).withStopRow(row(first + 1, 2, 1))));
      assertEquals(1, counters.segmentFalsePositives.sum());
    }
  }

  /** Stripes of rows, windows of times: each file of a compaction has what it holds itself. */
  @ParameterizedTest
  @ValueSource(strings = {"StripeStoreEngine", "DateTieredStoreEngine"})
  void eachFileOfACompactionHasItsOwnSegments(String engine) throws IOException {
    String dateTiered = "hbase.hstore.compaction.date.tiered.";
    ColumnFamilyDescriptorBuilder family =
        family("4")
            .setConfiguration(
                "hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver." + engine)
            .setConfiguration("hbase.store.stripe.initialStripeCount", "3")
            .setConfiguration(dateTiered + "base.window.millis", "3600000")
            .setConfiguration(dateTiered + "windows.per.tier", "100");
    try (TestRegion region = region(engine, family.build())) {
      region.region().compact(true);
      assertTrue(region.files().size() > 2, region.files().toString());
      List<String> entries = new ArrayList<>();
      for (HStoreFile file : region.files()) {
        SegmentCollector own = new SegmentCollector(segmentOf(file).rule);
        HFileScanner scanner =
            file.getReader().getHFileReader().getScanner(new Configuration(), false, true, false);
        for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
          own.add(scanner.getCell());
        }
        assertArrayEquals(own.segments().toBytes(), segmentOf(file).toBytes());
        entries.add(Bytes.toStringBinary(own.segments().toBytes()));
      }
      assertEquals(entries.size(), entries.stream().distinct().count(), "no two are the same");
      for (int hour = 0; hour < HOURS; hour++) {
        for (Scan scan : scansOf(7, hour)) {
          assertEquals(1, filesOf(region, scan), scan.toString());
          assertEquals(1, rows(region, scan), scan.toString());
        }
      }
    }
  }

  @Test
  void markersOfDeletesCount() throws IOException {
    try (TestRegion region = region("deletes", family("4").build())) {
      byte[] row = row(7, 1, 7);
      region.region().delete(new Delete(row));
      region.region().flush(true);
      for (Scan scan : scansOf(7, 1)) {
        assertEquals(2, filesOf(region, scan));
        assertEquals(0, rows(region, scan));
      }
      assertEquals(0, rows(region, new Scan(new Get(row))));
    }
  }

  @Test
  void eachFileHasTheRuleWithWhichItWasWritten() throws IOException {
    try (TestRegion region = region("rules", family("4").build())) {
      for (String segment : List.of("none", "0,4", "4")) {
        region.alter(family(segment).build());
        byte[] row = row(7, HOURS, 7);
        region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
        region.region().flush(true);
        Scan scan = scansOf(7, HOURS).get(0);
        assertEquals(
            segment.equals("4") ? 3 : segment.equals("0,4") ? 2 : 1, filesOf(region, scan));
        assertEquals(1, rows(region, scan));
      }
    }
  }

  @Test
  void wrongSettingLeavesTheFileWithoutSegments() throws IOException {
    long abandoned = ServerMetric.SEGMENTS_ABANDONED.value();
    try (TestRegion region = region("wrong", family("time").build())) {
      region.files().forEach(file -> assertNull(segmentOf(file)));
      assertEquals(HOURS, ServerMetric.SEGMENTS_ABANDONED.value() - abandoned);
      assertEquals(HOURS, filesOf(region, scansOf(7, 1).get(0)));
      assertEquals(1, rows(region, scansOf(7, 1).get(0)));
    }
  }

  /** Writes a file with an entry of these bytes, and queries its reader. */
  private boolean passes(byte[] entry) throws IOException {
    Configuration conf = new Configuration();
    byte[] row = row(7, 1, 7);
    org.apache.hadoop.fs.Path path =
        StoreFiles.write(
            directory,
            conf,
            BloomType.NONE,
            writer -> {
              writer.append(StoreFiles.put(row, "q"));
              writer.appendFileInfo(KeySegment.key(), entry);
            });
    HStoreFile store = StoreFiles.open(conf, path, BloomType.NONE, new BloomFilterMetrics());
    try {
      return StoreFileDoor.passes(store.getReader(), scansOf(7, 3).get(0));
    } finally {
      store.closeStoreFile(true);
    }
  }

  @Test
  void damagedEntryAnswersMaybe() throws IOException {
    SegmentCollector one = new SegmentCollector(SegmentRule.parse("4"));
    byte[] row = row(7, 1, 7);
    one.add(row, 0, row.length);
    byte[] entry = one.segments().toBytes();
    long failures = ServerMetric.OPEN_FAILURES.value();
    assertFalse(passes(entry));
    for (int at = 0; at < entry.length; at++) {
      byte[] damaged = entry.clone();
      damaged[at]++;
      assertTrue(passes(damaged), "byte " + at);
      assertTrue(passes(Arrays.copyOf(entry, at)), "cut at " + at);
      // An entry of another version, or too short to have one, is not damaged.
      failures += at < Integer.BYTES ? 0 : 2;
      assertEquals(failures, ServerMetric.OPEN_FAILURES.value(), "byte " + at);
    }
    assertTrue(passes(Arrays.copyOf(entry, 3000)));
    assertEquals(failures + 1, ServerMetric.OPEN_FAILURES.value());
  }

  @Test
  void readersOfOtherClassesAnswerMaybe() throws IOException {
    try (TestRegion region = region("readers", family("4").build())) {
      StoreFileReader own = region.files().iterator().next().getReader();
      StoreFileReader other = OpenedFiles.another(own);
      StoreFileScanner known = StoreFileDoor.scanner(own); // so this thread knows its scanners
      StoreFileDoor.selected(region.store(), new Scan(), List.of(known));
      Scan get = new Scan(new Get(row(7, 99, 7)));
      for (Scan scan : List.of(scansOf(7, 99).get(0), get)) {
        assertFalse(StoreFileDoor.passes(own, scan));
      }
      assertTrue(StoreFileDoor.passes(other, scansOf(7, 99).get(0)));
      assertTrue(ScanHooks.mayHaveRows(other, null, ScanHooks.segmentOf(own), get));
    }
  }

  /** No error of ours is one of the writer of a file. */
  @Test
  void faultEndsTheCollection() {
    Configuration conf = new Configuration(false);
    conf.set("winnow.scan.segment", "4");
    Object collector = SegmentHooks.collector(conf, null, new HFileContextBuilder().build());
    assertNotNull(collector);
    long abandoned = ServerMetric.SEGMENTS_ABANDONED.value();
    SegmentHooks.append(collector, null);
    assertEquals(abandoned + 1, ServerMetric.SEGMENTS_ABANDONED.value());
    SegmentHooks.append(collector, null);
    SegmentHooks.finish(collector, null);
    assertEquals(abandoned + 1, ServerMetric.SEGMENTS_ABANDONED.value(), "it is given up");
    assertNull(SegmentHooks.collector(new Configuration(false), null, null));
  }
}
