package io.winnow.hbase.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.metrics.ServerViewDoor;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.read.CachePressure;
import io.winnow.hbase.read.FilterFacts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page as it is made from open regions, without a server. */
class PageTest {
  private static final int ROWS = 3000;

  @TempDir Path directory;

  private static ColumnFamilyDescriptor family(String name, String filter) {
    return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name))
        .setBloomFilterType(BloomType.ROW)
        .setConfiguration("winnow.filter", filter)
        .setConfiguration("winnow.filter.flush", filter)
        .setConfiguration("winnow.error.rate.scope", "file")
        .build();
  }

  private TestRegion region(String table, ColumnFamilyDescriptor family) throws IOException {
    return new TestRegion(directory.resolve(table), table, family);
  }

  private static void fill(TestRegion region) throws IOException {
    byte[] family = region.store().getColumnFamilyDescriptor().getName();
    for (int i = 0; i < ROWS; i++) {
      byte[] row = Bytes.toBytes(2 * i);
      region.region().put(new Put(row).addColumn(family, row, row));
    }
    region.region().delete(new Delete(Bytes.toBytes(2 * ROWS)).addFamily(family));
    region.region().flush(true);
  }

  private static Answer ask(String query, List<HRegion> regions) {
    return PageDoor.answer(query, regions);
  }

  private static JsonNode json(String query, List<HRegion> regions) throws IOException {
    Answer answer = ask(query + "&format=json", regions);
    assertEquals("application/json; charset=utf-8", answer.contentType, answer.body);
    return new ObjectMapper().readTree(answer.body);
  }

  private static String html(String query, List<HRegion> regions) {
    Answer answer = ask(query, regions);
    assertEquals(Answer.OK, answer.status, answer.body);
    assertEquals("text/html; charset=utf-8", answer.contentType);
    return answer.body;
  }

  private static List<HRegion> of(TestRegion... regions) {
    List<HRegion> all = new ArrayList<>();
    for (TestRegion region : regions) {
      all.add(region.region());
    }
    return all;
  }

  /** The cells of a table's rows, as they stand there. */
  private static List<List<String>> cells(String html) {
    List<List<String>> rows = new ArrayList<>();
    Matcher row = Pattern.compile("<tr>(<td class=.*?)</tr>").matcher(html);
    while (row.find()) {
      List<String> cells = new ArrayList<>();
      Matcher cell = Pattern.compile("<td[^>]*>(.*?)</td>").matcher(row.group(1));
      while (cell.find()) {
        cells.add(cell.group(1).replaceAll("<[^>]*>", ""));
      }
      rows.add(cells);
    }
    return rows;
  }

  private static List<String> names(String query, List<HRegion> regions) throws IOException {
    List<String> names = new ArrayList<>();
    json(query, regions).get("families").forEach(line -> names.add(line.get("table").textValue()));
    return names;
  }

  /** What stock takes is computed, and what is saved follows from it. */
  @Test
  void stockTakesWhatStockReallyTakes() throws IOException {
    try (TestRegion stock = region("stock", family("f", "bloom"));
        TestRegion ours = region("ours", family("f", "ribbon"))) {
      fill(stock);
      fill(ours);
      fill(ours);
      JsonNode lines = json("", of(stock, ours)).get("families");
      JsonNode ofOurs = lines.get(0);
      JsonNode ofStock = lines.get(1);
      assertEquals("ours", ofOurs.get("table").textValue());
      assertEquals("ribbon", ofOurs.get("asks").textValue());
      assertEquals("2 ribbon", ofOurs.get("has").textValue());
      assertEquals("1 bloom", ofStock.get("has").textValue());
      long bytes = ofStock.get("filterBytes").longValue();
      assertTrue(bytes > 0, lines.toString());
      assertEquals(bytes, ofStock.get("stockBytes").longValue());
      assertEquals(0, ofStock.get("savedBytes").longValue());
      assertEquals(2 * bytes, ofOurs.get("stockBytes").longValue());
      assertEquals(
          2 * bytes - ofOurs.get("filterBytes").longValue(), ofOurs.get("savedBytes").longValue());
      assertEquals(2 * ROWS, ofOurs.get("keys").longValue(), 2); // the row of the marker
      assertEquals(
          8.0 * ofOurs.get("filterBytes").longValue() / ofOurs.get("keys").longValue(),
          ofOurs.get("bitsPerKey").doubleValue(),
          1e-9);
      assertEquals(0.01, ofOurs.get("askedRate").doubleValue(), 1e-6);
      assertEquals(0.01, ofStock.get("askedRate").doubleValue(), 1e-6);
      assertTrue(ofOurs.get("builtRate").doubleValue() > 0, lines.toString());
      assertTrue(ofOurs.get("deleteFamilyBytes").longValue() > 0, lines.toString());
    }
  }

  @Test
  void filesThatAreNotAsAskedAreCounted() throws IOException {
    try (TestRegion region = region("altered", family("f", "bloom"))) {
      fill(region);
      assertEquals(
          0, json("", of(region)).get("families").get(0).get("otherThanAsked").longValue());
      region.alter(family("f", "quotient"));
      fill(region);
      JsonNode line = json("", of(region)).get("families").get(0);
      assertEquals("1 bloom, 1 quotient", line.get("has").textValue());
      assertEquals(1, line.get("otherThanAsked").longValue());
      JsonNode kinds = line.get("kinds");
      assertEquals(1, kinds.get("bloom").get("files").longValue());
      assertEquals(
          line.get("filterBytes").longValue(),
          kinds.get("bloom").get("bytes").longValue()
              + kinds.get("quotient").get("bytes").longValue());
      List<String> asAsked = new ArrayList<>();
      json("table=altered&family=f&sort=filter", of(region))
          .get("files")
          .forEach(file -> asAsked.add(file.get("asAsked").textValue()));
      assertEquals(List.of("no: quotient", "yes"), asAsked);
    }
  }

  @Test
  void fallbacksAreToldWithTheReason() throws IOException {
    try (TestRegion region = region("wrong", family("f", "<b>rib"))) {
      fill(region);
      JsonNode line = json("", of(region)).get("families").get(0);
      assertEquals(1, line.get("fallbacks").longValue());
      String reasons = line.get("reasons").textValue();
      assertTrue(reasons.startsWith("1 wrong setting; "), reasons);
      assertTrue(reasons.contains("<b>rib"), reasons);
      String html = html("", of(region));
      assertTrue(html.contains("1 wrong setting; "), html);
      assertTrue(html.contains("&lt;b&gt;rib"), html);
      assertFalse(html.contains("<b>"), html);
    }
  }

  @Test
  void namesAndWhatIsAskedForAreText() throws IOException {
    String hostile = "<img src=x onerror=\"alert('&1')\">";
    try (TestRegion region = region("names", family(hostile, "ribbon"))) {
      fill(region);
      String overview = html("sort=<script>alert(1)</script>&x=\"><script>", of(region));
      assertFalse(overview.contains("<script"), overview);
      assertFalse(overview.contains("<img"), overview);
      assertTrue(
          overview.contains("&lt;img src=x onerror=&quot;alert(&#39;&amp;1&#39;)&quot;&gt;"),
          overview);
      // Each link leads where it says.
      Matcher link = Pattern.compile("<td[^>]*><a href=\"([^\"]*)\">").matcher(overview);
      assertTrue(link.find(), overview);
      String files = html(query(link.group(1)), of(region));
      assertFalse(files.contains("<img"), files);
      link = Pattern.compile("data-label=\"file\"><a href=\"([^\"]*)\">").matcher(files);
      assertTrue(link.find(), files);
      String file = html(query(link.group(1)), of(region));
      assertFalse(file.contains("<img"), file);
      assertTrue(file.contains("<td>ribbon</td>"), file);
    }
  }

  /** As a browser reads it. */
  private static String query(String href) {
    return href.substring(1).replace("&amp;", "&");
  }

  @Test
  void aFileSaysAllButItsKeys() throws IOException {
    try (TestRegion region = region("facts", family("f", "bumped-ribbon"))) {
      fill(region);
      HStoreFile file = region.files().iterator().next();
      FilterFacts facts = FilterFacts.general(file.getReader().getHFileReader());
      String query =
          "table=facts&family=f&region="
              + (region.region().getRegionInfo().getEncodedName() + "&file=")
              + file.getPath().getName();
      JsonNode told = json(query, of(region));
      JsonNode general = told.get("general");
      assertEquals("bumped-ribbon", general.get("filter").textValue());
      assertEquals(facts.bytes, general.get("bytes").longValue());
      assertEquals(facts.keys, general.get("keys").longValue());
      assertEquals(facts.configuredRate, general.get("askedRate").doubleValue());
      assertEquals(facts.estimatedRate, general.get("builtRate").doubleValue());
      assertEquals(facts.chunks.size(), general.get("chunks").intValue());
      assertEquals("delete family", told.get("deleteFamily").get("keyKind").textValue());
      assertEquals(facts.chunks.size(), cells(html(query, of(region))).size());
    }
  }

  @Test
  void nothingElseIsOpened() throws IOException {
    try (TestRegion region = region("open", family("f", "ribbon"))) {
      fill(region);
      HStoreFile file = region.files().iterator().next();
      String store = "table=open&family=f&region=";
      String name = region.region().getRegionInfo().getEncodedName();
      assertEquals(
          Answer.OK, ask(store + name + "&file=" + file.getPath().getName(), of(region)).status);
      for (String query :
          List.of(
              store + name + "&file=" + file.getPath(),
              store + name + "&file=../f/" + file.getPath().getName(),
              store + name + "&file=",
              store + "other&file=" + file.getPath().getName(),
              "file=" + file.getPath(),
              "table=open&family=g",
              "table=open",
              "table=%zz&family=%")) {
        assertEquals(Answer.NOT_FOUND, ask(query, of(region)).status, query);
      }
    }
  }

  @Test
  void rowsAreSortedAsAsked() throws IOException {
    try (TestRegion small = region("b-small", family("f", "ribbon"));
        TestRegion large = region("a-large", family("f", "ribbon"));
        TestRegion none = region("c-none", family("f", "ribbon"))) {
      fill(small);
      fill(large);
      fill(large);
      List<HRegion> all = of(small, large, none);
      assertEquals(List.of("a-large", "b-small", "c-none"), names("", all));
      assertEquals(List.of("c-none", "b-small", "a-large"), names("sort=-table", all));
      assertEquals(List.of("c-none", "b-small", "a-large"), names("sort=filterBytes", all));
      assertEquals(List.of("a-large", "b-small", "c-none"), names("sort=-filterBytes", all));
      // What is not known comes last, either way.
      assertEquals("c-none", names("sort=bitsPerKey", all).get(2));
      assertEquals("c-none", names("sort=-bitsPerKey", all).get(2));
      assertEquals(List.of("a-large", "b-small", "c-none"), names("sort=nonsense", all));
      String html = html("sort=-filterBytes", all);
      assertEquals("a-large", cells(html).get(0).get(0));
      assertTrue(html.contains("aria-sort=\"descending\"><a href=\"?sort=filterBytes\">"), html);
      assertTrue(html.contains("<a href=\"?sort=-fallbacks\">fallbacks</a>"), html);
    }
  }

  @Test
  void manyFilesComeInPages() {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < PageTable.ROWS + 5; i++) {
      numbers.add(i);
    }
    List<Column<Integer>> columns =
        List.of(Column.of("n", "n", Form.COUNT, number -> (long) number, "a number"));
    Html first = new Html();
    new PageTable<>(columns, numbers, Query.of("a=b")).html(first);
    assertEquals(PageTable.ROWS, cells(first.toString()).size());
    assertTrue(first.toString().contains("<a href=\"?a=b&amp;from=250\">"), first.toString());
    Html second = new Html();
    new PageTable<>(columns, numbers, Query.of("a=b&from=250")).html(second);
    assertEquals(5, cells(second.toString()).size());
    Html beyond = new Html();
    new PageTable<>(columns, numbers, Query.of("from=999999999999")).html(beyond);
    assertEquals(PageTable.ROWS, cells(beyond.toString()).size());
  }

  @Test
  void whatTheMetricsCountStandsInTheRow() throws IOException {
    try (TestRegion region = region("counted", family("f", "ribbon"))) {
      fill(region);
      for (int i = 0; i < 7; i++) {
        ServerViewDoor.countFalseRead(region.store().getTableName(), Bytes.toBytes("f"));
      }
      for (int i = 0; i < 500; i++) {
        region.region().get(new Get(Bytes.toBytes(2 * i + 1)));
      }
      JsonNode document = json("", of(region));
      JsonNode line = document.get("families").get(0);
      JsonNode metrics = document.get("metrics");
      String prefix = "Namespace_default_table_counted_columnfamily_f_metric_";
      Map<String, String> names =
          Map.of(
              "questions", "filterRequests",
              "negatives", "filterNegatives",
              "falseReads", "falsePositives",
              "trueReads", "truePositives");
      names.forEach(
          (name, metric) ->
              assertEquals(
                  metrics.get(prefix + metric).longValue(), line.get(name).longValue(), name));
      assertEquals(500, line.get("questions").longValue());
      double falseReads = line.get("falseReads").longValue();
      assertTrue(falseReads >= 7, line.toString());
      assertEquals(
          falseReads / (falseReads + line.get("negatives").longValue()),
          line.get("countedRate").doubleValue(),
          1e-12);
      List<String> cells = cells(html("", of(region))).get(0);
      assertTrue(cells.contains("500"), cells.toString());
    }
  }

  /** Entities that each have an hour in one file and the next hour in another. */
  @Test
  void keySegmentsStandInTheRows() throws IOException {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(family("f", "bloom"))
            .setConfiguration("winnow.scan.segment", "1,2")
            .build();
    try (TestRegion region = region("segments", family)) {
      for (String hour : List.of("07", "08")) {
        for (String entity : List.of("a", "b", "c")) {
          byte[] row = Bytes.toBytes(entity + hour + "30");
          region.region().put(new Put(row).addColumn(Bytes.toBytes("f"), row, row));
        }
        region.region().flush(true);
      }
      assertEquals("", json("", of(region)).get("families").get(0).get("segments").textValue());
      for (String to : List.of("b08", "b0720")) { // the second one finds no row
        Scan scan = new Scan().withStartRow(Bytes.toBytes("b07")).withStopRow(Bytes.toBytes(to));
        try (RegionScanner scanner = region.region().getScanner(scan)) {
          scanner.next(new ArrayList<>());
        }
      }
      JsonNode line = json("", of(region)).get("families").get(0);
      assertEquals("2 scans; 2 skipped, 2 read, 1 unnecessary", line.get("segments").textValue());
      JsonNode metrics = json("", of(region)).get("metrics");
      Map.of(
              "segmentScans", List.of("segmentScans", 2),
              "segmentSkips", List.of("segmentSkips", 2),
              "segmentFalseReads", List.of("segmentFalsePositives", 1))
          .forEach(
              (name, metric) -> {
                assertEquals(metric.get(1), line.get(name).intValue(), name);
                String key = "Namespace_default_table_segments_columnfamily_f_metric_";
                assertEquals(metric.get(1), metrics.get(key + metric.get(0)).intValue(), name);
              });
      for (JsonNode file : json("table=segments&family=f", of(region)).get("files")) {
        assertEquals("1,2: 1", file.get("segment").textValue());
        String query =
            "table=segments&family=f&region="
                + (file.get("region").textValue() + "&file=")
                + file.get("file").textValue();
        assertEquals("1,2: 1", json(query, of(region)).get("segment").textValue());
        assertTrue(html(query, of(region)).contains("<td>1,2: 1</td>"));
      }
    }
  }

  /** The card that shows if the filters fit the cache, and the same in JSON. */
  @Test
  void cacheStandsBesideTheFilters() throws IOException {
    LruBlockCache cache = new LruBlockCache(3 << 20, 64 << 10, false, new Configuration());
    try (TestRegion region =
        new TestRegion(
            directory.resolve("beside"), "beside", family("f", "ribbon"), Map.of(), cache)) {
      fill(region);
      ServerViewDoor.countReloads(3, 4);
      for (int i = 0; i < 100; i++) {
        region.region().get(new Get(Bytes.toBytes(2 * i + 1)));
      }
      JsonNode document = json("", of(region));
      JsonNode metrics = document.get("metrics");
      assertEquals(3 << 20, metrics.get("filterCacheBytes").longValue());
      double reloads = metrics.get("chunkReloads").longValue();
      double skips = metrics.get("loadsSkipped").longValue();
      double queries = metrics.get("filterRequests").longValue();
      double perQuery = document.get("evictedMissesPerQuery").doubleValue();
      assertEquals((reloads + skips) / queries, perQuery, 1e-12);
      assertEquals(
          skips / reloads,
          document.get("skippedLoadsPerSecond").doubleValue()
              / document.get("reloadsPerSecond").doubleValue(),
          1e-9);
      double share = 100.0 * metrics.get("filterBytesRibbon").longValue() / (3 << 20);
      String html = html("", of(region));
      assertTrue(html.contains("3.00 MiB"), html);
      assertTrue(html.contains(String.format(Locale.ROOT, "(%.1f %% of it)", share)), html);

      ServerViewDoor.countReloads(0, 20_000);
      CachePressure.OF_THIS_JVM.judgeNow();
      assertTrue(json("", of(region)).get("cacheIsShort").booleanValue());
      String isShort = html("", of(region));
      assertTrue(
          isShort.contains("New files: the block cache is short: one rate for all files"), isShort);
      for (int i = 0; i < 20_000; i++) {
        cache.getStats().hit(true, true, BlockType.BLOOM_CHUNK);
      }
      CachePressure.OF_THIS_JVM.judgeNow();
      assertFalse(json("", of(region)).get("cacheIsShort").booleanValue());
      assertTrue(html("", of(region)).contains("New files: rates by store"));
    }
  }

  private static long bytesRead() {
    @SuppressWarnings("deprecation") // the new ones are not told by thread
    List<FileSystem.Statistics> all = FileSystem.getAllStatistics();
    return all.stream().mapToLong(one -> one.getThreadStatistics().getBytesRead()).sum();
  }

  private static long chunksIn(LruBlockCache cache) {
    return StreamSupport.stream(cache.spliterator(), false)
        .filter(block -> block.getBlockType() == BlockType.BLOOM_CHUNK)
        .count();
  }

  /** A thousand regions, each page: not a byte is read, and no chunk comes into the cache. */
  @Test
  void nothingIsReadForThePage() throws IOException {
    LruBlockCache cache = new LruBlockCache(8 << 20, 4096, false, new Configuration());
    try (TestRegion region =
        new TestRegion(directory, "thousand", family("f", "ribbon"), Map.of(), cache)) {
      fill(region);
      fill(region);
      List<HRegion> regions = Collections.nCopies(1000, region.region());
      String file = region.files().iterator().next().getPath().getName();
      String name = region.region().getRegionInfo().getEncodedName();
      ask("", regions); // what is loaded of HBase's classes and configuration
      long before = bytesRead();
      JsonNode line = json("", regions).get("families").get(0);
      html("", regions);
      html("table=thousand&family=f", regions);
      html("table=thousand&family=f&region=" + name + "&file=" + file, regions);
      assertEquals(before, bytesRead());
      assertEquals(0, chunksIn(cache));
      assertEquals(2000, line.get("files").longValue());
      // A Get does read.
      region.region().get(new Get(Bytes.toBytes(3)));
      assertTrue(bytesRead() > before);
      assertTrue(chunksIn(cache) > 0);
    }
  }
}
