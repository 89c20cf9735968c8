package io.winnow.hbase.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.agent.WovenFactory;
import io.winnow.hbase.settings.MemoryLimit;
import io.winnow.hbase.write.WinnowMetricsDoor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.impl.MetricsRecordImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerMetricsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  static {
    WovenFactory.install(); // before anything looks at the scanner
  }

  @TempDir Path directory;

  private static Map<String, Long> told(ServerMetrics metrics, List<HRegion> regions) {
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    metrics.writeTo(collector.addRecord("Winnow"), () -> regions);
    Map<String, Long> told = new TreeMap<>();
    collector
        .getRecords()
        .get(0)
        .metrics()
        .forEach(metric -> told.put(metric.name(), metric.value().longValue()));
    return told;
  }

  private TestRegion region(String name, BloomType type, String filter) throws IOException {
    return new TestRegion(
        directory.resolve(name),
        name,
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(type)
            .setConfiguration("winnow.filter", filter)
            .setConfiguration("winnow.filter.flush", filter)
            .build());
  }

  private static void fill(TestRegion region) throws IOException {
    for (int i = 0; i < 100; i++) {
      region.region().put(new Put(Bytes.toBytes(i)).addColumn(FAMILY, FAMILY, FAMILY));
    }
    region.region().delete(new Delete(Bytes.toBytes(200)).addFamily(FAMILY));
    region.region().flush(true);
  }

  @Test
  void openFiltersAreToldByKind() throws IOException {
    Map<String, String> kinds =
        Map.of(
            "bloom", "Bloom",
            "ribbon", "Ribbon",
            "bumped-ribbon", "BumpedRibbon",
            "quotient", "Quotient");
    for (Map.Entry<String, String> kind : kinds.entrySet()) {
      try (TestRegion region = region("of-" + kind.getKey(), BloomType.ROW, kind.getKey())) {
        fill(region);
        fill(region);
        Map<String, Long> told = told(new ServerMetrics(), List.of(region.region()));
        long bytes =
            region.files().stream()
                .mapToLong(file -> file.getReader().getGeneralBloomFilter().getByteSize())
                .sum();
        for (String suffix : kinds.values()) {
          boolean isIt = suffix.equals(kind.getValue());
          assertEquals(isIt ? 2 : 0, told.get("openFiles" + suffix), told.toString());
          assertEquals(isIt ? bytes : 0, told.get("filterBytes" + suffix), told.toString());
          assertEquals(isIt ? 2 : 0, told.get("deleteFamilyFiles" + suffix), told.toString());
          assertEquals(isIt, told.get("deleteFamilyFilterBytes" + suffix) > 0, told.toString());
        }
        assertEquals(1, told.get("falsePositivesCounted"));
      }
    }
  }

  /** HBase's own filters of the same rows, in a table beside, are as large as the page says. */
  @Test
  void savedBytesAreThoseThatHBasesOwnFiltersTakeMore() throws IOException {
    try (TestRegion ribbon = region("saves", BloomType.ROW, "bumped-ribbon");
        TestRegion bloom = region("saves-not", BloomType.ROW, "bloom")) {
      for (TestRegion region : List.of(ribbon, bloom)) {
        fill(region);
        fill(region);
      }
      ServerMetrics metrics = new ServerMetrics();
      List<HRegion> both = List.of(ribbon.region(), bloom.region());
      Map<String, Long> all = told(metrics, both);
      long ours = filterBytes(ribbon);
      long stocks = filterBytes(bloom);
      assertNotEquals(stocks, ours);
      assertEquals(ours + stocks, all.get("filterBytes"));
      assertEquals(2 * stocks, all.get("stockBytes"));
      assertEquals(stocks - ours, all.get("savedBytes"));
      Map<String, Map<String, Long>> families = families(metrics, both);
      assertEquals(ours, families.get("saves").get("filterBytes"));
      assertEquals(stocks, families.get("saves").get("stockBytes"));
      assertEquals(stocks - ours, families.get("saves").get("savedBytes"));
      assertEquals(0, families.get("saves-not").get("savedBytes"));
      String prefix = "Namespace_default_table_saves_columnfamily_f_metric_";
      families
          .get("saves")
          .forEach((name, value) -> assertEquals(value, all.get(prefix + name), name));
    }
  }

  private static long filterBytes(TestRegion region) {
    return region.files().stream()
        .mapToLong(file -> file.getReader().getGeneralBloomFilter().getByteSize())
        .sum();
  }

  /** Returns the metrics of each table's family, from records with the names as tags. */
  private static Map<String, Map<String, Long>> families(
      ServerMetrics metrics, List<HRegion> regions) {
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    metrics.writeFamilies(() -> collector.addRecord("WinnowFamily"), () -> regions);
    Map<String, Map<String, Long>> families = new TreeMap<>();
    for (MetricsRecordImpl record : collector.getRecords()) {
      Map<String, String> tags = new TreeMap<>();
      record.tags().forEach(tag -> tags.put(tag.name(), tag.value()));
      assertEquals(Set.of("namespace", "table", "family"), tags.keySet());
      Map<String, Long> values = new TreeMap<>();
      record.metrics().forEach(metric -> values.put(metric.name(), metric.value().longValue()));
      families.put(tags.get("table"), values);
    }
    return families;
  }

  /** Prometheus reads a label between quotes; a backslash protects a quote and a backslash. */
  @Test
  void namesOfFamiliesCanStandBetweenQuotes() {
    assertEquals("cf-1", ServerMetrics.label(Bytes.toBytes("cf-1")));
    assertEquals("\\\"\\\\xC3\\\\xA9", ServerMetrics.label(Bytes.toBytes("\"\u00e9")));
  }

  /** A Get counts once, whatever number of files it reads; a scan is no Get. */
  @Test
  void getsAreCountedOnceAndSkippedFilesEach() throws IOException {
    try (TestRegion region = region("gets", BloomType.ROW, "bumped-ribbon")) {
      fill(region);
      fill(region);
      for (int i = 0; i < 10; i++) {
        region.region().get(new Get(Bytes.toBytes(i)));
        region.region().get(new Get(Bytes.toBytes(100 + i))); // absent, between two rows
        region.region().get(new Get(Bytes.toBytes("behind all rows" + i)));
      }
      try (RegionScanner scanner = region.region().getScanner(new Scan())) {
        scanner.next(new ArrayList<>());
      }
      Map<String, Long> told = families(new ServerMetrics(), List.of(region.region())).get("gets");
      assertEquals(20, told.get("gets"), told.toString());
      assertEquals(20, told.get("truePositives"), told.toString());
      assertEquals(20 - told.get("falsePositives"), told.get("skippedFiles"), told.toString());
    }
  }

  @Test
  void filesWithoutFilterAreToldByReason() throws IOException {
    try (TestRegion none = region("none", BloomType.NONE, "ribbon");
        TestRegion damaged = region("damaged", BloomType.ROW, "ribbon")) {
      fill(none);
      fill(damaged);
      List<HRegion> both = List.of(none.region(), damaged.region());
      assertEquals(1, told(new ServerMetrics(), both).get("openFilesNone"));
      StoreFileDoor.spoil(damaged.files().iterator().next().getReader());
      Map<String, Long> told = told(new ServerMetrics(), both);
      assertEquals(1, told.get("openFilesNone"), told.toString());
      assertEquals(1, told.get("openFilesUnreadable"), told.toString());
      assertEquals(0, told.get("openFilesRibbon"), told.toString());
    }
  }

  /** As a file that was written before its family asked for a filter. */
  @Test
  void fileThatLacksAWantedFilterIsToldAsMissing() throws IOException {
    try (TestRegion none = region("no-filter", BloomType.NONE, "ribbon");
        TestRegion asks = region("asks", BloomType.ROW, "ribbon")) {
      fill(none);
      fill(asks);
      assertEquals(0, told(new ServerMetrics(), List.of(asks.region())).get("openFilesMissing"));
      String file = none.files().iterator().next().getPath().toString();
      asks.region().bulkLoadHFiles(List.of(Pair.newPair(FAMILY, file)), false, null);
      Map<String, Long> told = told(new ServerMetrics(), List.of(asks.region()));
      assertEquals(1, told.get("openFilesMissing"), told.toString());
      assertEquals(1, told.get("openFilesRibbon"), told.toString());
      assertEquals(0, told.get("openFilesNone"), told.toString());
    }
  }

  /** Regions of one server share a cache; the level counts that has the filters' chunks. */
  @Test
  void cacheOfFiltersIsToldOnce() throws IOException {
    LruBlockCache first = new LruBlockCache(7 << 20, 64 << 10, false, new Configuration());
    LruBlockCache second = new LruBlockCache(5 << 20, 64 << 10, false, new Configuration());
    BlockCache both = new CombinedBlockCache(first, second);
    try (TestRegion a = region("cached-a", both);
        TestRegion b = region("cached-b", both);
        TestRegion none = region("cached-not", BloomType.ROW, "ribbon")) {
      List<HRegion> regions = List.of(a.region(), b.region(), none.region());
      assertEquals(7 << 20, told(new ServerMetrics(), regions).get("filterCacheBytes"));
      assertEquals(0, told(new ServerMetrics(), List.of()).get("filterCacheBytes"));
    }
  }

  private TestRegion region(String name, BlockCache cache) throws IOException {
    return new TestRegion(
        directory.resolve(name), name, ColumnFamilyDescriptorBuilder.of(FAMILY), Map.of(), cache);
  }

  @Test
  void memoryOfBuildsIsTold() throws Exception {
    WinnowMetricsDoor.reserveMemory(1).close(); // the first build makes it known
    WinnowMetricsDoor.forgetMemoryLimit();
    try {
      Configuration site = new Configuration(false);
      site.set("winnow.build.memory.limit", "77m");
      MemoryLimit.serverStarts(site);
      assertEquals(77 << 20, told(new ServerMetrics(), List.of()).get("buildMemoryLimitBytes"));
    } finally {
      WinnowMetricsDoor.forgetMemoryLimit();
    }
    long tebibyte = 1L << 40; // much more than anything else holds, or gives back meanwhile
    assertTrue(told(new ServerMetrics(), List.of()).get("buildMemoryBytes") < tebibyte / 2);
    AutoCloseable memory = WinnowMetricsDoor.reserveMemory(tebibyte);
    long told = told(new ServerMetrics(), List.of()).get("buildMemoryBytes");
    memory.close();
    assertEquals(1.0, (double) told / tebibyte, 0.1);
    assertTrue(told(new ServerMetrics(), List.of()).get("buildMemoryBytes") < tebibyte / 2);
  }

  @Test
  void countsOfClosedStoresStay() {
    FamilyCounters family = new FamilyCounters(TableName.valueOf("t"), FAMILY);
    BloomFilterMetrics first = new BloomFilterMetrics();
    BloomFilterMetrics second = new BloomFilterMetrics();
    Requests requests = new Requests();
    requests.update(stores(family, first));
    first.incrementRequests(true);
    assertSum(1, 0, family, requests);
    first.incrementRequests(false); // not seen before it is closed
    requests.update(stores(family, second));
    second.incrementRequests(false);
    assertSum(3, 2, family, requests);
    requests.update(Map.of());
    requests.update(stores(family, first)); // never comes back in HBase; counted once more
    assertSum(5, 3, family, requests);
  }

  private static void assertSum(
      long queries, long negatives, FamilyCounters family, Requests requests) {
    assertEquals(Set.of(family), requests.byFamily().keySet());
    Requests.Sum sum = requests.byFamily().get(family);
    assertEquals(List.of(queries, negatives), List.of(sum.requests, sum.negatives));
  }

  private static Map<BloomFilterMetrics, FamilyCounters> stores(
      FamilyCounters family, BloomFilterMetrics... stores) {
    Map<BloomFilterMetrics, FamilyCounters> map = new IdentityHashMap<>();
    for (BloomFilterMetrics store : stores) {
      map.put(store, family);
    }
    return map;
  }

  @Test
  void eventsAreCounted() {
    Map<String, Long> before = told(new ServerMetrics(), List.of());
    ServerMetric.FALLBACKS_WRONG_SETTING.count();
    ServerMetric.FALLBACKS_MEMORY_LIMIT.count();
    ServerMetric.FALLBACKS_MEMORY_LIMIT.count();
    for (int i = 0; i < 3; i++) {
      ServerMetric.FALLBACKS_FAILURE.count();
    }
    ServerMetric.CHUNKS_BUILT.count();
    ServerMetric.KEYS_BUILT.add(1000);
    ServerMetric.BUILD_NANOS.add(7_000_000);
    ServerMetric.REBUILDS.add(2);
    for (int i = 0; i < 4; i++) {
      ServerMetric.FILTERS_ABANDONED.count();
    }
    for (int i = 0; i < 5; i++) {
      ServerMetric.CHUNKS_GIVEN_UP.count();
    }
    for (int i = 0; i < 6; i++) {
      ServerMetric.LOAD_FAILURES.count();
    }
    for (int i = 0; i < 7; i++) {
      ServerMetric.PROBE_FAILURES.count();
    }
    for (int i = 0; i < 8; i++) {
      ServerMetric.OPEN_FAILURES.count();
    }
    for (int i = 0; i < 9; i++) {
      ServerMetric.STORE_FAILURES.count();
    }
    ServerMetric.CHUNK_RELOADS.add(10);
    ServerMetric.LOADS_SKIPPED.add(11);
    Map<String, Long> after = told(new ServerMetrics(), List.of());
    Map<String, Long> risen = new TreeMap<>();
    after.forEach(
        (name, value) -> {
          if (value > before.get(name)) {
            risen.put(name, value - before.get(name));
          }
        });
    assertEquals(
        new TreeMap<>(
            Map.ofEntries(
                Map.entry("fallbacksWrongSetting", 1L),
                Map.entry("fallbacksMemoryLimit", 2L),
                Map.entry("fallbacksFailure", 3L),
                Map.entry("chunksBuilt", 1L),
                Map.entry("keysBuilt", 1000L),
                Map.entry("buildMillis", 7L),
                Map.entry("rebuilds", 2L),
                Map.entry("filtersAbandoned", 4L),
                Map.entry("chunksGivenUp", 5L),
                Map.entry("loadFailures", 6L),
                Map.entry("probeFailures", 7L),
                Map.entry("openFailures", 8L),
                Map.entry("storeFailures", 9L),
                Map.entry("chunkReloads", 10L),
                Map.entry("loadsSkipped", 11L))),
        risen);
  }

  @Test
  void docsNameEveryMetricAndNoOther() throws IOException {
    Families.of(TableName.valueOf("docs"), FAMILY);
    Set<String> told = new TreeSet<>(Set.of("version"));
    for (String name : told(new ServerMetrics(), List.of()).keySet()) {
      if (!name.matches(".*OfPrefix[0-9]+")) { // those that scans of other tests left, by length
        told.add(name.replaceFirst("^Namespace_.*_metric_", ""));
      }
    }
    Set<String> documented = new TreeSet<>();
    Path page = Path.of("..", "..", "docs", "metrics.md");
    for (String line : Files.readAllLines(page)) {
      String[] cells = line.split(" *\\| *");
      if (cells.length == 5 && List.of("gauge", "counter", "tag").contains(cells[2])) {
        for (String name : cells[1].split(", ")) {
          assertTrue(name.matches("`[A-Za-z]+`"), line);
          documented.add(name.substring(1, name.length() - 1));
        }
      }
    }
    assertEquals(told, documented);
  }

  private static String spelled(String name) {
    return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  /** Alerts and the dashboard are about metrics that there are, as HBase spells them. */
  @Test
  void alertsNameMetricsThatThereAre() throws IOException {
    Set<String> told = new TreeSet<>();
    for (String name : told(new ServerMetrics(), List.of()).keySet()) {
      told.add("winnow_" + spelled(name));
      told.add("winnow_family_" + spelled(name.replaceFirst("^Namespace_.*_metric_", "")));
    }
    Path docs = Path.of("..", "..", "docs");
    Matcher named =
        Pattern.compile("\\bwinnow_(?!namespace_)[a-z]+[a-z_]*")
            .matcher(
                Files.readString(docs.resolve("metrics.md"))
                    + Files.readString(docs.resolve("alerts.yml"))
                    + Files.readString(docs.resolve("grafana.json")));
    int count = 0;
    while (named.find()) {
      assertTrue(named.group().equals("winnow_") || told.contains(named.group()), named.group());
      count++;
    }
    assertTrue(count > 5, "only " + count);
  }

  /** Clusters that make tables every day would otherwise have more names every day. */
  @Test
  void familiesThatAreGoneAreToldForAWhileAndStayInTheSums() throws IOException {
    AtomicLong now = new AtomicLong();
    ServerMetrics metrics = new ServerMetrics(now::get);
    String name = "Namespace_default_table_gone_columnfamily_f_metric_falsePositives";
    Map<String, Long> before;
    try (TestRegion region = region("gone", BloomType.ROW, "ribbon")) {
      fill(region);
      before = told(metrics, List.of(region.region()));
      Families.of(TableName.valueOf("gone"), FAMILY).falsePositives.increment();
    }
    now.addAndGet(TimeUnit.MINUTES.toNanos(ServerMetrics.FAMILY_MINUTES) - 1);
    Map<String, Long> closed = told(metrics, List.of());
    assertEquals(1, closed.get(name));
    assertEquals(before.get("falsePositives") + 1, closed.get("falsePositives"));
    now.addAndGet(TimeUnit.SECONDS.toNanos(ServerMetrics.UPDATE_SECONDS));
    Map<String, Long> gone = told(metrics, List.of());
    assertFalse(gone.containsKey(name));
    assertEquals(closed.get("falsePositives"), gone.get("falsePositives"));
    assertEquals(closed.get("filterRequests"), gone.get("filterRequests"));
  }
}
