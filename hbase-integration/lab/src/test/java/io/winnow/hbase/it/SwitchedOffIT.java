package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.STOCK;
import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Test;

/** A real HBase with every hook switched off: it has Winnow's filters, and nothing else of it. */
class SwitchedOffIT {
  private static final int ROWS = 1000;
  private static final String OFF =
      "=off=system-tables,settings-check,metrics,false-positive-count,scans,page,store-rates"
          + ",filter-ranges,bulk-load,scan-metrics,short-cut";

  private static HttpResponse<String> ask(TestServer server, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.pagesPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void filtersStay() throws Exception {
    Path directory = TestServer.emptyDirectory("switched-off");
    String agent = "-javaagent:" + TestServer.agentJar() + OFF;
    TestServer server = TestServer.withAgents(List.of(agent), directory, Map.of());
    try {
      String said = Files.readString(directory.resolve("logs").resolve("hbase.out"));
      assertTrue(
          said.contains(" Woven: BloomFilterFactory; when they are loaded: nothing. "), said);
      assertTrue(said.contains(" On: filters. Off: "), said);

      Map<String, String> both =
          Map.of("winnow.filter", "bumped-ribbon", "winnow.scan.segment", "4");
      TableName table = server.create("asks", Rows.family("f", BloomType.ROW, both));
      for (int file = 0; file < 2; file++) {
        Rows.write(server.connection(), table, file * ROWS / 2, (file + 1) * ROWS / 2);
        server.flush(table);
      }
      assertEquals(List.of(WINNOW, WINNOW), server.filterVersions(table));
      for (Path file : server.storeFiles(table)) { // who knows the store has a flush write ribbon
        String filter = server.generalFilter(file);
        assertTrue(filter.contains("bumped-ribbon"), filter);
        assertNull(server.keySegment(file));
      }
      Rows.assertAllFound(server.connection(), table, ROWS);
      Rows.assertMisses(server.connection(), table, ROWS);
      server.majorCompact(table);
      assertEquals(List.of(WINNOW), server.filterVersions(table));
      Rows.assertAllFound(server.connection(), table, ROWS);

      Map<String, String> wrong = Map.of("winnow.filter", "ribbon", "winnow.hash", "none");
      TableName unchecked = server.create("unchecked", Rows.family("f", BloomType.ROW, wrong));
      Rows.write(server.connection(), unchecked, 0, ROWS);
      server.flush(unchecked);
      assertEquals(List.of(STOCK), server.filterVersions(unchecked));
      Rows.assertAllFound(server.connection(), unchecked, ROWS);

      assertEquals(404, ask(server, "/winnow").statusCode());
      String[] beans = new String[1]; // HBase takes its own away for a moment after a table is made
      TestServer.await(
          "HBase's metrics",
          () -> {
            beans[0] = ask(server, "/jmx").body();
            return beans[0].contains("name=RegionServer,sub=Server");
          });
      assertFalse(beans[0].contains("sub=Winnow"), beans[0]);
    } finally {
      server.kill();
    }
  }
}
