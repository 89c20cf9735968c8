package io.winnow.hbase.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A headless Chromium with one page, steered through its DevTools protocol. It reaches this machine
 * and no other.
 */
final class Browser implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "chromium-headless-shell", "google-chrome");
  private static final String LISTENS = "DevTools listening on ws://";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final WebSocket socket;
  private final AtomicInteger lastId = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
  private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());

  private Browser(Process process, URI page) throws IOException, InterruptedException {
    this.process = process;
    this.socket =
        await(HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(page, new Messages()));
  }

  /**
   * @throws IOException with a sentence that says how to install one, if there is none
   */
  static Browser start(Path directory) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                executable().toString(),
                "--headless",
                "--no-sandbox", // which root cannot have
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--hide-scrollbars",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--remote-debugging-port=0",
                "--user-data-dir=" + directory,
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String address = listens(process);
      HttpRequest pages =
          HttpRequest.newBuilder(URI.create("http://" + address + "/json/list")).build();
      String found =
          HttpClient.newHttpClient().send(pages, HttpResponse.BodyHandlers.ofString()).body();
      for (JsonNode page : JSON.readTree(found)) {
        if (page.get("type").textValue().equals("page")) {
          return new Browser(process, URI.create(page.get("webSocketDebuggerUrl").textValue()));
        }
      }
      throw new IOException("the browser has no page: " + found);
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static Path executable() throws IOException {
    String named = System.getProperty("winnow.browser");
    if (named != null && !named.isEmpty()) {
      return Path.of(named);
    }
    for (String directory : System.getenv("PATH").split(File.pathSeparator)) {
      for (String name : NAMES) {
        if (Files.isExecutable(Path.of(directory, name))) {
          return Path.of(directory, name);
        }
      }
    }
    throw new IOException(
        "There is no Chromium here. Install it ('apt-get install chromium'), or name one with"
            + " -Dwinnow.browser=PATH");
  }

  /** The host and port of its protocol. */
  private static String listens(Process process) throws IOException {
    BufferedReader errors = process.errorReader(StandardCharsets.UTF_8);
    StringBuilder said = new StringBuilder();
    for (String line = errors.readLine(); line != null; line = errors.readLine()) {
      if (line.startsWith(LISTENS)) {
        Thread rest = new Thread(() -> errors.lines().forEach(more -> {}), "browser's errors");
        rest.setDaemon(true);
        rest.start();
        return line.substring(LISTENS.length(), line.indexOf('/', LISTENS.length()));
      }
      said.append(line).append('\n');
    }
    throw new IOException("the browser has not started:\n" + said);
  }

  private static <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
    try {
      return future.get(TestServer.PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the browser does not answer", e);
    }
  }

  /** Takes what the browser says. */
  private final class Messages implements WebSocket.Listener {
    private final StringBuilder message = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
      message.append(part);
      if (isLast) {
        take(message.toString());
        message.setLength(0);
      }
      from.request(1);
      return null;
    }

    private void take(String text) {
      try {
        JsonNode said = JSON.readTree(text);
        if (said.has("id")) {
          answers.remove(said.get("id").intValue()).complete(said);
        } else if (said.path("method").asText().equals("Log.entryAdded")) {
          complaints.add(said.get("params").get("entry").path("text").asText());
        }
      } catch (IOException e) {
        complaints.add(text);
      }
    }
  }

  private JsonNode send(String method, Map<String, Object> parameters)
      throws IOException, InterruptedException {
    int id = lastId.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.put(id, answer);
    ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
    message.set("params", JSON.valueToTree(parameters));
    await(socket.sendText(message.toString(), true));
    JsonNode said = await(answer);
    if (said.has("error")) {
      throw new IOException(method + ": " + said.get("error"));
    }
    return said.get("result");
  }

  /** Shows a page in a window of this size, in CSS pixels. */
  void open(String url, int width, int height, double pixelRatio)
      throws IOException, InterruptedException {
    send("Log.enable", Map.of());
    send(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", pixelRatio, "mobile", false));
    send("Page.navigate", Map.of("url", url));
    awaitPage(url);
  }

  /** Shows pages as to a user who prefers {@code light} or {@code dark}. */
  void prefer(String scheme) throws IOException, InterruptedException {
    Map<String, String> feature = Map.of("name", "prefers-color-scheme", "value", scheme);
    send("Emulation.setEmulatedMedia", Map.of("features", List.of(feature)));
  }

  /** Waits until the page at an address is there. */
  void awaitPage(String url) throws IOException, InterruptedException {
    TestServer.await(
        "the page " + url,
        () ->
            value("document.readyState + ' ' + location.href")
                .textValue()
                .equals("complete " + url));
  }

  /** What an expression of JavaScript is worth in the page. */
  JsonNode value(String expression) throws IOException, InterruptedException {
    JsonNode result =
        send("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
    if (result.has("exceptionDetails")) {
      throw new IOException(expression + ": " + result.get("exceptionDetails"));
    }
    return result.get("result").path("value");
  }

  /** Errors and warnings that the browser's console has, since the browser was started. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** Writes what the window shows, as a PNG. */
  void picture(Path file) throws IOException, InterruptedException {
    JsonNode shot = send("Page.captureScreenshot", Map.of("format", "png"));
    Files.write(file, Base64.getDecoder().decode(shot.get("data").textValue()));
  }

  @Override
  public void close() {
    socket.abort();
    process.destroyForcibly();
  }
}
