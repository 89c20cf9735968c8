package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The page {@code /winnow} of a server with a thousand regions, which nobody has looked at before:
 * prints how long the first answer takes, and further ones. In the profile {@code browser}.
 */
@Isolated // from the other class of the profile
class ThousandRegionsCheck {
  private static final int REGIONS = 1000;
  private static final int ANSWERS = 50;

  private static TestServer server;
  private static TableName table;

  @BeforeAll
  static void start() throws Exception {
    // Else the regions would take more than the server's heap when they are written to.
    Map<String, String> site = Map.of("hbase.hregion.memstore.mslab.enabled", "false");
    server = TestServer.withAgentAndPages(TestServer.emptyDirectory("thousand-regions"), site);
    byte[][] splits = new byte[REGIONS - 1][];
    for (int i = 0; i < splits.length; i++) {
      splits[i] = Rows.key(20 * (i + 1));
    }
    table = server.create("regions", splits, Rows.family("f", BloomType.ROW, Map.of()));
    Rows.write(server.connection(), table, 0, 10 * REGIONS);
    server.admin().flush(table);
    TestServer.await("all files", () -> files() == REGIONS);
  }

  /** As HBase tells it: our page has not been asked for yet. */
  private static int files() throws IOException {
    Admin admin = server.admin();
    int files = 0;
    for (ServerName one : admin.getRegionServers()) {
      for (RegionMetrics region : admin.getRegionMetrics(one, table)) {
        files += region.getStoreFileCount();
      }
    }
    return files;
  }

  @AfterAll
  static void stop() throws IOException {
    if (server != null) {
      server.kill();
    }
  }

  private static HttpResponse<String> ask(HttpClient client, String path)
      throws IOException, InterruptedException {
    URI page = URI.create("http://127.0.0.1:" + server.pagesPort() + path);
    return client.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void answersTellOfAllRegions() throws Exception {
    // A connection and HBase's own pages are warm: what is timed is our page.
    HttpClient client = HttpClient.newHttpClient();
    ask(client, "/rs-status");
    for (String path :
        List.of("/winnow", "/winnow?format=json", "/winnow?table=regions&family=f")) {
      List<Double> millis = new ArrayList<>();
      int size = 0;
      for (int i = 0; i < ANSWERS; i++) {
        long start = System.nanoTime();
        HttpResponse<String> answer = ask(client, path);
        millis.add((System.nanoTime() - start) / 1e6);
        assertEquals(200, answer.statusCode());
        size = answer.body().length();
      }
      double first = millis.get(0);
      Collections.sort(millis);
      System.out.printf(
          "%s of %d regions: first %.1f ms, median %.1f ms, slowest %.1f ms of %d; %d characters%n",
          path, REGIONS, first, millis.get(ANSWERS / 2), millis.get(ANSWERS - 1), ANSWERS, size);
    }
    JsonNode families =
        new ObjectMapper()
            .readTree(ask(client, "/winnow?format=json&sort=-files").body())
            .get("families");
    assertEquals("regions", families.get(0).get("table").textValue());
    assertEquals(REGIONS, families.get(0).get("files").intValue());
  }
}
