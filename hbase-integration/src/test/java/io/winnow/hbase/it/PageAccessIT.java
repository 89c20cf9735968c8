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

/** The page {@code /winnow} shows values of {@code /jmx}: who may not see these sees neither. */
class PageAccessIT {
  /** Our addresses, and the answer where everybody sees them. */
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

  private static void assertAsJmx(String directory, Map<String, String> site, boolean mayBeSeen)
      throws IOException, InterruptedException {
    TestServer server = TestServer.withAgentAndPages(TestServer.emptyDirectory(directory), site);
    try {
      HttpResponse<String> jmx = ask(server, "/jmx");
      assertEquals(mayBeSeen, jmx.statusCode() == 200, jmx.statusCode() + " " + jmx.body());
      for (String path : OURS.keySet()) {
        HttpResponse<String> page = ask(server, path);
        int expected = mayBeSeen ? OURS.get(path) : jmx.statusCode();
        assertEquals(expected, page.statusCode(), path);
        assertEquals(mayBeSeen, !page.body().contains("authorized"), page.body());
      }
      assertEquals(200, ask(server, "/rs-status").statusCode(), "the web server itself serves");
      assertTrue(server.logLinesWith("There is no page /winnow").isEmpty());
    } finally {
      server.kill();
    }
  }

  @Test
  void everybodySeesItWhereEverybodySeesJmx() throws Exception {
    assertAsJmx("page-open", Map.of(), true);
  }

  @Test
  void whereMetricsAreForAdministratorsItIsToo() throws Exception {
    Map<String, String> guarded =
        Map.of(
            "hbase.http.filter.initializers", "", // HBase's own gives each request a user
            "hadoop.security.authorization", "true",
            "hadoop.security.instrumentation.requires.admin", "true");
    assertAsJmx("page-guarded", guarded, false);
  }
}
