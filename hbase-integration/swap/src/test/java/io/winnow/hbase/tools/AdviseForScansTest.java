package io.winnow.hbase.tools;

import static io.winnow.hbase.tools.ToolsDoor.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.page.PageDoor;
import io.winnow.hbase.tools.ToolsDoor.Ran;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/**
 * Settings for scans that {@code advise} proposes for the tables of programs that people use: store
 * files with their keys, after scans with the bounds that they send.
 */
class AdviseForScansTest extends ToolsCase {
  private static final int FILES = 8;

  /** Sign that Apache Phoenix turns over in a BIGINT. */
  private static final long SIGN = Long.MIN_VALUE;

  private static final long TIME = 1_790_000_000_000L;

  private TestRegion region(String table, String family) throws IOException {
    return ToolsTable.region(
        root, table, ColumnFamilyDescriptorBuilder.of(Bytes.toBytes(family)), Map.of());
  }

  /** Each list becomes a file. */
  private static void fill(TestRegion region, List<List<byte[]>> files) throws IOException {
    byte[] family = region.store().getColumnFamilyDescriptor().getName();
    for (List<byte[]> rows : files) {
      for (byte[] row : rows) {
        region.region().put(new Put(row).addColumn(family, family, family));
      }
      region.region().flush(true);
    }
  }

