package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import javax.servlet.ServletContext;
import org.apache.hadoop.security.authentication.client.AuthenticatedURL;
import org.apache.hadoop.security.authentication.server.AuthenticationToken;
import org.apache.hadoop.security.authentication.util.Signer;
import org.apache.hadoop.security.authentication.util.SignerSecretProvider;
import org.junit.jupiter.api.Test;

/**
 * The page {@code /winnow} shows values of {@code /jmx}: who may see these may see it, and nobody
 * else. HBase guards these values in two ways, and each has a test. Who asks, a server reads from a
 * cookie that it signed when they logged in; the tests know the secret, and sign it themselves.
 */
class PageAccessIT {
  private static final String SECRET = "the secret of a web server";

  /** Our addresses, and the answers to those who may see them. */
  private static final Map<String, Integer> OURS =
      Map.of(
          "/winnow", 200,
          "/winnow?format=json", 200,
          "/winnow?style", 200,
          "/winnow?table=none&family=f", 404,
          "/winnow?table=none&family=f&format=json", 404,
          "/winnow?table=none&family=f&region=r&file=n", 404,
          "/winnow?table=none&family=f&region=r&file=n&format=json", 404);

  /** The secret as Hadoop asks for it. */
  private static final class Secret extends SignerSecretProvider {
    @Override
    public void init(Properties config, ServletContext context, long validity) {}

    @Override
    public byte[] getCurrentSecret() {
      return SECRET.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[][] getAllSecrets() {
      return new byte[][] {getCurrentSecret()};
    }
  }

  /**
   * @param user null for nobody that the server knows
   * @param type how the server makes sure who asks
   */
  private static HttpResponse<String> ask(TestServer server, String path, String user, String type)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.pagesPort() + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    if (user != null) {
      AuthenticationToken token = new AuthenticationToken(user, user, type);
      token.setExpires(System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1));
      String signed = new Signer(new Secret()).sign(token.toString());
      request.header("Cookie", AuthenticatedURL.AUTH_COOKIE + "=\"" + signed + "\"");
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Our pages answer as {@code /jmx} does. */
  private static void assertAsJmx(TestServer server, int status, String user, String type)
      throws IOException, InterruptedException {
    assertEquals(status, ask(server, "/jmx", user, type).statusCode(), "/jmx for " + user);
    for (Map.Entry<String, Integer> path : OURS.entrySet()) {
      HttpResponse<String> page = ask(server, path.getKey(), user, type);
      String told = path.getKey() + " for " + user + ": " + page.body();
      assertEquals(status == 200 ? path.getValue() : status, page.statusCode(), told);
      if (status != 200) {
        assertFalse(page.body().contains("false reads") || page.body().contains("families"), told);
      }
    }
  }

  private static TestServer start(Path directory, Map<String, String> site)
      throws IOException, InterruptedException {
    return TestServer.withAgentAndPages(directory, site);
  }

  private static Path secret(Path directory) throws IOException {
    return Files.writeString(directory.resolve("secret"), SECRET);
  }

  @Test
  void everybodySeesItWhereEverybodySeesJmx() throws Exception {
    TestServer server = TestServer.shared();
    assertAsJmx(server, 200, null, null);
    assertTrue(server.logLinesWith("There is no page /winnow").isEmpty());
  }

  @Test
  void whereMetricsAreForAdministratorsItIsToo() throws Exception {
    Path directory = TestServer.emptyDirectory("page-of-administrators");
    Map<String, String> site = new HashMap<>();
    site.put("hadoop.security.authorization", "true");
    site.put("hadoop.security.instrumentation.requires.admin", "true");
    site.put("hbase.security.authentication.ui", "ldap"); // administrators have names
    site.put("hbase.security.authentication.ldap.admin.users", "root");
    site.put(
        "hbase.http.filter.initializers",
        "org.apache.hadoop.hbase.http.lib.AuthenticationFilterInitializer");
    site.put("hadoop.http.authentication.type", "simple");
    site.put("hadoop.http.authentication.simple.anonymous.allowed", "true");
    site.put("hadoop.http.authentication.signature.secret.file", secret(directory).toString());
    TestServer server = start(directory, site);
    try {
      assertAsJmx(server, 200, "root", "simple");
      assertAsJmx(server, 403, "somebody", "simple");
      assertAsJmx(server, 401, null, "simple");
      assertEquals(200, ask(server, "/rs-status", "somebody", "simple").statusCode());
    } finally {
      server.kill();
    }
  }

  @Test
  void whereTheWebServerAsksForKerberosItIsAsPrivilegedAsJmx() throws Exception {
    Path directory = TestServer.emptyDirectory("page-with-kerberos");
    Path keytab = Files.createFile(directory.resolve("keytab")); // nobody logs in: see the cookie
    Map<String, String> site = new HashMap<>();
    site.put("hadoop.security.authorization", "true");
    site.put("hbase.security.authentication.ui", "kerberos");
    site.put("hbase.security.authentication.spnego.kerberos.principal", "HTTP/localhost@TEST");
    site.put("hbase.security.authentication.spnego.kerberos.keytab", keytab.toString());
    site.put("hbase.security.authentication.spnego.admin.users", "root");
    site.put("hbase.security.authentication.signature.secret.file", secret(directory).toString());
    TestServer server = start(directory, site);
    try {
      assertAsJmx(server, 200, "root", "kerberos");
      assertAsJmx(server, 403, "somebody", "kerberos");
      assertAsJmx(server, 401, null, "kerberos");
      assertEquals(200, ask(server, "/rs-status", "somebody", "kerberos").statusCode());
    } finally {
      server.kill();
    }
  }
}
