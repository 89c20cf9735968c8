package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Phoenix's tables with keys of many kinds, with a prefix, a segment and both: each answer is that
 * of a table with HBase's filters, when the rows are written, changed and compacted, and the table
 * is split and merged. {@code advise} finds the setting by the counted scans.
 */
@Tag("clients")
class PhoenixShapesIT {
  /** Most files that a query of one slice of time may read, where one has it. */
  private static final double ONE_FILE = 1.2;

  /** Runs the queries on tables as they are changed, split, compacted and merged. */
  private static void life(UserTables tables) throws Exception {
    tables.change();
    tables.split();
    tables.queries();
    tables.majorCompact();
    tables.merge();
    tables.queries();
  }

  private static int regions(String options) {
    return options.isEmpty() ? 1 : 4;
  }

  private static void assertBlocks(double most, TwoTables.Read read) {
    assertTrue(read.winnow().blocks() <= most, read::toString);
  }

  /** Checks what {@code advise} proposes after the queries. */
  private static void assertAdvised(String settings, Twins twins) throws Exception {
    assertEquals(settings, PhoenixHBase.shared().settingsForScans(twins.stock()));
  }

  /** Bounds for tables of several files: few others pass a probe, and a bucket is a region. */
  @ParameterizedTest
  @CsvSource({
    "CP, CHAR(7), 'USR, TS', '', 7, ",
    "CB, CHAR(7), 'USR, TS', '', 7, 7",
    "DP, CHAR(7), 'USR DESC, TS', '', 7, ",
    "CD, CHAR(7), 'USR DESC, TS DESC', '', 7, 7",
    "VP, VARCHAR, 'USR, TS', '', delimiter:0x00, ",
    "VB, VARCHAR, 'USR, TS DESC', '', delimiter:0x00, 'delimiter:0x00,1'",
    "SP, CHAR(7), 'USR, TS', SALT_BUCKETS=4, 8, ",
    "SB, CHAR(7), 'USR, TS DESC', SALT_BUCKETS=4, 8, 8",
  })
  void userInOneFile(
      String name, String type, String key, String options, String prefix, String segment)
      throws Exception {
    UserTables tables = new UserTables(name, type, key, options, prefix, segment).filledByUser();
    Map<String, TwoTables.Read> reads = tables.queries();
    int regions = regions(options);
    assertBlocks(1.1 * regions, reads.get("USR = ?"));
    assertBlocks(1.3 * regions, reads.get("USR = ? AND TS >= ?"));
    assertBlocks(0.1 * regions, reads.get("USR = ?, absent"));
    assertBlocks(3.5 * regions, reads.get("USR IN (?, ?, ?)"));
    if (type.startsWith("CHAR") && segment == null) {
      assertAdvised("winnow.scan.prefix = " + prefix, tables.twins);
    }
    life(tables);
  }

  /** The bounds of scans imply no prefix, or one that is no value of the first column. */
  @ParameterizedTest
  @CsvSource({
    "VD, VARCHAR, 'USR DESC, TS DESC', '', delimiter:0xFF, 'delimiter:0xFF,1'",
    "VN, VARCHAR, 'USR DESC, TS', '', 7, 8",
    "SV, VARCHAR, 'USR, TS', SALT_BUCKETS=4, delimiter:0x00, 'delimiter:0x00,1'",
    "UNFIT, VARCHAR, 'USR, TS', '', 9, 3",
  })
  void unfitPrefix(
      String name, String type, String key, String options, String prefix, String segment)
      throws Exception {
    UserTables tables = new UserTables(name, type, key, options, prefix, segment).filledByUser();
    tables.queries();
    life(tables);
  }

  @ParameterizedTest
  @CsvSource({
    "TC, CHAR(7), 'USR, TS', '', , 7",
    "TB, CHAR(7), 'USR, TS DESC', '', 7, 7",
    "TV, VARCHAR, 'USR, TS', '', , 'delimiter:0x00,1'",
    "TW, VARCHAR, 'USR, TS', '', delimiter:0x00, 'delimiter:0x00,1'",
    "TS, CHAR(7), 'USR, TS', SALT_BUCKETS=4, , 8",
    "TT, CHAR(7), 'USR, TS', SALT_BUCKETS=4, 8, 8",
  })
  void sliceOfTimeInEachFile(
      String name, String type, String key, String options, String prefix, String segment)
      throws Exception {
    UserTables tables = new UserTables(name, type, key, options, prefix, segment).filledByTime();
    Map<String, TwoTables.Read> reads = tables.queries();
    int regions = regions(options);
    for (String query : List.of("USR = ? AND TS >= ? AND TS < ?", "USR = ? AND TS >= ?")) {
      TwoTables.Read read = reads.get(query);
      assertEquals(UserTables.TIMES, read.rows());
      assertTrue(
          read.stock().blocks() >= regions * 0.8 * UserTables.FILES, () -> query + ": " + read);
      assertBlocks(regions * ONE_FILE, read);
    }
    if (type.startsWith("CHAR") && prefix == null) {
      assertAdvised("winnow.scan.segment = " + segment, tables.twins);
    }
    life(tables);
  }

