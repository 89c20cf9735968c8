package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page {@code /winnow} shows values of {@code /jmx}: who sees these sees it, too. */
class PageAccessIT {
  /** Our addresses, and the answers. */
  private static final Map<String, Integer> OURS =
      Map.of(
          "/winnow", 200,
          "/winnow?format=json", 200,
          "/winnow?style", 200,
          "/winnow?table=none&family=f", 404);

  private static HttpResponse<String> ask(TestServer server, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.pagesPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void everybodySeesItWhereEverybodySeesJmx() throws Exception {
    TestServer server =
        TestServer.withAgentAndPages(TestServer.emptyDirectory("page-open"), Map.of());
    try {
      assertEquals(200, ask(server, "/jmx").statusCode());
      for (Map.Entry<String, Integer> path : OURS.entrySet()) {
        HttpResponse<String> page = ask(server, path.getKey());
        assertEquals(path.getValue(), page.statusCode(), path.getKey() + ": " + page.body());
      }
      assertTrue(server.logLinesWith("There is no page /winnow").isEmpty());
    } finally {
      server.kill();
    }
  }
}
