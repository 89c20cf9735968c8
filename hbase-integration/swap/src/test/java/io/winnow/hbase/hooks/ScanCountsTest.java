package io.winnow.hbase.hooks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.metrics.ScanCounters;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.metrics.TestRegion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Scans are counted as they are: each file of a region is read whole, and tells which files a scan
 * reads unnecessarily.
 */
class ScanCountsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ENTITIES = 300;
  private static final int FILES = 5;

  @TempDir Path directory;

  private static String entity(int i) {
    return String.format(Locale.ROOT, "e%04d", i);
  }

  private static void fill(TestRegion region, Random random) throws IOException {
    for (int file = 0; file < FILES; file++) {
      for (int i = 0; i < ENTITIES; i += 2) {
        if (random.nextInt(3) == 0) {
          for (int row = 0; row < 3; row++) {
            byte[] key = Bytes.toBytes(entity(i) + "-" + random.nextInt(100));
            region.region().put(new Put(key).addColumn(FAMILY, FAMILY, key));
          }
        }
      }
      region.region().flush(true);
    }
  }

  private static List<Scan> scans(int i) {
    byte[] prefix = Bytes.toBytes(entity(i));
    byte[] next = new Scan().setStartStopRowForPrefixScan(prefix).getStopRow();
    byte[] middle = Bytes.toBytes(entity(i) + "-5");
    List<Scan> scans = new ArrayList<>();
    scans.add(new Scan().withStartRow(prefix).withStopRow(next));
    scans.add(new Scan().withStartRow(middle, false).withStopRow(next));
    scans.add(new Scan().setReversed(true).withStartRow(next, false).withStopRow(prefix));
    scans.add(new Scan().setReversed(true).withStartRow(middle).withStopRow(prefix, true));
    scans.add(new Scan().withStartRow(prefix));
    scans.add(new Scan().setReversed(true).withStartRow(next, true).withStopRow(prefix));
    return scans;
  }

  @ParameterizedTest
  @CsvSource({
    "bumped-ribbon, 5, NONE",
    "ribbon, 5, FAST_DIFF",
    "quotient, 5, ROW_INDEX_V1",
    "bumped-ribbon, none, PREFIX",
    "bloom, none, NONE"
  })
  void countsAreTheTrueOnes(String filter, String prefix, DataBlockEncoding encoding)
      throws Exception {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setDataBlockEncoding(encoding)
            .setBlocksize(256) // so that scans begin where a block does
            .setConfiguration("winnow.filter", filter)
            .setConfiguration("winnow.scan.prefix", prefix)
            .setConfiguration("winnow.error.rate.scope", "file")
            .setConfiguration("io.storefile.bloom.error.rate", "0.1")
            .build();
    String table = "scans-" + filter + prefix;
    try (TestRegion region = new TestRegion(directory, table, family, Map.of(), TestRegion.CACHE)) {
      fill(region, new Random(29));
      List<HStoreFile> files = List.copyOf(region.files());
      List<List<byte[]>> contents =
          TestRegion.contents(files).stream()
              .map(rows -> rows.keySet().stream().map(Bytes::toBytes).toList())
              .toList();
      ScanCounters counters = region.counters().scans;
      long falsePositives = 0;
      long truePositives = 0;
      long negatives = 0;
      long read = 0;
      long inVain = 0;
      long ofPrefix = 0;
      long all = 0;
      for (int i = 0; i < ENTITIES; i++) {
        for (Scan scan : scans(i)) {
          int implied = ScanPrefix.impliedLength(scan);
          boolean meetsAFile = false;
          for (int f = 0; f < FILES; f++) {
            var reader = files.get(f).getReader();
            if (!reader.passesKeyRangeFilter(scan)) {
              continue;
            }
            meetsAFile = true;
            boolean passes = StoreFileDoor.passes(reader, scan);
            boolean hasRow =
                contents.get(f).stream().anyMatch(row -> TestRows.isBetween(row, scan));
            boolean isOfFew = ScanPrefix.largerBound(scan).length > 0; // of one prefix, or of two
            boolean isAsked = isOfFew && prefix.equals("5");
            falsePositives += isAsked && passes && !hasRow ? 1 : 0;
            truePositives += isAsked && passes && hasRow ? 1 : 0;
            negatives += isAsked && !passes ? 1 : 0;
            read += implied >= 5 && passes ? 1 : 0;
            inVain += implied >= 5 && passes && !hasRow ? 1 : 0;
          }
          ofPrefix += meetsAFile && implied >= 5 ? 1 : 0;
          all += meetsAFile ? 1 : 0;
          try (RegionScanner scanner = region.region().getScanner(scan)) {
            scanner.next(new ArrayList<>());
          }
          String words = scan.toString();
          assertEquals(falsePositives, counters.falsePositives.sum(), words);
          assertEquals(truePositives, counters.truePositives.sum(), words);
          assertEquals(negatives, counters.negatives.sum(), words);
          assertEquals(read, sum(counters, 5, counters::files), words);
          assertEquals(inVain, sum(counters, 5, counters::filesInVain), words);
        }
      }
      // The last entities are after all rows of the files, which are not even asked.
      assertEquals(ofPrefix, sum(counters, 5, counters::scans));
      assertEquals(all, sum(counters, 0, counters::scans));
      assertTrue(ofPrefix > 0.95 * 4 * ENTITIES && all > 0.95 * 6 * ENTITIES);
      assertTrue(inVain > 20, inVain + " files were read unnecessarily");
      assertEquals(prefix.equals("5"), negatives > 1000);
      assertEquals(0, region.falsePositives(), "those of Gets are counted apart");
    }
  }

  private interface Figure {
    long of(int length);
  }

  private static long sum(ScanCounters counters, int from, Figure figure) {
    long sum = 0;
    for (int length = from; length <= ScanCounters.LONGEST; length++) {
      sum += figure.of(length);
    }
    return sum;
  }

  /** A scan whose chunk was not loaded again got no answer of the filter, only the file. */
  @Test
  void skippedLoadsAreNoAnswersToScans() throws Exception {
    LruBlockCache cache = new LruBlockCache(64 << 20, 64 << 10, false, new Configuration());
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setConfiguration("winnow.filter", "ribbon")
            .setConfiguration("winnow.scan.prefix", "5")
            .build();
    try (TestRegion region = new TestRegion(directory, "skips", family, Map.of(), cache)) {
      for (int i = 0; i < ENTITIES; i += 2) {
        for (int row = 0; row < 3; row++) {
          byte[] key = Bytes.toBytes(entity(i) + "-" + row);
          region.region().put(new Put(key).addColumn(FAMILY, FAMILY, key));
        }
      }
      region.region().flush(true);
      String file = region.files().iterator().next().getPath().getName();
      ScanCounters counters = region.counters().scans;
      long skippedBefore = ServerMetric.LOADS_SKIPPED.value();
      int scans = 3000;
      for (int i = 0; i < scans; i++) {
        cache.evictBlocksByHfileName(file);
        boolean isThere = i < 2000; // these show that to load the chunk again does not pay
        byte[] prefix = Bytes.toBytes(entity(isThere ? 0 : 2 * (i % 100) + 1));
        Scan scan = new Scan().setStartStopRowForPrefixScan(prefix);
        List<Cell> cells = new ArrayList<>();
        try (RegionScanner scanner = region.region().getScanner(scan)) {
          scanner.next(cells);
        }
        assertEquals(isThere ? 1 : 0, cells.size());
      }
      long skipped = ServerMetric.LOADS_SKIPPED.value() - skippedBefore;
      assertTrue(skipped > scans / 2, skipped + " skipped");
      assertEquals(scans, counters.requests.sum());
      assertEquals(
          scans,
          skipped
              + counters.negatives.sum()
              + counters.truePositives.sum()
              + counters.falsePositives.sum());
    }
  }
}
