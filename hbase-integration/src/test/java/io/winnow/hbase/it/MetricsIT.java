package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
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
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A real region server's metrics, as its own web pages show them. */
class MetricsIT {
  private static final int ROWS = 3000;
  private static final String BEAN = "Hadoop:service=HBase,name=RegionServer,sub=Winnow";
  private static final Pattern NUMBER = Pattern.compile("\"([^\"]+)\" : (-?[0-9]+)");

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
          Map.of("winnow.filter", filter, "io.storefile.bloom.error.rate", "0.05");
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
              StoreFileInfo.createStoreFileInfoForHFile(
                  conf,
                  FileSystem.getLocal(conf).getRaw(),
                  new org.apache.hadoop.fs.Path(path.toUri()),
                  true),
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
  void show() throws Exception {
    System.out.println(page("/jmx?qry=" + BEAN));
    for (String p : new String[] {"/metrics", "/prometheus", "/prometheus-hadoop"}) {
      try {
        page(p)
            .lines()
            .filter(l -> l.toLowerCase(Locale.ROOT).contains("innow"))
            .forEach(l -> System.out.println(p + ": " + l));
      } catch (Throwable e) {
        System.out.println(p + ": " + e);
      }
    }
  }
}
