package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page {@code /winnow} shows values of {@code /jmx}: who may not see these sees neither. */
class PageAccessIT {
  private static final List<String> OURS =
      List.of("/winnow", "/winnow?format=json", "/winnow?style", "/winnow?table=none&family=f");

  /** A filter of HBase's web server that gives each request this user. */
  private static final Map<String, String> WITH_A_USER =
      Map.of(
          "hbase.http.filter.initializers",
          "org.apache.hadoop.hbase.http.lib.StaticUserWebFilter",
          "hbase.http.staticuser.user",
          "somebody");

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
      for (String path : OURS) {
        HttpResponse<String> page = ask(server, path);
        assertEquals(jmx.statusCode(), page.statusCode(), path);
        assertEquals(mayBeSeen, !page.body().contains("authorized"), page.body());
      }
      assertEquals(200, ask(server, "/conf").statusCode(), "the web server itself serves");
      assertTrue(server.logLinesWith("There is no page /winnow").isEmpty());
    } finally {
      server.kill();
    }
  }

  @Test
  void everybodySeesItWhereEverybodySeesJmx() throws Exception {
    assertAsJmx("page-open", WITH_A_USER, true);
  }

  @Test
  void whereMetricsAreForAdministratorsItIsToo() throws Exception {
    Map<String, String> guarded =
        Map.of(
            "hadoop.security.authorization", "true",
            "hadoop.security.instrumentation.requires.admin", "true");
    assertAsJmx("page-guarded", guarded, false);
  }
}
