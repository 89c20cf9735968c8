package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.winnow.hbase.HBaseLine;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A real region server's metrics, as its own web pages show them. */
class MetricsIT {
  private static final int ROWS = 3000;
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

  private static String page(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.pagesPort() + path);
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(200, response.statusCode(), uri + "\n" + response.body());
    return response.body();
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
    Map<String, Long> numbers =
        numbers(now -> now.getOrDefault("truePositives", 0L) >= (long) ROWS * kinds.size());
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
      assertEquals(2, numbers.get("openFiles" + kind), kind);
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
    numbers(now -> now.containsKey("active"));
    String lines = page("/prometheus");
    for (String name :
        List.of(
            "winnow_active",
            "winnow_open_files_bumped_ribbon",
            "winnow_false_positives",
            "winnow_filter_negatives",
            "winnow_fallbacks_wrong_setting",
            "winnow_fallbacks_memory_limit",
            "winnow_fallbacks_failure",
            "winnow_chunks_given_up",
            "winnow_open_files_unreadable",
            "winnow_namespace_default_table_of_ribbon_columnfamily_f_metric_false_positives")) {
      assertTrue(lines.contains("\n" + name + "{"), name + " is not among the lines");
    }
  }

  @Test
  void serverSaysSoInItsLog() throws Exception {
    List<String> lines = server.logLinesWith("tells its metrics as " + BEAN);
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).contains(" INFO "), lines.get(0));
  }
}