  private static void scan(TestRegion region, Scan scan) throws IOException {
    // As a client's scan arrives at a server: it names its families.
    scan.addFamily(region.store().getColumnFamilyDescriptor().getName());
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      boolean more = true;
      while (more) {
        more = scanner.next(new ArrayList<>());
      }
    }
  }

  private static void scan(TestRegion region, byte[] from, byte[] to) throws IOException {
    scan(region, new Scan().withStartRow(from).withStopRow(to));
  }

  private static void scanPrefix(TestRegion region, byte[] prefix) throws IOException {
    scan(region, new Scan().setStartStopRowForPrefixScan(prefix));
  }

  private Path page(TestRegion region) throws IOException {
    Path page = elsewhere.resolve("page.json");
    Files.writeString(page, PageDoor.json(List.of(region.region())));
    return page;
  }

  /**
   * Returns the settings in the line that is proposed after the scans were counted; "" for none.
   */
  private String proposed(TestRegion region) throws Exception {
    String table = ToolsTable.name(region).getNameAsString();
    String page = page(region).toString();
    assertNothingWithoutCounts(region);
    JsonNode family =
        json(region.configuration(), Tool.DONE, "advise", table, "--scans", page)
            .get("families")
            .get(0);
    Ran ran = run(region.configuration(), "advise", table, "--scans", page);
    if (!family.has("alterForScans")) {
      assertFalse(ran.out().contains("'winnow.scan."), ran.out());
      return "";
    }
    String alter = family.get("alterForScans").textValue();
    assertTrue(ran.out().contains("  " + alter + "\n"), ran.out());
    return alter.substring(alter.lastIndexOf('{') + 1, alter.length() - 2);
  }

  private void assertNothingWithoutCounts(TestRegion region) throws Exception {
    Ran ran =
        run(
            region.configuration(),
            "advise",
            ToolsTable.name(region).getNameAsString(),
            "--all-choices");
    assertEquals(Tool.DONE, ran.code(), ran.toString());
    assertFalse(ran.out().contains("'winnow.scan."), ran.out());
  }

  private static byte[] user(int user) {
    return Bytes.toBytes(String.format(Locale.ROOT, "u%06d", user));
  }

  /** Events of users, each of them in one file of eight, as Phoenix writes (USR, TS). */
  private static List<List<byte[]>> byUser(byte[] salts, int users, boolean isFixed) {
    List<List<byte[]>> files = new ArrayList<>();
    for (int file = 0; file < FILES; file++) {
      List<byte[]> rows = new ArrayList<>();
      for (int user = file; user < users; user += FILES) {
        for (int row = 0; row < FILES; row++) {
          byte[] name = isFixed ? user(user) : Bytes.toBytes("u" + user + "\0");
          byte[] key = Bytes.add(name, Bytes.toBytes(TIME + 70_000L * row ^ SIGN));
          rows.add(salts.length == 0 ? key : Bytes.add(new byte[] {salts[row % 2]}, key));
        }
      }
      files.add(rows);
    }
    return files;
  }

  @Test
  void phoenixKeyOfAFixedLength() throws Exception {
    try (TestRegion region = region("char", "0")) {
      fill(region, byUser(new byte[0], 240, true));
      for (int user = 0; user < 40; user++) {
        scanPrefix(region, user(user));
        byte[] from = Bytes.add(user(user), Bytes.toBytes(TIME ^ SIGN));
        scan(region, from, Bytes.add(user(user), Bytes.toBytes(TIME + 70_000 ^ SIGN)));
      }
      scan(region, user(10), user(30)); // implies less
      scan(region, new Scan());
      assertEquals("'winnow.scan.prefix' => '7'", proposed(region));
      Ran ran = run(region.configuration(), "advise", "char");
      assertTrue(ran.out().contains("winnow.scan.prefix = 7 would leave 1.0 of 8.0"), ran.out());
      assertTrue(ran.out().contains("of scans that imply the first 7 bytes"), ran.out());
      Ran counted =
          run(region.configuration(), "advise", "char", "--scans", page(region).toString());
      assertTrue(counted.out().contains(" (80 of 82 counted):\n"), counted.out());
    }
  }

  /**
   * Five users with the same six bytes are in five files, so that six bytes and seven have as many
   * pairs of a prefix and a file.
   */
  @Test
  void phoenixKeyWhoseShorterPrefixIsInAsManyFiles() throws Exception {
    try (TestRegion region = region("even", "0")) {
      List<List<byte[]>> files = new ArrayList<>();
      for (int file = 0; file < FILES; file++) {
        List<byte[]> rows = new ArrayList<>();
        for (int user = file; user < 120; user += FILES) {
          for (int row = 0; row < FILES; row++) {
            rows.add(Bytes.add(user(2 * user), Bytes.toBytes(TIME + 70_000L * row ^ SIGN)));
          }
        }
        files.add(rows);
      }
      fill(region, files);
      for (int user = 0; user < 120; user++) {
        scanPrefix(region, user(2 * user));
      }
      assertEquals("'winnow.scan.prefix' => '7'", proposed(region));
    }
  }

  /** A prefix of 8 bytes is a short tenant's hour, and only the name of a longer one. */
  @Test
  void phoenixHoursOfTenants() throws Exception {
    try (TestRegion region = region("tenants", "0")) {
      List<List<byte[]>> files = new ArrayList<>();
      for (int file = 0; file < FILES; file++) {
        List<byte[]> rows = new ArrayList<>();
        for (String tenant : new String[] {"acme\0", "b\0", "acme2\0"}) {
          for (int row = 0; row < 12; row++) {
            long time = TIME + 3_600_000L * file + 300_000L * row;
            rows.add(Bytes.add(Bytes.toBytes(tenant), Bytes.toBytes(time ^ SIGN), new byte[4]));
          }
        }
        files.add(rows);
      }
      fill(region, files);
      for (int file = 0; file < FILES; file++) {
        for (String tenant : new String[] {"acme\0", "b\0", "acme2\0"}) {
          byte[] name = Bytes.toBytes(tenant);
          byte[] from = Bytes.add(name, Bytes.toBytes(TIME + 3_600_000L * file ^ SIGN));
          scan(region, from, Bytes.add(name, Bytes.toBytes(TIME + 3_600_000L * (file + 1) ^ SIGN)));
        }
      }
      assertEquals("'winnow.scan.segment' => 'delimiter:0x00,1'", proposed(region));
    }
  }

  /** Each file has an hour of some users: the name is the prefix to set, not eight bytes. */
  @Test
  void phoenixNamesAndHours() throws Exception {
    try (TestRegion region = region("names", "0")) {
      List<List<byte[]>> files = new ArrayList<>();
      for (int file = 0; file < FILES; file++) {
        List<byte[]> rows = new ArrayList<>();
        for (int user = file % 4; user < 120; user += 4) {
          for (int row = 0; row < 12; row++) {
            rows.add(nameAndTime(user, TIME + 3_600_000L * file + 300_000L * row));
          }
        }
        files.add(rows);
      }
      fill(region, files);
      for (int user = 0; user < 120; user++) {
        for (int file = user % 4; file < FILES; file += 4) {
          long from = TIME + 3_600_000L * file;
          scan(region, nameAndTime(user, from), nameAndTime(user, from + 3_600_000L));
        }
      }
      assertEquals(
          "'winnow.scan.prefix' => 'delimiter:0x00', 'winnow.scan.segment' => 'delimiter:0x00,1'",
          proposed(region));
    }
  }

  private static byte[] nameAndTime(int user, long time) {
    return Bytes.add(Bytes.toBytes("u" + user + "\0"), Bytes.toBytes(time ^ SIGN));
  }

  @Test
  void phoenixKeyOfAnyLength() throws Exception {
    try (TestRegion region = region("varchar", "0")) {
      fill(region, byUser(new byte[0], 240, false));
      for (int user = 0; user < 240; user++) {
        byte[] name = Bytes.toBytes("u" + user);
        scan(region, name, Bytes.add(name, new byte[] {1}));
      }
      assertEquals("'winnow.scan.prefix' => 'delimiter:0x00'", proposed(region));
    }
  }

  /** A scan of LIKE 'u12%' implies no whole name. */
  @Test
  void phoenixScansOfPartsOfNames() throws Exception {
    try (TestRegion region = region("like", "0")) {
      fill(region, byUser(new byte[0], 240, false));
      for (int user = 0; user < 24; user++) {
        scanPrefix(region, Bytes.toBytes("u" + user));
      }
      String proposed = proposed(region);
      assertFalse(proposed.contains("delimiter"), proposed);
    }
  }

  @Test
  void phoenixSaltedKey() throws Exception {
    try (TestRegion region = region("salted", "0")) {
      fill(region, byUser(new byte[] {0, 1}, 240, true));
      for (int user = 0; user < 40; user++) {
        scanPrefix(region, Bytes.add(new byte[] {0}, user(user)));
        scanPrefix(region, Bytes.add(new byte[] {1}, user(user)));
      }
      assertEquals("'winnow.scan.prefix' => '8'", proposed(region));
    }
  }

  @Test
  void phoenixSlicesOfTime() throws Exception {
    try (TestRegion region = region("times", "0")) {
      List<List<byte[]>> files = new ArrayList<>();
      for (int file = 0; file < FILES; file++) {
        List<byte[]> rows = new ArrayList<>();
        for (int user = 0; user < 240; user++) {
          rows.add(Bytes.add(user(user), Bytes.toBytes(TIME + 70_000L * file + user ^ SIGN)));
        }
        files.add(rows);
      }
      fill(region, files);
      for (int user = 0; user < 40; user++) {
        byte[] from = Bytes.add(user(user), Bytes.toBytes(TIME + 140_000 ^ SIGN));
        scan(region, from, Bytes.add(user(user), Bytes.toBytes(TIME + 210_000 ^ SIGN)));
      }
      assertEquals("'winnow.scan.segment' => '7'", proposed(region));
    }
  }

  /** Settings of the table reach such families, and are not for them. */
  @Test
  void phoenixIndexesInOneTable() throws Exception {
    for (String[] name : new String[][] {{"local", "L#0"}, {"_IDX_VIEWS", "0"}}) {
      try (TestRegion region = region(name[0], name[1])) {
        fill(region, byUser(new byte[0], 240, true));
        for (int user = 0; user < 40; user++) {
          scanPrefix(region, user(user));
        }
        assertEquals("", proposed(region));
        Ran ran =
            run(region.configuration(), "advise", name[0], "--scans", page(region).toString());
        assertTrue(ran.out().contains("no prefix and no key segment is proposed: "), ran.out());
      }
    }
  }

  /**
   * Points of OpenTSDB, in a file for some hours: a metric of three bytes, an hour in seconds, and
   * tags.
   */
  private static List<List<byte[]>> points(int salts, int files, int hours) {
    List<List<byte[]>> all = new ArrayList<>();
    for (int file = 0; file < files; file++) {
      List<byte[]> rows = new ArrayList<>();
      for (int hour = 0; hour < hours; hour++) {
        for (int metric = 0; metric < 20; metric++) {
          for (int tag = 0; tag < 5; tag++) {
            int salt = salts == 0 ? 0 : (metric + tag) % salts;
            byte[] tags = {0, 0, 1, 0, 0, (byte) tag};
            rows.add(Bytes.add(metric(salts, salt, metric), hour(file * hours + hour), tags));
          }
        }
      }
      all.add(rows);
    }
    return all;
  }

  private static byte[] metric(int salts, int salt, int metric) {
    byte[] name = {0, 1, (byte) metric};
    return salts == 0 ? name : Bytes.add(new byte[] {(byte) salt}, name);
  }

  private static byte[] hour(int hour) {
    return Bytes.toBytes(1_790_000_000 / 3600 * 3600 + 3600 * hour);
  }

  /** Queries of an hour: [hour, two hours behind it), in each bucket of salts. */
  private static void query(TestRegion region, int salts, int hours) throws IOException {
    for (int hour = 0; hour < hours; hour++) {
      for (int salt = 0; salt < Math.max(1, salts); salt++) {
        byte[] metric = metric(salts, salt, hour % 20);
        scan(region, Bytes.add(metric, hour(hour)), Bytes.add(metric, hour(hour + 2)));
      }
    }
  }

  @Test
  void openTsdbWithFilesOfADay() throws Exception {
    try (TestRegion region = region("tsdb-day", "t")) {
      fill(region, points(0, 12, 24));
      query(region, 0, 12 * 24);
      assertEquals("'winnow.scan.prefix' => '5', 'winnow.scan.segment' => '3,4'", proposed(region));
    }
  }

  @Test
  void openTsdbWithFilesOfAnHour() throws Exception {
    try (TestRegion region = region("tsdb-hour", "t")) {
      fill(region, points(0, 20, 1));
      query(region, 0, 20);
      assertEquals("'winnow.scan.segment' => '3,4'", proposed(region));
    }
  }

  @Test
  void openTsdbWithASalt() throws Exception {
    try (TestRegion region = region("tsdb-salt", "t")) {
      fill(region, points(4, 12, 24));
      query(region, 4, 12 * 24);
      assertEquals("'winnow.scan.prefix' => '6', 'winnow.scan.segment' => '4,4'", proposed(region));
    }
  }

  /** Rows are vertices with ids of eight bytes, which are read by Gets and by one scan of all. */
  @Test
  void janusGraph() throws Exception {
    try (TestRegion region = region("janus", "e")) {
      List<List<byte[]>> files = new ArrayList<>();
      for (int file = 0; file < FILES; file++) {
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
          rows.add(Bytes.toBytes((long) (file * 1000 + i) << 8));
        }
        files.add(rows);
      }
      fill(region, files);
      scan(region, new Scan());
      assertEquals("", proposed(region));
      Ran ran = run(region.configuration(), "advise", "janus", "--scans", page(region).toString());
      assertTrue(ran.out().contains("none of the 1 counted ones implies a prefix"), ran.out());
    }
  }

  /** Each prefix of a length that separates rows is that of one row. */
  @Test
  void hashedKeys() throws Exception {
    try (TestRegion region = region("hashed", "f")) {
      Random random = new Random(16);
      List<List<byte[]>> files = new ArrayList<>();
      for (int file = 0; file < FILES; file++) {
        List<byte[]> rows = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
          byte[] row = new byte[16];
          random.nextBytes(row);
          rows.add(row);
        }
        files.add(rows);
      }
      fill(region, files);
      for (List<byte[]> rows : files) {
        scanPrefix(region, rows.get(0));
      }
      assertEquals("", proposed(region));
      Ran ran = run(region.configuration(), "advise", "hashed", "--scans", page(region).toString());
      assertTrue(
          ran.out().contains("no prefix and no key segment that most of the 8 counted"), ran.out());
    }
  }

  /** The page of another server has no scan of the family. Several pages are one. */
  @Test
  void pagesOfServers() throws Exception {
    try (TestRegion region = region("served", "0");
        TestRegion other = region("elsewhere", "0")) {
      fill(region, byUser(new byte[0], 240, true));
      for (int user = 0; user < 10; user++) {
        scanPrefix(region, user(user));
      }
      Path none = elsewhere.resolve("none.json");
      Files.writeString(none, PageDoor.json(List.of(other.region())));
      Ran ran = run(region.configuration(), "advise", "served", "--scans", none.toString());
      assertTrue(ran.out().contains("for scans: none is counted, so no setting"), ran.out());

      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      byte[] page = PageDoor.json(List.of(region.region())).getBytes(StandardCharsets.UTF_8);
      server.createContext(
          "/winnow",
          exchange -> {
            boolean isJson = "format=json".equals(exchange.getRequestURI().getQuery());
            exchange.sendResponseHeaders(isJson ? 200 : 404, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
          });
      server.start();
      try {
        String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/winnow";
        Ran both =
            run(
                region.configuration(),
                "advise",
                "served",
                "--scans",
                url,
                "--scans",
                none.toString(),
                "--scans",
                url + "?format=json");
        assertTrue(both.out().contains("(20 of 20 counted)"), both.toString());
        assertTrue(both.out().contains("'winnow.scan.prefix' => '7'"), both.out());
      } finally {
        server.stop(0);
      }

      Files.writeString(none, "<html>");
      Ran wrong = run(region.configuration(), "advise", "served", "--scans", none.toString());
      assertEquals(Tool.FAILED, wrong.code());
      assertTrue(wrong.err().contains("is not the JSON of a page /winnow"), wrong.err());
      Ran missing = run(region.configuration(), "advise", "served", "--scans", "no-such-page");
      assertEquals(Tool.FAILED, missing.code());
      assertTrue(missing.err().contains("cannot read the counted scans of no-such"), missing.err());
    }
  }
}
