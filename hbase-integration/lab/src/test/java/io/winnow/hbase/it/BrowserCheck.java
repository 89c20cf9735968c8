package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The page {@code /winnow} in a real browser, at the widths of a desk and of a phone. In the
 * profile {@code browser}.
 */
class BrowserCheck {
  private static final int ROWS = 60_000;
  private static final String NO_SIDEWAYS =
      "[document.documentElement, ...document.querySelectorAll('.wide')]"
          + ".every(part => part.scrollWidth <= part.clientWidth)";

  private static TestServer server;
  private static Browser browser;
  private static Path pictures;

  @BeforeAll
  static void start() throws Exception {
    Path directory = TestServer.emptyDirectory("browser");
    pictures = Path.of(System.getProperty("winnow.pictures"));
    Files.createDirectories(pictures);
    browser = Browser.start(Files.createDirectories(directory.resolve("profile")));
    server = TestServer.withAgentAndPages(directory, Map.of());
    Map<String, String> filters = new LinkedHashMap<>();
    filters.put("orders", "bumped-ribbon");
    filters.put("customers", "ribbon");
    filters.put("sessions", "quotient");
    filters.put("archive", "bloom");
    for (Map.Entry<String, String> filter : filters.entrySet()) {
      Map<String, String> conf = new HashMap<>(Map.of("winnow.filter", filter.getValue()));
      if (filter.getKey().equals("archive")) { // in the others Gets query the filters
        conf.put("winnow.scan.segment", Rows.SCANNED_PREFIX_SIZE + ",2");
      }
      TableName table = server.create(filter.getKey(), Rows.family("f", BloomType.ROW, conf));
      Rows.write(server.connection(), table, 0, ROWS / 3);
      server.flush(table);
      server.majorCompact(table);
      Rows.write(server.connection(), table, ROWS / 3, ROWS);
      scanAndDelete(table);
      server.flush(table);
      Rows.assertMisses(server.connection(), table, ROWS);
    }
  }

  /** Columns about scans and about markers are on the page only if there were some. */
  private static void scanAndDelete(TableName name) throws IOException {
    try (Table table = server.connection().getTable(name)) {
      byte[] prefix = Arrays.copyOf(Rows.key(0), Rows.SCANNED_PREFIX_SIZE);
      Scan byBounds = new Scan().setStartStopRowForPrefixScan(prefix);
      Scan byFilter = new Scan().setFilter(new PrefixFilter(prefix));
      for (Scan scan : List.of(byBounds, byFilter)) {
        try (ResultScanner scanner = table.getScanner(scan)) {
          scanner.next();
        }
      }
      table.delete(new Delete(Rows.key(0)).addFamily(Rows.FAMILY));
    }
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      if (browser != null) {
        browser.close();
      }
    } finally {
      if (server != null) {
        server.kill();
      }
    }
  }

  private static String url(String path) {
    return "http://127.0.0.1:" + server.pagesPort() + path;
  }

  private static String style(String selector, String property)
      throws IOException, InterruptedException {
    return browser
        .value("getComputedStyle(document.querySelector('%s')).%s".formatted(selector, property))
        .textValue();
  }

  /** The filter bytes of the rows, from top to bottom. */
  private static List<Long> bytes() throws IOException, InterruptedException {
    List<Long> bytes = new ArrayList<>();
    browser
        .value(
            "[...document.querySelectorAll('td[data-label=\"filter bytes\"]')]"
                + ".map(cell => Number(cell.dataset.value))")
        .forEach(value -> bytes.add(value.longValue()));
    return bytes;
  }

  private static void assertShown(boolean onPhone) throws IOException, InterruptedException {
    assertEquals("6px", style(".card", "borderTopLeftRadius"), "the style is used");
    assertEquals(onPhone ? "block" : "table-row", style(".rows tbody tr", "display"));
    assertTrue(browser.value(NO_SIDEWAYS).booleanValue(), "nothing is cut off");
    assertEquals(
        List.of(),
        browser.complaints().stream()
            .filter(text -> !text.contains("404")) // HBase's own pictures are not here
            .toList());
  }

  /** Sorts by a click, to and fro. */
  private static void assertSorts() throws IOException, InterruptedException {
    String title = "document.querySelector('th a[href$=\"%sfilterBytes\"]').click()";
    browser.value(title.formatted("-"));
    browser.awaitPage(url("/winnow?sort=-filterBytes"));
    List<Long> falling = bytes();
    assertTrue(falling.size() >= 4, falling.toString());
    List<Long> expected = new ArrayList<>(falling);
    expected.sort(Collections.reverseOrder());
    assertEquals(expected, falling);
    browser.value(title.formatted("="));
    browser.awaitPage(url("/winnow?sort=filterBytes"));
    Collections.reverse(expected);
    assertEquals(expected, bytes());
  }

  private static void look(String name, int width, int height, boolean onPhone) throws Exception {
    browser.open(url("/winnow"), width, height, onPhone ? 2 : 1.5);
    assertShown(onPhone);
    assertSorts();
    browser.open(url("/winnow?sort=-savedBytes"), width, height, onPhone ? 2 : 1.5);
    browser.picture(pictures.resolve("page-" + name + ".png"));
    browser.value("document.querySelector('td a[href*=\"table=orders\"]').click()");
    browser.awaitPage(url("/winnow?table=orders&family=f"));
    assertShownTable(onPhone);
    browser.value("document.querySelector('td a[href*=\"file=\"]').click()");
    TestServer.await(
        "the file's page", () -> browser.value("location.href").textValue().contains("&file="));
    TestServer.await(
        "its facts",
        () -> browser.value("document.body.innerText").textValue().contains("bumped-ribbon"));
    assertTrue(browser.value(NO_SIDEWAYS).booleanValue());
  }

  private static void assertShownTable(boolean onPhone) throws IOException, InterruptedException {
    assertEquals(onPhone ? "block" : "table-row", style(".rows tbody tr", "display"));
    assertTrue(browser.value(NO_SIDEWAYS).booleanValue(), "no column of files is cut off");
  }

  @Test
  void onADesk() throws Exception {
    look("desktop", 1280, 760, false);
  }

  @Test
  void onAPhone() throws Exception {
    look("phone", 390, 1800, true);
  }

  @Test
  void inTheDark() throws Exception {
    browser.prefer("dark");
    try {
      browser.open(url("/winnow"), 1280, 760, 1);
      assertEquals("rgb(18, 23, 29)", style("body", "backgroundColor"));
      assertEquals("rgb(227, 232, 238)", style(".card", "color"));
      assertEquals("rgb(27, 34, 42)", style(".card", "backgroundColor"));
    } finally {
      browser.prefer("light");
    }
  }

  @Test
  void serversOwnPageLeadsThere() throws Exception {
    browser.open(url("/rs-status"), 1500, 760, 1);
    browser.value("document.querySelector('a[href=\"/winnow\"]').click()");
    browser.awaitPage(url("/winnow"));
    assertTrue(browser.value("document.title").textValue().startsWith("Winnow"));
  }
}
