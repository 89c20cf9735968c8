package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.HBaseLine;
import io.winnow.hbase.read.FilterFacts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A real region server's metrics, as its own web pages show them, and Winnow's page among these.
 */
class MetricsIT {
  private static final int ROWS = 1000;
  private static final String BEAN = "Hadoop:service=HBase,name=RegionServer,sub=Winnow";
  private static final Pattern NUMBER = Pattern.compile("\"([^\"]+)\" ?: (-?[0-9]+)");

  private static TestServer server;
  private static Map<TableName, String> kinds;

  /** What is counted of one table, as it must be. */
  private record Answers(long falsePositives, long truePositives) {}

  private static final Map<TableName, Answers> EXPECTED = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.withAgentAndPages(TestServer.emptyDirectory("metrics"));
    kinds = new LinkedHashMap<>();
    for (String filter : new String[] {"bloom", "ribbon", "bumped-ribbon", "quotient"}) {
      Map<String, String> conf =
          Map.of(
              "winnow.filter",
              filter,
              "winnow.filter.flush",
              filter,
              "winnow.error.rate.scope",
              "file", // so that there are false positives
              "io.storefile.bloom.error.rate",
              "0.05");
      ColumnFamilyDescriptor family = Rows.family("f", BloomType.ROW, conf);
      TableName table = server.create("of-" + filter, family);
      kinds.put(table, filter);
      Rows.write(server.connection(), table, 0, ROWS / 2);
      server.flush(table);
      Rows.write(server.connection(), table, ROWS / 2, ROWS);
      server.flush(table);
      Rows.assertMisses(server.connection(), table, ROWS);
      Rows.found(server.connection(), table, ROWS);
      EXPECTED.put(table, expected(table));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    if (server != null) {
      server.kill();
    }
  }

  /** Asks the filters of the table's files for the rows that were asked for above. */
  private static Answers expected(TableName table) throws IOException {
    long falsePositives = 0;
    long truePositives = 0;
    for (Path path : server.storeFiles(table)) {
      Configuration conf = server.configuration();
      HStoreFile file =
          new HStoreFile(
              HBaseLine.storeFileInfo(
                  conf,
                  FileSystem.getLocal(conf).getRaw(),
                  new org.apache.hadoop.fs.Path(path.toUri())),
              BloomType.ROW,
              CacheConfig.DISABLED,
              new BloomFilterMetrics());
      file.initReader();
      for (int number = 0; number < 2 * ROWS - 1; number++) {
        if (StoreFileDoor.wouldBeRead(file.getReader(), Rows.key(number))) {
          if (StoreFileDoor.holds(file.getReader(), Rows.key(number))) {
            truePositives++;
          } else {
            falsePositives++;
          }
        }
      }
      file.closeStoreFile(true);
    }
    return new Answers(falsePositives, truePositives);
  }

