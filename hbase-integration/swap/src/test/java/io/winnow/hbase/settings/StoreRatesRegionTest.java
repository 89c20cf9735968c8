package io.winnow.hbase.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.read.CachePressure;
import io.winnow.hbase.read.StoreFilters;
import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.mob.MobConstants;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionContext;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rates by store in regions of HBase's own classes: whatever a store has, each file's is right. */
class StoreRatesRegionTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final double E = 0.01;

  @TempDir Path directory;

  private static Map<String, String> family() {
    return new HashMap<>(Map.of("winnow.filter", "bumped-ribbon"));
  }

  /** What the rule says of the same files. */
  private static StorePlan plan(BloomType type, Map<String, String> conf) {
    return StorePlan.of(StoreFiles.conf(conf), type);
  }

  private static StorePlan plan() {
    return plan(BloomType.ROW, family());
  }

  /**
   * Small filters are a little smaller or larger than expected, and leave more or less to others.
   */
  private static void assertRate(StorePlan.PlannedFile expected, HStoreFile actual) {
    assertEquals(expected.rate, rate(actual), 0.15 * expected.rate + 1e-7);
  }

  /** The file's part of the keys of its store, as the writer saw it. */
  private static double share(HStoreFile file) {
    String facts = filter(file).toString();
    return Double.parseDouble(facts.replaceAll(".*Why this rate: [^,]*, ([0-9.e-]+) % of.*", "$1"))
        / 100;
  }

  private static void assertShare(double expected, HStoreFile file) {
    assertEquals(expected, share(file), 0.001 * expected, filter(file).toString());
  }

  private static void assertWhy(RateReason expected, HStoreFile file) {
    String facts = filter(file).toString();
    assertTrue(facts.contains("Why this rate: " + expected.inWords + ","), facts);
  }

  private TestRegion region(BloomType type, Map<String, String> conf) throws IOException {
    return region(type, conf, Map.of());
  }

  private TestRegion region(BloomType type, Map<String, String> conf, Map<String, String> site)
      throws IOException {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(type)
            .setBlocksize(1024); // a Get looks through half a block
    conf.forEach(family::setConfiguration);
    ColumnFamilyDescriptor built = family.build();
    return new TestRegion(directory, "t", built, site, TestRegion.CACHE);
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
    Map<String, String> conf = family();
    conf.put("winnow.filter.flush", "bumped-ribbon");
    StorePlan plan = plan(BloomType.ROW, conf);
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 27_000);
      assertRate(plan.flush(27_000), files(region).get(0));
      assertWhy(RateReason.SHARE, files(region).get(0));
      put(region, 27_000, 30_000);
      assertRate(plan.flush(3000), files(region).get(1));
      assertShare(0.1, files(region).get(1));
      assertWhy(RateReason.SHARE, files(region).get(1));
      double ratio = rate(files(region).get(1)) / rate(files(region).get(0));
      assertEquals(0.1, ratio, 0.01, "a tenth of the store, which is as large as before, nearly");
      assertHas(region, 0, 30_000);
    }
  }

  /**
   * By default a flush writes plain Ribbon filters. They are larger than the bumped ones that the
   * store's rate is computed for, by about the bit per key that a first file leaves to others.
   */
  @Test
  void flushesTakeTheirOwnPartWhereTheFirstLeftNothing() throws IOException {
    StorePlan plan = plan();
    try (TestRegion region = region(BloomType.ROW, family())) {
      put(region, 0, 8000);
      assertRate(plan.flush(8000), files(region).get(0));
      assertWhy(RateReason.SHARE, files(region).get(0));
      put(region, 8000, 10_000);
      assertRate(plan.flush(2000), files(region).get(1));
      assertShare(0.2, files(region).get(1));
      assertWhy(RateReason.OWN_PART, files(region).get(1));
      StockBloom stock = StockBloom.of(E, 128 * 1024, 7);
      for (HStoreFile file : region.files()) {
        double own = 0.84 * stock.bytes(file.getReader().getFilterEntries());
        assertEquals(own, file.getReader().getTotalBloomSize(), 0.02 * own, "all of it");
      }
      put(region, 10_000, 10_001);
      assertRate(plan.flush(1), files(region).get(2));
      assertHas(region, 0, 10_001);
      region.region().compact(true);
      assertRate(plan.compact(plan.files()), files(region).get(0));
      assertEquals("bumped-ribbon", kind(files(region).get(0)));
      assertHas(region, 0, 10_001);
    }
  }

  @Test
  void aFileSaysWhyItHasItsRate() throws IOException {
    Map<String, String> conf = family();
    conf.put("io.storefile.bloom.block.size", "2048");
    conf.put("winnow.store.memory", "0.8");
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 30_000);
      put(region, 30_000, 40_000);
      String large = filter(files(region).get(0)).toString();
      assertTrue(large.contains("Why this rate: rate of HBase's own filter, 100.0 % of"), large);
      String small = filter(files(region).get(1)).toString();
      assertTrue(
          small.contains("Why this rate: room that others left, 25.00 % of its store"), small);
    }
  }

  @Test
  void filesThatAreCompactedAwayDoNotCount() throws IOException {
    Map<String, String> conf = family();
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
      assertShare(0.2, files(region).get(1));
      assertEquals("ribbon", kind(files(region).get(1)));
      assertHas(region, 0, 10_000);
    }
  }

  private static org.apache.hadoop.hbase.regionserver.throttle.ThroughputController noLimit() {
    return org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController.INSTANCE;
  }

  @Test
  void filesOfOneSizeShareAlike() throws IOException {
    try (TestRegion region = region(BloomType.ROW, family())) {
      for (int file = 0; file < 4; file++) {
        put(region, 1000 * file, 1000 * (file + 1));
      }
      double[] shares = region.files().stream().mapToDouble(f -> share(f)).sorted().toArray();
      for (int file = 0; file < 4; file++) {
        assertEquals(1.0 / (4 - file), shares[file], 0.001);
      }
    }
  }

  @Test
  void rowsThatAreWrittenAgainCountInEachFile() throws IOException {
    try (TestRegion region = region(BloomType.ROW, family())) {
      put(region, 0, 3000);
      put(region, 0, 1000);
      assertShare(0.25, files(region).get(1));
      region.region().compact(true);
      assertRate(plan().load(3000), files(region).get(0));
      assertHas(region, 0, 3000);
    }
  }

  @Test
  void rowsOfSeveralCellsCountOnce() throws IOException {
    Map<String, String> conf = family();
    conf.put("io.storefile.bloom.block.size", "512"); // so that a file has several chunks
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 3000, "a", "b", "c", "d");
      put(region, 3000, 6000, "a", "b", "c", "d");
      double newer = region.files().stream().mapToDouble(f -> share(f)).min().orElseThrow();
      assertEquals(0.5, newer, 0.001);
      assertHas(region, 0, 6000);
    }
  }

  @Test
  void rowsInOrderOfTimeMeetNoOtherFile() throws IOException {
    try (TestRegion region = region(BloomType.ROW, family())) {
      for (int file = 0; file < 3; file++) {
        for (int i = 0; i < 1000; i++) {
          byte[] row = Bytes.toBytes("%04d-%04d".formatted(file, i));
          region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
        }
        region.region().flush(true);
      }
      double[] rates = region.files().stream().mapToDouble(f -> rate(f)).sorted().toArray();
      double alone = plan().flush(1000).rate;
      assertEquals(alone, rates[2], 0.02 * alone, "the first one leaves some to others");
      assertEquals(alone / 2, rates[0], 0.05 * alone, "no other is asked for its rows");
      assertEquals(alone / 2, rates[1], 0.05 * alone);
      region.region().compact(true);
      double compacted = rate(files(region).get(0));
      double ofRowsAnywhere = plan().load(3000).rate;
      assertTrue(compacted < 0.75 * ofRowsAnywhere, "they did not meet: " + compacted);
    }
  }

  @Test
  void oneOfTwoProbesGetsItsPart() throws IOException {
    try (TestRegion region = region(BloomType.ROWCOL, family())) {
      put(region, 0, 1500, "a", "b");
      put(region, 1500, 2000, "a", "b");
      assertShare(0.25, files(region).get(1));
      StorePlan plan = plan(BloomType.ROWCOL, family());
      double ofQuestion = plan.flush(files(region).get(0).getReader().getFilterEntries()).rate;
      double ofProbe = 1 - Math.sqrt(1 - ofQuestion);
      assertEquals(ofProbe, rate(files(region).get(0)), 0.02 * ofProbe);
      StockBloom stock = StockBloom.of(StoreFiles.conf(family()), BloomType.ROWCOL);
      for (HStoreFile file : region.files()) {
        double keys = file.getReader().getFilterEntries();
        assertTrue(rate(file) <= stock.rate(keys), "of a probe, as with HBase's own filter");
        assertTrue(file.getReader().getTotalBloomSize() <= 0.84 * stock.bytes(keys) + 1024);
      }
      for (int i = 0; i < 2000; i++) {
        Get get = new Get(row(i)).addColumn(FAMILY, Bytes.toBytes("b"));
        assertFalse(region.region().get(get).isEmpty());
      }
    }
  }

  @Test
  void prefixesAreKeysToo() throws IOException {
    Map<String, String> conf = family();
    conf.put("RowPrefixBloomFilter.prefix_length", "4");
    try (TestRegion region = region(BloomType.ROWPREFIX_FIXED_LENGTH, conf)) {
      for (int file = 0; file < 2; file++) {
        for (int i = 0; i < 2000; i++) {
          byte[] row = Bytes.toBytes("%04d-%d-%d".formatted(i / 4, i, file));
          region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
        }
        region.region().flush(true);
      }
      double newer = region.files().stream().mapToDouble(f -> share(f)).min().orElseThrow();
      assertEquals(0.5, newer, 0.001, "both files have all of the 500 prefixes");
    }
  }

  /** A prefix takes the bits of a row, and takes none from the rows: 20 of them have one. */
  @Test
  void prefixesBesideRowsLeaveThemTheirRates() throws IOException {
    double[][] rates = new double[2][];
    double[] bytes = new double[2];
    for (int with = 0; with < 2; with++) {
      Map<String, String> conf = family();
      conf.put("winnow.scan.prefix", with == 0 ? "none" : "4");
      ColumnFamilyDescriptorBuilder family =
          ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBloomFilterType(BloomType.ROW);
      conf.forEach(family::setConfiguration);
      try (TestRegion region = new TestRegion(directory, "t" + with, family.build())) {
        for (int file = 0; file < 3; file++) {
          for (int i = 0; i < 30_000 >> 2 * file; i++) {
            byte[] row = Bytes.toBytes("%04d-%05d-%d".formatted(i / 20, i, file));
            region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
          }
          region.region().flush(true);
        }
        rates[with] = files(region).stream().mapToDouble(file -> rate(file)).toArray();
        for (HStoreFile file : region.files()) {
          bytes[with] += file.getReader().getTotalBloomSize();
        }
      }
    }
    for (int file = 0; file < 3; file++) {
      assertEquals(rates[0][file], rates[1][file], 0.02 * rates[0][file], "file " + file);
    }
    assertEquals(1.05, bytes[1] / bytes[0], 0.01);
  }

  @Test
  void markersOfDeletesHaveTheirOwnRate() throws IOException {
    try (TestRegion region = region(BloomType.ROW, family())) {
      put(region, 0, 1000);
      for (int i = 0; i < 100; i++) {
        region.region().delete(new Delete(row(i)));
      }
      region.region().flush(true);
      HStoreFile markers = files(region).get(1);
      assertShare(100.0 / 1100, markers);
      BloomFilter ofDeletes = StoreFilters.deleteFamily(markers.getReader().getHFileReader());
      double stock = StockBloom.of(E, 128 * 1024, 7).rate(100);
      assertTrue(((WinnowFilterReader) ofDeletes).estimatedRate() <= stock, ofDeletes.toString());
      assertEquals(100, markers.getReader().getDeleteFamilyCnt());
      for (int i = 0; i < 1000; i++) {
        assertEquals(i < 100, region.region().get(new Get(row(i))).isEmpty(), "row " + i);
      }
    }
  }

  /** A cache of a tenth of the filters: chunks are evicted and missed, and the server sees that. */
  @ParameterizedTest
  @ValueSource(strings = {"auto", "store"})
  void aServerWhoseCacheIsShortGivesNewFilesOneRate(String scope) throws IOException {
    Map<String, String> conf = family();
    conf.put("winnow.error.rate.scope", scope);
    conf.put("io.storefile.bloom.block.size", "1024");
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(1024);
    conf.forEach(family::setConfiguration);
    LruBlockCache cache = new LruBlockCache(40 << 10, 1 << 10, false, new Configuration());
    try (TestRegion region = new TestRegion(directory, "t", family.build(), Map.of(), cache)) {
      put(region, 0, 40_000);
      put(region, 40_000, 50_000);
      assertEquals(2, region.files().size());
      for (int i = 0; i < 12_000; i++) {
        region.region().get(new Get(row(i * 4)));
      }
      CachePressure.OF_THIS_JVM.judgeNow();
      put(region, 50_000, 53_000);
      HStoreFile written = files(region).get(2);
      boolean isAuto = scope.equals("auto");
      assertEquals(isAuto, filter(written).toString().contains(RateReason.CACHE.inWords));
      StockBloom stock = StockBloom.of(E, 1024, 7);
      if (isAuto) {
        assertEquals(stock.rate(3000), rate(written), 0.1 * stock.rate(3000));
      }
      region.region().compact(true);
      assertEquals(isAuto, filter(files(region).get(0)).toString().contains("cache is short"));
      assertHas(region, 0, 53_000);
      for (int i = 0; i < 20_000; i++) {
        cache.getStats().hit(true, true, BlockType.BLOOM_CHUNK);
      }
      CachePressure.OF_THIS_JVM.judgeNow(); // so that it does not press on other tests
    }
  }

  @Test
  void scopeOfAFileIsAsBefore() throws IOException {
    Map<String, String> conf = family();
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
      StockBloom stock = StockBloom.of(E, 128 * 1024, 7);
      assertTrue(rate(files(region).get(0)) <= stock.rate(3000), "1 % was asked");
      put(region, 5000, 5001);
      assertTrue(rate(files(region).get(1)) < E / 5000 + 1e-6);
      assertHas(region, 0, 5001);
    }
  }

  /** Two stripes: a Get asks the files of one, and those of level 0. */
  @Test
  void stripesAreStoresOfTheirOwn() throws IOException {
    Map<String, String> conf = family();
    conf.put("hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver.StripeStoreEngine");
    conf.put("hbase.store.stripe.initialStripeCount", "2");
    conf.put("hbase.store.stripe.compaction.minFiles", "2");
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 2000);
      put(region, 2000, 4000);
      assertEquals(4, region.files().size(), "two flushes into two stripes");
      double[] shares = region.files().stream().mapToDouble(f -> share(f)).sorted().toArray();
      assertEquals(0.5, shares[0], 0.03, "a stripe has two");
      assertEquals(0.5, shares[1], 0.03);
      assertEquals(1, shares[2], 0.001, "alone in its stripe");
      assertEquals(1, shares[3], 0.001);
      assertHas(region, 0, 4000);
      region.region().compact(false);
      region.region().compact(false);
      assertEquals(2, region.files().size(), "each stripe by itself");
      for (HStoreFile file : region.files()) {
        assertRate(plan().load(file.getReader().getFilterEntries()), file);
      }
      assertHas(region, 0, 4000);
    }
  }

  @Test
  void windowsOfTimeAreFilesOfOneStore() throws IOException {
    Map<String, String> conf = family();
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
      StockBloom stock = StockBloom.of(E, 128 * 1024, 7);
      double bytes = 0;
      double stockBytes = 0;
      for (HStoreFile file : region.files()) {
        long keys = file.getReader().getFilterEntries();
        assertTrue(rate(file) <= plan().load(keys).rate, "each counts the other: " + rate(file));
        assertEquals("bumped-ribbon", kind(file));
        bytes += file.getReader().getTotalBloomSize();
        stockBytes += stock.bytes(keys);
      }
      assertTrue(bytes <= 0.84 * stockBytes, bytes + " of " + stockBytes);
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
            .setBlocksize(1024)
            .setConfiguration("winnow.filter", "bumped-ribbon")
            .build();
    try (TestRegion region = new TestRegion(directory, "t", family)) {
      put(region, 0, 3000);
      put(region, 3000, 4000);
      assertShare(0.25, files(region).get(1));
      for (int i = 0; i < 4000; i++) {
        Get get = new Get(row(i));
        get.setAttribute(MobConstants.MOB_SCAN_RAW, Bytes.toBytes(true)); // no server, no values
        assertFalse(region.region().get(get).isEmpty(), "row " + i);
      }
    }
  }

  /**
   * A job that loads files has no store: each is written as the only one, and counts as what it is.
   */
  @Test
  void filesOfABulkLoadCount() throws IOException {
    Map<String, String> conf = family();
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
      assertRate(plan().load(3000), files(region).get(0));
      put(region, 3000, 4000);
      assertShare(0.25, files(region).get(1));
      assertHas(region, 0, 4000);
    }
  }

  /** The daughter of a split has a half of its parent's file, and of its filter. */
  @Test
  void aReferenceCountsAsHalfOfItsFile() throws IOException {
    Map<String, String> conf = family();
    conf.put("winnow.filter.flush", "bumped-ribbon"); // which leaves room to others
    StorePlan plan = plan(BloomType.ROW, conf);
    plan.flush(13_500);
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 27_000);
      HStoreFile whole = files(region).get(0);
      List<byte[]> rows = new ArrayList<>();
      for (int i = 0; i < 27_000; i++) {
        rows.add(row(i));
      }
      rows.sort(Bytes.BYTES_COMPARATOR);
      byte[] middle = rows.get(13_500);
      org.apache.hadoop.fs.Path file = whole.getPath();
      org.apache.hadoop.fs.Path store = file.getParent();
      String parent = "fedcba9876543210fedcba9876543210";
      org.apache.hadoop.fs.Path of =
          new org.apache.hadoop.fs.Path(store.getParent().getParent(), parent + "/f");
      region.region().close();
      FileSystem fs = file.getFileSystem(region.configuration());
      fs.mkdirs(of);
      assertTrue(fs.rename(file, new org.apache.hadoop.fs.Path(of, file.getName())));
      Reference.createTopReference(middle)
          .write(fs, new org.apache.hadoop.fs.Path(store, file.getName() + "." + parent));
      region.open();
      assertTrue(region.files().iterator().next().isReference());
      for (int i = 27_000; i < 28_500; i++) {
        byte[] row = Bytes.add(middle, Bytes.toBytes(Integer.reverse(i)));
        region.region().put(new Put(row).addColumn(FAMILY, FAMILY, row));
      }
      region.region().flush(true);
      HStoreFile newer =
          region.files().stream().filter(one -> !one.isReference()).findFirst().orElseThrow();
      assertEquals(0.1, share(newer), 0.001, "1,500 beside 13,500");
      assertRate(plan.flush(1500), newer);
      assertWhy(RateReason.SHARE, newer);
      region.region().compact(true);
      assertEquals(1, region.files().size());
      assertRate(plan().load(15_000), files(region).get(0));
    }
  }

  /** A store of HBase's own filters, as the agent finds it: they count, and go one by one. */
  @Test
  void filesOfHBasesOwnFiltersCount() throws IOException {
    try (TestRegion region = region(BloomType.ROW, Map.of())) {
      put(region, 0, 6000);
      put(region, 6000, 8000);
      ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
      family().forEach(family::setConfiguration);
      region.alter(family.build());
      put(region, 8000, 10_000);
      HStoreFile ours = null;
      StockBloom stock = StockBloom.of(E, 128 * 1024, 7);
      for (HStoreFile file : region.files()) {
        if (filter(file) instanceof WinnowFilterReader) {
          ours = file;
        }
      }
      assertShare(0.2, ours);
      assertTrue(rate(ours) <= stock.rate(2000), "no more than HBase's own: " + rate(ours));
      double own = 0.84 * stock.bytes(2000);
      assertTrue(
          ours.getReader().getTotalBloomSize() <= own + 64, "its own part: the others leave none");
      assertHas(region, 0, 10_000);
      region.region().compact(true);
      assertRate(plan().load(10_000), files(region).get(0));
      assertHas(region, 0, 10_000);
    }
  }

  /** Twice as many keys are expected as come: the first chunks are made for what was expected. */
  @Test
  void wrongEstimatesLetNoMoreThroughAndTakeNoMore() throws IOException {
    Map<String, String> conf = family();
    conf.put("io.storefile.bloom.block.size", "2048");
    try (TestRegion region = region(BloomType.ROW, conf)) {
      put(region, 0, 10_000);
      put(region, 0, 10_000);
      put(region, 0, 10_000);
      region.region().compact(true);
      HStoreFile file = files(region).get(0);
      StockBloom stock = StockBloom.of(E, 2048, 7);
      assertEquals(10_000, file.getReader().getFilterEntries());
      double built = ((WinnowFilterReader) filter(file)).estimatedRate();
      assertTrue(built <= stock.rate(10_000), built + ", HBase's own " + stock.rate(10_000));
      assertTrue(
          file.getReader().getTotalBloomSize() <= 0.84 * stock.bytes(10_000) + 1024,
          "bytes: " + file.getReader().getTotalBloomSize());
      assertHas(region, 0, 10_000);
    }
  }
}
