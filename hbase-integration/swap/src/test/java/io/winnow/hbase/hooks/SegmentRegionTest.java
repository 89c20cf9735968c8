package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.format.KeySegment;
import io.winnow.hbase.metrics.ScanCounters;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.metrics.TestRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
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

/** Files of a region that scans of an hour, and Gets, skip: each flush has the rows of one hour. */
class SegmentRegionTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int HOURS = 6;
  private static final int ENTITIES = 20;

  @TempDir Path directory;

  /** Other tests query readers without a selection of scanners before. */
  @AfterEach
  void endWithKnownScanners() {
    ScanHooks.selects(List.of());
  }

  private static byte[] row(int entity, int hour, int minute) {
    return ByteBuffer.allocate(12).putInt(entity).putLong(hour * 60L + minute).array();
  }

  private static ColumnFamilyDescriptorBuilder family(String segment) {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
        .setBloomFilterType(BloomType.ROW)
        .setConfiguration("winnow.scan.segment", segment);
  }

  private TestRegion region(String name, ColumnFamilyDescriptor family) throws IOException {
    TestRegion region =
        new TestRegion(
            directory.resolve(name),
            name.toLowerCase(Locale.ROOT),
            family,
            Map.of(),
            TestRegion.CACHE);
    for (int hour = 0; hour < HOURS; hour++) {
      for (int entity = 0; entity < ENTITIES; entity++) {
        byte[] row = row(entity, hour, entity % 60);
        region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
      }
      region.region().flush(true);
    }
    return region;
  }

  private static List<Scan> scansOf(int entity, int hour) {
    byte[] from = row(entity, hour, 0);
    byte[] to = row(entity, hour + 1, 0);
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
    byte[] entry;
    try (TestRegion region = region("damaged", family("4").build())) {
      entry = segmentOf(region.files().iterator().next()).toBytes();
    }
    long failures = ServerMetric.OPEN_FAILURES.value();
    assertFalse(passes(entry));
    byte[] damaged = entry.clone();
    damaged[entry.length / 2]++;
    assertEquals(failures, ServerMetric.OPEN_FAILURES.value());
    assertTrue(passes(damaged));
    assertEquals(failures + 1, ServerMetric.OPEN_FAILURES.value());
    byte[] later = entry.clone();
    later[3]++;
    assertTrue(passes(later), "an entry of another version");
    assertTrue(passes(new byte[0]));
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