  private static HttpResponse<String> ask(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.pagesPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String page(String path) throws IOException, InterruptedException {
    HttpResponse<String> response = ask(path);
    assertEquals(200, response.statusCode(), path + "\n" + response.body());
    return response.body();
  }

  private static JsonNode json(String path) throws IOException, InterruptedException {
    return new ObjectMapper().readTree(page(path));
  }

  /** The bean's numbers, once they are as awaited: they are some seconds old at most. */
  private static Map<String, Long> numbers(Predicate<Map<String, Long>> awaited)
      throws IOException, InterruptedException {
    Map<String, Long> numbers = new HashMap<>();
    TestServer.await(
        "metrics",
        () -> {
          numbers.clear();
          Matcher matcher = NUMBER.matcher(page("/jmx?qry=" + BEAN));
          while (matcher.find()) {
            numbers.put(matcher.group(1), Long.valueOf(matcher.group(2)));
          }
          return awaited.test(numbers);
        });
    return numbers;
  }

  private static String prefix(TableName table) {
    return "Namespace_default_table_" + table.getQualifierAsString() + "_columnfamily_f_metric_";
  }

  @Test
  void countedAnswersAreTheTrueOnesOfEveryKind() throws Exception {
    long requests = (2L * ROWS - 1) * kinds.size(); // each row lies in the range of one file
    // Answers are counted at once; requests and open files only once their stores are known.
    Map<String, Long> numbers =
        numbers(
            now ->
                now.getOrDefault("truePositives", 0L) >= (long) ROWS * kinds.size()
                    && now.get("filterRequests") >= requests - kinds.size()
                    && now.get("openFilesQuotient") >= 2); // of the last table
    for (TableName table : kinds.keySet()) {
      Answers expected = EXPECTED.get(table);
      assertTrue(expected.falsePositives() > 0, table + ": " + expected);
      assertEquals(ROWS, expected.truePositives(), table.toString());
      Answers counted =
          new Answers(
              numbers.get(prefix(table) + "falsePositives"),
              numbers.get(prefix(table) + "truePositives"));
      assertEquals(expected, counted, table.toString());
      assertEquals(
          numbers.get(prefix(table) + "filterRequests"),
          numbers.get(prefix(table) + "filterNegatives")
              + counted.falsePositives()
              + counted.truePositives(),
          table.toString());
    }
    assertEquals(1, numbers.get("active"));
    assertEquals(1, numbers.get("falsePositivesCounted"));
    for (String kind : List.of("Bloom", "Ribbon", "BumpedRibbon", "Quotient")) {
      long files = numbers.get("openFiles" + kind);
      // After some minutes HBase flushes its own tables, which have its own filter.
      assertTrue(kind.equals("Bloom") ? files >= 2 : files == 2, kind + ": " + files);
      assertTrue(numbers.get("filterBytes" + kind) > 0, kind);
    }
    assertEquals(0, numbers.get("openFilesUnreadable"));
    assertTrue(numbers.get("filterRequests") >= requests - kinds.size(), numbers.toString());
  }

  @Test
  void countsOutliveTheRegionsTheyAreOf() throws Exception {
    TableName table = kinds.keySet().iterator().next();
    String requests = prefix(table) + "filterRequests";
    Map<String, Long> before = numbers(now -> now.getOrDefault(requests, 0L) > ROWS);
    server.reopen(Set.of(table));
    Rows.assertMisses(server.connection(), table, 11);
    // HBase takes its beans away for a moment when regions come and go.
    Map<String, Long> after = numbers(now -> now.getOrDefault(requests, 0L) > before.get(requests));
    assertTrue(after.get(requests) <= before.get(requests) + 20, after.get(requests).toString());
  }

  @Test
  void prometheusSeesThemUnderTheNamesOfTheDocs() throws Exception {
    assumeTrue(HBaseLine.isAtLeast26(), "HBase 2.5 has no such page");
    Set<String> missing =
        new TreeSet<>(
            Set.of(
                "winnow_active",
                "winnow_open_files_bumped_ribbon",
                "winnow_false_positives",
                "winnow_filter_negatives",
                "winnow_fallbacks_wrong_setting",
                "winnow_fallbacks_memory_limit",
                "winnow_fallbacks_failure",
                "winnow_chunks_given_up",
                "winnow_open_files_unreadable",
                "winnow_namespace_default_table_of_ribbon_columnfamily_f_metric_false_positives"));
    // HBase takes its metrics away for a moment when regions come and go.
    TestServer.await(
        "lines of metrics",
        () -> {
          String lines = page("/prometheus");
          missing.removeIf(name -> lines.contains("\n" + name + "{"));
          return missing.isEmpty();
        });
  }

  /** Labels name the table and the family; the bytes are those of the files themselves. */
  @Test
  void prometheusHasTheSavedBytesOfEachFamily() throws Exception {
    assumeTrue(HBaseLine.isAtLeast26(), "HBase 2.5 has no such page");
    for (TableName table : kinds.keySet()) {
      long bytes = 0;
      for (Path path : server.storeFiles(table)) {
        bytes += facts(path).bytes;
      }
      long ofFiles = bytes;
      TestServer.await(
          "bytes of " + table,
          () -> {
            String lines = page("/prometheus");
            return labelled(lines, "filter_bytes", table) == ofFiles
                && labelled(lines, "saved_bytes", table)
                    == labelled(lines, "stock_bytes", table) - ofFiles
                && labelled(lines, "gets", table) == labelled(lines, "filter_requests", table);
          });
    }
  }

  /** Returns the facts about a store file's filter, from the file itself. */
  private static FilterFacts facts(Path path) throws IOException {
    Configuration conf = server.configuration();
    try (HFile.Reader reader =
        HFile.createReader(
            FileSystem.getLocal(conf),
            new org.apache.hadoop.fs.Path(path.toUri()),
            CacheConfig.DISABLED,
            true,
            conf)) {
      return FilterFacts.general(reader);
    }
  }

  /** Returns the value of a metric of a table's family in the text for Prometheus; -1 if absent. */
  private static long labelled(String lines, String metric, TableName table) {
    Matcher line =
        Pattern.compile(
                "winnow_family_"
                    + metric
                    + "\\{[^}]*namespace=\"default\",table=\""
                    + table.getQualifierAsString()
                    + "\",family=\"f\"[^}]*\\} ([0-9-]+)")
            .matcher(lines);
    return line.find() ? Long.parseLong(line.group(1)) : -1;
  }

  /** Every figure of a family, and those of the server, but for what JMX has not heard of yet. */
  @Test
  void winnowsPageShowsWhatJmxSays() throws Exception {
    AtomicReference<Map<String, Object>> shown = new AtomicReference<>();
    Map<String, Long> told =
        numbers(
            now -> {
              shown.set(shown());
              return now.entrySet().containsAll(shown.get().entrySet());
            });
    for (TableName table : kinds.keySet()) {
      assertTrue((long) shown.get().get(prefix(table) + "filterRequests") > ROWS, table.toString());
      assertTrue((long) shown.get().get(prefix(table) + "truePositives") > 0, table.toString());
    }
    for (String kind : List.of("Bloom", "Ribbon", "BumpedRibbon", "Quotient")) {
      assertTrue((long) shown.get().get("filterBytes" + kind) > 0, kind);
      assertEquals(told.get("openFiles" + kind), shown.get().get("openFiles" + kind), kind);
    }
    assertTrue(shown.get().size() > 50, shown.get().toString());
  }

  /** What the page shows, under the names that JMX has. */
  private static Map<String, Object> shown() {
    try {
      JsonNode document = json("/winnow?format=json");
      Map<String, Object> shown = new TreeMap<>();
      JsonNode metrics = document.get("metrics");
      metrics.fieldNames().forEachRemaining(name -> shown.put(name, metrics.get(name).longValue()));
      shown.keySet().removeIf(name -> name.startsWith("Namespace_"));
      Map<String, String> kindNames =
          Map.of(
              "bloom", "Bloom",
              "ribbon", "Ribbon",
              "bumped-ribbon", "BumpedRibbon",
              "quotient", "Quotient",
              "none", "None",
              "missing", "Missing");
      for (JsonNode line : document.get("families")) {
        String prefix =
            "Namespace_%s_table_%s_columnfamily_%s_metric_"
                .formatted(
                    line.get("table").textValue().contains(":") ? "hbase" : "default",
                    line.get("table").textValue().replaceFirst(".*:", ""),
                    line.get("family").textValue());
        shown.put(prefix + "filterRequests", line.get("questions").longValue());
        shown.put(prefix + "filterNegatives", line.get("negatives").longValue());
        shown.put(prefix + "falsePositives", line.get("falseReads").longValue());
        shown.put(prefix + "truePositives", line.get("trueReads").longValue());
      }
      for (Map.Entry<String, String> kind : kindNames.entrySet()) {
        long files = 0;
        long bytes = 0;
        for (JsonNode line : document.get("families")) {
          JsonNode ofKind = line.get("kinds").get(kind.getKey());
          files += ofKind == null ? 0 : ofKind.get("files").longValue();
          bytes += ofKind == null ? 0 : ofKind.get("bytes").longValue();
        }
        shown.put("openFiles" + kind.getValue(), files);
        if (!Set.of("None", "Missing").contains(kind.getValue())) {
          shown.put("filterBytes" + kind.getValue(), bytes);
        }
      }
      return shown;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The filters' kinds and bytes of each line of the page, as programs read it. */
  private static List<String> lines() throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    for (JsonNode line : json("/winnow?format=json&sort=-filterBytes").get("families")) {
      lines.add(line.get("filterBytes").longValue() + " " + line.get("has").textValue());
    }
    return lines;
  }

  /** What people read is what programs read. */
  @Test
  void winnowsPageIsPlainHtml() throws Exception {
    AtomicReference<HttpResponse<String>> page = new AtomicReference<>();
    AtomicReference<List<String>> lines = new AtomicReference<>();
    TestServer.await( // after some minutes HBase flushes its own tables, maybe between two answers
        "a page between two answers that are the same",
        () -> {
          lines.set(lines());
          page.set(ask("/winnow?sort=-filterBytes"));
          return lines.get().equals(lines());
        });
    HttpResponse<String> response = page.get();
    assertEquals(200, response.statusCode());
    assertEquals(
        "text/html;charset=utf-8",
        response
            .headers()
            .firstValue("Content-Type")
            .orElseThrow()
            .replace(" ", "")
            .toLowerCase(Locale.ROOT));
    assertTrue(
        response.headers().allValues("Content-Security-Policy").toString().contains("'none'"),
        response.headers().toString());
    String html = response.body();
    for (String outside : List.of("<script", "style=", "http:", "https:", "//", "@import")) {
      assertFalse(html.contains(outside), outside + "\n" + html);
    }
    Matcher bytes =
        Pattern.compile("data-label=\"filter bytes\" data-value=\"([0-9]+)\"").matcher(html);
    for (String line : lines.get()) {
      String[] bytesAndKind = line.split(" ", 2);
      assertTrue(bytes.find(), html);
      assertEquals(bytesAndKind[0], bytes.group(1));
      assertTrue(html.contains(">" + bytesAndKind[1] + "<"), line);
    }
    assertFalse(bytes.find());
    HttpResponse<String> style = ask("/winnow?style");
    assertTrue(html.contains("href=\"winnow?style\""), html);
    assertTrue(
        style.headers().firstValue("Content-Type").orElseThrow().startsWith("text/css"),
        style.headers().toString());
    assertTrue(style.body().contains("@media"), style.body());
  }

  @Test
  void serversOwnPageLeadsToIt() throws Exception {
    for (String path : List.of("/rs-status", "/header.jsp")) {
      String own = page(path);
      assertTrue(
          own.contains(
              ">Debug Dump</a></li><li class=\"nav-item\">"
                  + "<a class=\"nav-link\" href=\"/winnow\">Winnow</a></li>"),
          path + "\n" + own);
    }
    assertTrue(page("/rs-status").stripTrailing().endsWith("</html>"));
    assertEquals(List.of(), server.logLinesWith("There is no page /winnow"));
  }

  @Test
  void namesOfFamiliesAreText() throws Exception {
    TableName table =
        server.create(
            "hostile", Rows.family("<img src=x onerror=alert(1)>", BloomType.ROW, Map.of()));
    AtomicReference<String> html = new AtomicReference<>();
    TestServer.await( // the master knows that the region is open a moment before its server does
        "the family's name",
        () -> {
          html.set(page("/winnow"));
          return html.get().contains("&lt;img src=x onerror=alert(1)&gt;");
        });
    assertFalse(html.get().contains("<img"), html.get());
    server.admin().disableTable(table);
    server.admin().deleteTable(table);
  }

  @Test
  void fileThatIsOpenTellsItsFacts() throws Exception {
    String family = "/winnow?format=json&table=of-bumped-ribbon&family=f";
    JsonNode files = json(family).get("files");
    assertEquals(2, files.size());
    Set<String> seen = new HashSet<>();
    for (Path path : server.storeFiles(TableName.valueOf("of-bumped-ribbon"))) {
      String name = path.getFileName().toString();
      String region = path.getParent().getParent().getFileName().toString();
      FilterFacts facts = facts(path);
      JsonNode general = json(family + "&region=" + region + "&file=" + name).get("general");
      assertEquals(facts.filter, general.get("filter").textValue());
      assertEquals(facts.keys, general.get("keys").longValue());
      assertEquals(facts.bytes, general.get("bytes").longValue());
      assertEquals(facts.estimatedRate, general.get("builtRate").doubleValue());
      seen.add(name);
      for (String other : List.of("..%2F" + name, path.toString(), path.toUri().toString())) {
        String query = "/winnow?table=of-bumped-ribbon&family=f&region=" + region + "&file=";
        assertEquals(404, ask(query + other).statusCode(), other);
      }
    }
    Set<String> listed = new HashSet<>();
    files.forEach(file -> listed.add(file.get("file").textValue()));
    assertEquals(seen, listed);
  }

  @Test
  void serverSaysSoInItsLog() throws Exception {
    List<String> lines = server.logLinesWith("publishes its metrics as " + BEAN);
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).contains(" INFO "), lines.get(0));
  }
}