  /** Each tenant has rows in all files, and each file has an hour. */
  @ParameterizedTest
  @CsvSource({"HS, ", "HB, delimiter:0x00"})
  void hoursOfATenant(String name, String prefix) throws Exception {
    PhoenixHBase hbase = PhoenixHBase.shared();
    Twins twins =
        new Twins(
            hbase,
            name,
            "(T VARCHAR NOT NULL, TS TIMESTAMP NOT NULL, ID VARCHAR NOT NULL, A VARCHAR,"
                + " CONSTRAINT PK PRIMARY KEY (T, TS, ID))",
            "MULTI_TENANT=true",
            Twins.settings(prefix, "delimiter:0x00,1,12"));
    int files = 8;
    int rows = 12;
    long hour = 3_600_000;
    long start = 1_700_000_000_000L / hour * hour;
    // One name begins with another one.
    List<String> tenants = List.of("acme", "b", "acme2", "acme\u0001");
    List<Connection> connections = new ArrayList<>();
    for (String tenant : tenants) {
      Properties properties = new Properties();
      properties.setProperty("TenantId", tenant);
      connections.add(hbase.connect(properties));
    }
    for (int file = 0; file < files; file++) {
      for (Connection connection : connections) {
        List<Object[]> events = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
          events.add(
              new Object[] {
                new Timestamp(start + file * hour + i * hour / rows), "e" + i, "a" + i
              });
        }
        twins.over(connection);
        twins.upsert("UPSERT INTO %(TS, ID, A) VALUES(?, ?, ?)", events);
      }
      twins.flush();
    }
    double stock = 0;
    for (Connection connection : connections) {
      twins.over(connection);
      TwoTables.Read last =
          twins.compare(
              "last hour",
              "SELECT * FROM % WHERE TS >= ?",
              new Timestamp(start + (files - 1) * hour));
      assertEquals(rows, last.rows());
      stock += last.stock().blocks();
      assertBlocks(ONE_FILE, last);
      TwoTables.Read two =
          twins.compare(
              "two hours",
              "SELECT * FROM % WHERE TS >= ? AND TS < ?",
              4,
              i ->
                  new Object[] {
                    new Timestamp(start + i * hour + hour / 2),
                    new Timestamp(start + (i + 2) * hour)
                  });
      assertEquals(4 * (rows + rows / 2), two.rows());
      assertBlocks(2 * ONE_FILE, two);
      assertEquals(files * rows, twins.compare("all rows", "SELECT * FROM %").rows());
    }
    assertAdvised("winnow.scan.segment = delimiter:0x00,1", twins);
    // The rows of the last tenant end each file, which shows its last row to stock HBase.
    assertTrue(stock >= files * (tenants.size() - 1), "with HBase's filters");
    for (Connection connection : connections) {
      connection.close();
    }
  }

  /** The server ends each page after a millisecond, and the scan goes on where it was. */
  @Test
  void scansInPages() throws Exception {
    UserTables tables =
        new UserTables("PG", "VARCHAR", "USR, TS", "", "delimiter:0x00", "delimiter:0x00,1")
            .filledByUser();
    Properties pages = new Properties();
    pages.setProperty("phoenix.server.page.size.ms", "1");
    pages.setProperty("phoenix.query.scanResultChunkSize", "10");
    pages.setProperty("hbase.client.scanner.caching", "3");
    try (Connection connection = PhoenixHBase.shared().connect(pages)) {
      tables.twins.over(connection);
      tables.queries();
      life(tables);
    }
  }

  /** Phoenix hands settings to HBase, and reports what Winnow refuses. */
  @Test
  void settingsInStatements() throws Exception {
    PhoenixHBase hbase = PhoenixHBase.shared();
    hbase.execute(
        "CREATE TABLE DDL (K VARCHAR PRIMARY KEY, A.V VARCHAR, B.V VARCHAR)"
            + " A.\"winnow.filter\"='ribbon', \"winnow.scan.prefix\"='4'");
    TableDescriptor created = hbase.admin().getDescriptor(TableName.valueOf("DDL"));
    byte[] filter = Bytes.toBytes("winnow.filter");
    assertArrayEquals(
        Bytes.toBytes("ribbon"), created.getColumnFamily(Bytes.toBytes("A")).getValue(filter));
    assertNull(created.getColumnFamily(Bytes.toBytes("B")).getValue(filter));
    assertEquals("4", hbase.setting("DDL", "winnow.scan.prefix"));
    hbase.execute("ALTER TABLE DDL SET \"winnow.scan.prefix\"='delimiter:0x00'");
    assertEquals("delimiter:0x00", hbase.setting("DDL", "winnow.scan.prefix"));
    SQLException refused =
        assertThrows(
            SQLException.class,
            () -> hbase.execute("ALTER TABLE DDL SET \"winnow.scan.prefix\"='all'"));
    assertTrue(refused.getMessage().contains("checked by Winnow"), refused::toString);
    assertEquals("delimiter:0x00", hbase.setting("DDL", "winnow.scan.prefix"));
  }

  @Test
  void keyOfFourColumns() throws Exception {
    PhoenixHBase hbase = PhoenixHBase.shared();
    Twins twins =
        new Twins(
            hbase,
            "K4",
            "(ORG VARCHAR NOT NULL, USR VARCHAR NOT NULL, TS BIGINT NOT NULL, N INTEGER NOT NULL,"
                + " A VARCHAR, CONSTRAINT PK PRIMARY KEY (ORG, USR, TS, N))",
            "",
            Twins.settings("delimiter:0x00,2", "delimiter:0x00,2"));
    int files = 6;
    int rows = 200;
    int users = 300;
    for (int file = 0; file < files; file++) {
      List<Object[]> events = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        int user = (i * files + file) % users; // in this file only, and in one organisation
        events.add(
            new Object[] {org(user), UserTables.user(user), UserTables.time(file), i, "a" + i});
      }
      twins.upsert("UPSERT INTO % VALUES(?, ?, ?, ?, ?)", events);
      twins.flush();
    }
    for (String when : List.of("written", "changed", "compacted")) {
      String select = "SELECT * FROM % WHERE ";
      TwoTables.Read user =
          twins.compare(
              when + ": ORG = ? AND USR = ?",
              select + "ORG = ? AND USR = ?",
              60,
              i -> new Object[] {org(i * 13), UserTables.user(i * 13 % users)});
      if (when.equals("written")) {
        assertEquals(60 * rows * files / users, user.rows());
        assertTrue(user.stock().blocks() >= files - 1, user::toString);
        assertBlocks(1.3, user);
      }
      twins.compare(when + ": ORG = ?", select + "ORG = ?", 5, i -> new Object[] {org(i)});
      twins.compare(
          when + ": ORG = ? AND TS",
          select + "ORG = ? AND TS >= ? AND TS < ?",
          5,
          i -> new Object[] {org(i), UserTables.time(i), UserTables.time(i + 1)});
      twins.compare(
          when + ": ORG = ? AND USR = ? AND TS",
          select + "ORG = ? AND USR = ? AND TS >= ?",
          20,
          i -> new Object[] {org(i * 7), UserTables.user(i * 7), UserTables.time(2)});
      twins.compare(
          when + ": (ORG, USR) IN",
          select + "(ORG, USR) IN (('o1', ?), ('o2', ?))",
          20,
          i -> new Object[] {UserTables.user(i * 5 + 1), UserTables.user(i * 10 + 2)});
      twins.compare(
          when + ": USR = ?", select + "USR = ?", 10, i -> new Object[] {UserTables.user(i)});
      twins.compare(
          when + ": ORG > ? AND USR = ?",
          select + "ORG > ? AND USR = ? ORDER BY ORG, USR, TS, N",
          10,
          i -> new Object[] {"o1", UserTables.user(i)});
      if (when.equals("written")) {
        twins.change("DELETE FROM % WHERE ORG = 'o1' AND USR = ?", UserTables.user(26));
        twins.change("DELETE FROM % WHERE USR = ?", UserTables.user(39));
        twins.flush();
      } else {
        twins.each(hbase::majorCompact);
      }
    }
  }

  private static String org(int user) {
    return "o" + user % 5;
  }

  /** Old cells are expired, and the column that has their times sets the range of a scan. */
  @Test
  void expiredRows() throws Exception {
    PhoenixHBase hbase = PhoenixHBase.shared();
    Twins twins =
        new Twins(
            hbase,
            "TTL",
            "(USR VARCHAR NOT NULL, TS BIGINT NOT NULL, A VARCHAR,"
                + " CONSTRAINT PK PRIMARY KEY (USR, TS ROW_TIMESTAMP))",
            "TTL=3600",
            Twins.settings("delimiter:0x00", "delimiter:0x00,1"));
    long now = System.currentTimeMillis();
    long day = 24 * 3_600_000L;
    for (int file = 0; file < 4; file++) {
      List<Object[]> rows = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        // Each second row of two of the files is of yesterday.
        long time = now - i * 1000 - file - (file < 2 && i % 2 == 0 ? day : 0);
        rows.add(new Object[] {UserTables.user(i % 20 * 2 + file / 2), time, "a" + i});
      }
      twins.upsert("UPSERT INTO % VALUES(?, ?, ?)", rows);
      twins.flush();
    }
    for (String when : List.of("written", "compacted")) {
      assertEquals(300, twins.compare(when + ": all", "SELECT * FROM %").rows());
      twins.compare(
          when + ": USR = ?",
          "SELECT * FROM % WHERE USR = ?",
          40,
          i -> new Object[] {UserTables.user(i)});
      twins.compare(
          when + ": USR = ? AND TS >= ?",
          "SELECT * FROM % WHERE USR = ? AND TS >= ?",
          40,
          i -> new Object[] {UserTables.user(i), now - 20_000});
      twins.compare(
          when + ": USR = ? AND TS < ?",
          "SELECT * FROM % WHERE USR = ? AND TS < ?",
          40,
          i -> new Object[] {UserTables.user(i), now - 80_000});
      twins.each(hbase::majorCompact);
    }
  }
}
