package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.metrics.TestRegion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.mob.MobConstants;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionContext;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rates by store in regions of HBase's own classes: whatever a store has, each file's is right. */
class StoreRatesRegionTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final double E = 0.01;

  @TempDir Path directory;

  /** Without guards, so that a rate is the rule's. */
  private static Map<String, String> rule() {
    return new HashMap<>(
        Map.of("winnow.filter", "bumped-ribbon", "winnow.store.error.rate", String.valueOf(E)));
  }

  private TestRegion region(BloomType type, Map<String, String> conf) throws IOException {
    return region(type, conf, Map.of());
  }

  private TestRegion region(BloomType type, Map<String, String> conf, Map<String, String> site)
      throws IOException {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBloomFilterType(type);
    conf.forEach(family::setConfiguration);
    ColumnFamilyDescriptor built = family.build();
    return new TestRegion(directory, "t", built, site);
  }

  /** Spread over the key space, so that all files have the whole of it. */
  private static byte[] row(int i) {
    return Bytes.toBytes(Integer.reverse(i) + "-" + i);
  }

  private static void put(TestRegion region, int from, int to, String... columns)
      throws IOException {
    for (int i = from; i < to; i++) {
      Put put = new Put(row(i));
      for (String column : columns.length == 0 ? new String[] {"q"} : columns) {
        put.addColumn(FAMILY, Bytes.toBytes(column), Bytes.toBytes("v"));
      }
      region.region().put(put);
    }
    region.region().flush(true);
  }

  /** The largest file comes first. */
  private static List<HStoreFile> files(TestRegion region) {
    return region.files().stream()
        .sorted(Comparator.comparingLong((HStoreFile f) -> f.getReader().getEntries()).reversed())
        .toList();
  }

  private static BloomFilter filter(HStoreFile file) {
    return StoreFileDoor.generalFilter(file.getReader());
  }

  private static String fact(BloomFilter filter, String name) {
    String facts = filter.toString();
    int from = facts.indexOf(name + ": ") + name.length() + 2;
    return facts.substring(from).split("[^0-9a-z.\\-]")[0];
  }

  private static double rate(HStoreFile file) {
    return Double.parseDouble(fact(filter(file), "Configured false-positive rate"));
  }

  private static String kind(HStoreFile file) {
    String facts = filter(file).toString();
    int from = facts.indexOf("Kind: Winnow ") + "Kind: Winnow ".length();
    return facts.substring(from, facts.indexOf(' ', from));
  }

  private static void assertHas(TestRegion region, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      assertFalse(region.region().get(new Get(row(i))).isEmpty(), "row " + i);
    }
  }

  @Test
  void fileHasItsShareOfWhatAGetPays() throws IOException {
    try (TestRegion region = region(BloomType.ROW, rule())) {
      put(region, 0, 8000);
      assertEquals(E, rate(files(region).get(0)), 1e-6, "alone");
      put(region, 8000, 10_000);
      assertEquals(E * 0.2, rate(files(region).get(1)), 1e-6);
      put(region, 10_000, 10_001);
      assertEquals(E / 10_001, rate(files(region).get(2)), 1.1e-7, "one row");
      assertHas(region, 0, 10_001);
      region.region().compact(true);
      assertEquals(E, rate(files(region).get(0)), 1e-6, "all in one");
      assertEquals("bumped-ribbon", kind(files(region).get(0)));
      assertHas(region, 0, 10_001);
    }
  }

  @Test
  void filesThatAreCompactedAwayDoNotCount() throws IOException {
    Map<String, String> conf = rule();
    conf.put("winnow.filter.compaction", "ribbon");
    Map<String, String> site =
        Map.of("hbase.hstore.compaction.min.size", "1", "hbase.hstore.compaction.ratio", "1.2");
    try (TestRegion region = region(BloomType.ROW, conf, site)) {
      put(region, 0, 8000);
      put(region, 8000, 8500);
      put(region, 8500, 9000);
      put(region, 9000, 10_000);
      Optional<CompactionContext> compaction = region.store().requestCompaction();
      assertEquals(3, compaction.orElseThrow().getRequest().getFiles().size());
      region.store().compact(compaction.get(), noLimit(), null);
      assertEquals(2, region.files().size());
      assertEquals(E * 0.2, rate(files(region).get(1)), 1e-6);
      assertEquals("ribbon", kind(files(region).get(1)));
      assertHas(region, 0, 10_000);
    }
  }

  private static org.apache.hadoop.hbase.regionserver.throttle.ThroughputController noLimit() {
    return org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController.INSTANCE;
  }

  @Test
  void filesOfOneSizeShareAlike() throws IOException {
    try (TestRegion region = region(BloomType.ROW, rule())) {
      for (int file = 0; file < 4; file++) {
        put(region, 1000 * file, 1000 * (file + 1));
      }
      double[] rates = region.files().stream().mapToDouble(f -> rate(f)).sorted().toArray();
      assertEquals(E / 4, rates[0], 1e-6);
      assertEquals(E / 3, rates[1], 1e-6);
      assertEquals(E / 2, rates[2], 1e-6);
      assertEquals(E, rates[3], 1e-6);
    }
  }

  @Test
  void rowsThatAreWrittenAgainCountInEachFile() throws IOException {
    try (TestRegion region = region(BloomType.ROW, rule())) {
      put(region, 0, 3000);
      put(region, 0, 1000);
      assertEquals(E / 4, rate(files(region).get(1)), 1e-6);
      region.region().compact(true);
      assertEquals(E, rate(files(region).get(0)), 1e-6);
      assertHas(region, 0, 3000);
    }
  }

  @Test
  void rowsOfSeveralCellsCountOnce() throws IOException {
    Map<String, String> conf = rule();
    conf.put("io.storefile.bloom.block.size", "512"); // so that a file has several chunks
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 3000, "a", "b", "c", "d");
      put(region, 3000, 6000, "a", "b", "c", "d");
      assertEquals(E / 2, rate(files(region).get(1)), 2e-5);
      assertHas(region, 0, 6000);
    }
  }

  @Test
  void rowsInOrderOfTimeMeetNoOtherFile() throws IOException {
    try (TestRegion region = region(BloomType.ROW, rule())) {
      for (int file = 0; file < 3; file++) {
        for (int i = 0; i < 1000; i++) {
          byte[] row = Bytes.toBytes("%04d-%04d".formatted(file, i));
          region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
        }
        region.region().flush(true);
      }
      for (HStoreFile file : region.files()) {
        assertEquals(E, rate(file), 1e-6);
      }
    }
  }

  @Test
  void oneOfTwoProbesGetsItsPart() throws IOException {
    try (TestRegion region = region(BloomType.ROWCOL, rule())) {
      put(region, 0, 1500, "a", "b");
      put(region, 1500, 2000, "a", "b");
      assertEquals(1 - Math.sqrt(1 - E / 4), rate(files(region).get(1)), 1e-6);
      for (int i = 0; i < 2000; i++) {
        Get get = new Get(row(i)).addColumn(FAMILY, Bytes.toBytes("b"));
        assertFalse(region.region().get(get).isEmpty());
      }
    }
  }

  @Test
  void prefixesAreKeysToo() throws IOException {
    Map<String, String> conf = rule();
    conf.put("RowPrefixBloomFilter.prefix_length", "4");
    try (TestRegion region = region(BloomType.ROWPREFIX_FIXED_LENGTH, conf)) {
      for (int file = 0; file < 2; file++) {
        for (int i = 0; i < 2000; i++) {
          byte[] row = Bytes.toBytes("%04d-%d-%d".formatted(i / 4, i, file));
          region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
        }
        region.region().flush(true);
      }
      double[] rates = region.files().stream().mapToDouble(f -> rate(f)).sorted().toArray();
      assertEquals(E / 2, rates[0], 1e-6, "both files have all of the 500 prefixes");
    }
  }

  @Test
  void markersOfDeletesHaveTheirOwnRate() throws IOException {
    try (TestRegion region = region(BloomType.ROW, rule())) {
      put(region, 0, 1000);
      for (int i = 0; i < 100; i++) {
        region.region().delete(new Delete(row(i)));
      }
      region.region().flush(true);
      HStoreFile markers = files(region).get(1);
      assertEquals(E * 100 / 1100, rate(markers), 1e-6);
      assertEquals(100, markers.getReader().getDeleteFamilyCnt());
      for (int i = 0; i < 1000; i++) {
        assertEquals(i < 100, region.region().get(new Get(row(i))).isEmpty(), "row " + i);
      }
    }
  }

  @Test
  void whereEveryGetFindsItsRowOneFileNeedsNoFilter() throws IOException {
    Map<String, String> conf = rule();
    conf.put("winnow.store.present.share", "1");
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 8000);
      assertNull(filter(files(region).get(0)));
      put(region, 8000, 9000);
      assertEquals(E / 8, rate(files(region).get(1)), 1e-6, "a ninth of the keys");
      assertHas(region, 0, 9000);
      region.region().compact(true);
      assertNull(filter(files(region).get(0)));
      assertHas(region, 0, 9000);
    }
  }

  @Test
  void scopeOfAFileIsAsBefore() throws IOException {
    Map<String, String> conf = rule();
    conf.put("winnow.error.rate.scope", "file");
    conf.put("io.storefile.bloom.error.rate", "0.02");
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 2000);
      put(region, 2000, 2100);
      for (HStoreFile file : region.files()) {
        assertEquals(0.02, rate(file), 1e-6);
      }
    }
  }

  @Test
  void smallFileLetsNoMoreThroughThanStock() throws IOException {
    try (TestRegion region = region(BloomType.ROW, Map.of("winnow.filter", "bumped-ribbon"))) {
      put(region, 0, 5000);
      assertEquals(0.0021, rate(files(region).get(0)), 0.0002, "1 % was asked");
      put(region, 5000, 5001);
      assertTrue(rate(files(region).get(1)) < E / 5000 + 1e-6);
      assertHas(region, 0, 5001);
    }
  }

  /** Two stripes: a Get asks the files of one, and those of level 0. */
  @Test
  void stripesAreStoresOfTheirOwn() throws IOException {
    Map<String, String> conf = rule();
    conf.put("hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver.StripeStoreEngine");
    conf.put("hbase.store.stripe.initialStripeCount", "2");
    conf.put("hbase.store.stripe.compaction.minFiles", "2");
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 2000);
      put(region, 2000, 4000);
      double[] rates = region.files().stream().mapToDouble(f -> rate(f)).sorted().toArray();
      assertEquals(4, rates.length, "two flushes into two stripes");
      assertEquals(E / 2, rates[0], 0.05 * E);
      assertEquals(E / 2, rates[1], 0.05 * E);
      assertEquals(E, rates[2], 1e-6);
      assertEquals(E, rates[3], 1e-6);
      assertHas(region, 0, 4000);
      region.region().compact(false);
      region.region().compact(false);
      assertEquals(2, region.files().size(), "each stripe by itself");
      for (HStoreFile file : region.files()) {
        assertEquals(E, rate(file), 1e-6);
      }
      assertHas(region, 0, 4000);
    }
  }

  @Test
  void windowsOfTimeAreFilesOfOneStore() throws IOException {
    windowsOfTime(rule(), E);
  }

  @Test
  void windowsOfTimeHaveTheirFiltersByDefault() throws IOException {
    Map<String, String> conf = new HashMap<>(Map.of("winnow.filter", "bumped-ribbon"));
    windowsOfTime(conf, 0);
  }

  /**
   * @param inAll 0: no rate is set, and stock's rates are a bound
   */
  private void windowsOfTime(Map<String, String> conf, double inAll) throws IOException {
    conf.put(
        "hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine");
    conf.put("hbase.hstore.compaction.date.tiered.base.window.millis", "1000");
    conf.put("hbase.hstore.compaction.date.tiered.windows.per.tier", "2");
    try (TestRegion region = region(BloomType.ROW, conf)) {
      long now = System.currentTimeMillis();
      putAt(region, 0, 3000, now - 1_000_000);
      putAt(region, 3000, 4000, now - 10_000);
      region.region().compact(true);
      assertEquals(2, region.files().size(), "a file for each window");
      for (int file = 0; file < 2; file++) {
        double share = file == 0 ? 0.75 : 0.25;
        double rate = rate(files(region).get(file));
        assertTrue(inAll == 0 ? rate < E * share : Math.abs(rate - E * share) < 1e-6, "" + rate);
        assertEquals("bumped-ribbon", kind(files(region).get(file)));
      }
      assertHas(region, 0, 4000);
    }
  }

  private static void putAt(TestRegion region, int from, int to, long time) throws IOException {
    for (int i = from; i < to; i++) {
      region.region().put(new Put(row(i)).addColumn(FAMILY, FAMILY, time, FAMILY));
    }
    region.region().flush(true);
  }

  @Test
  void largeValuesOfAMobFamilyChangeNothing() throws IOException {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setMobEnabled(true)
            .setMobThreshold(0)
            .setConfiguration("winnow.filter", "bumped-ribbon")
            .setConfiguration("winnow.store.error.rate", String.valueOf(E))
            .build();
    try (TestRegion region = new TestRegion(directory, "t", family)) {
      put(region, 0, 3000);
      put(region, 3000, 4000);
      assertEquals(E / 4, rate(files(region).get(1)), 1e-6);
      for (int i = 0; i < 4000; i++) {
        Get get = new Get(row(i));
        get.setAttribute(MobConstants.MOB_SCAN_RAW, Bytes.toBytes(true)); // no server, no values
        assertFalse(region.region().get(get).isEmpty(), "row " + i);
      }
    }
  }

  /**
   * A job that loads files has no store: they have the family's rate, and count as what they are.
   */
  @Test
  void filesOfABulkLoadCount() throws IOException {
    Map<String, String> conf = rule();
    try (TestRegion region = region(BloomType.ROW, conf)) {
      Path loaded = directory.resolve("load");
      Configuration ofJob = StoreFiles.conf(conf);
      byte[][] rows = new byte[3000][];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = row(i);
      }
      java.util.Arrays.sort(rows, Bytes.BYTES_COMPARATOR);
      org.apache.hadoop.fs.Path file =
          StoreFiles.write(
              loaded,
              ofJob,
              BloomType.ROW,
              writer -> {
                for (byte[] row : rows) {
                  writer.append(StoreFiles.put(row, "q"));
                }
                writer.appendMetadata(1, false);
              });
      region
          .region()
          .bulkLoadHFiles(
              List.of(new org.apache.hadoop.hbase.util.Pair<>(FAMILY, file.toString())),
              true,
              null);
      assertEquals(E, rate(files(region).get(0)), 1e-6);
      put(region, 3000, 4000);
      assertEquals(E / 4, rate(files(region).get(1)), 1e-6);
      assertHas(region, 0, 4000);
    }
  }
}
