package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Phoenix's indexes, through splits and merges before a compaction and after it, deletes, and
 * updates that read them: each answer is that of a table with HBase's filters.
 */
@Tag("clients")
class PhoenixIndexesIT {
  private static final int FILES = 4;
  private static final int ROWS = 200;

  /** Rows that have a value of the index. */
  private static final int ROWS_OF_VALUE = 5;

  private static String key(int number) {
    return String.format("k%07d", number);
  }

  private static byte[] keyBytes(int number) {
    return key(number).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Returns a value that the file has, and no other. The values of each file are spread over all.
   */
  private static String value(int file, int number) {
    return String.format("v%05d", number % (ROWS / ROWS_OF_VALUE) * 10 + file);
  }

  @Test
  void localIndexWithThePrefixOfTheTable() throws Exception {
    localIndex("LT", Twins.settings("8", null), null);
  }

  @Test
  void localIndexWithTheSegmentOfTheTable() throws Exception {
    localIndex("LG", Twins.settings(null, "8"), null);
  }

  @Test
  void localIndexWithPrefixAndSegmentOfTheTable() throws Exception {
    localIndex("LS", Twins.settings("8", "8"), null);
  }

  @Test
  void localIndexWithAPrefixOfItsOwn() throws Exception {
    localIndex("LL", "\"winnow.filter\"='bloom'", "16");
  }

  private static void localIndex(String name, String winnow, String prefixOfTheIndex)
      throws Exception {
    PhoenixHBase hbase = PhoenixHBase.shared();
    Twins twins =
        new Twins(
            hbase,
            name,
            "(K CHAR(8) NOT NULL PRIMARY KEY, V CHAR(6), W VARCHAR)",
            "BLOCKSIZE=1000000",
            winnow);
    for (String table : twins.both()) {
      hbase.execute("CREATE LOCAL INDEX " + table + "X ON " + table + "(V) INCLUDE(W)");
    }
    if (prefixOfTheIndex != null) {
      TableName table = TableName.valueOf(twins.winnow());
      hbase
          .admin()
          .modifyColumnFamily(
              table,
              ColumnFamilyDescriptorBuilder.newBuilder(
                      hbase.admin().getDescriptor(table).getColumnFamily(Bytes.toBytes("L#0")))
                  .setConfiguration("winnow.filter", "bumped-ribbon")
                  .setConfiguration("winnow.scan.prefix", prefixOfTheIndex)
                  .build());
    }
    int rows = 0;
    for (int file = 0; file < FILES; file++) {
      List<Object[]> more = new ArrayList<>();
      for (int i = 0; i < ROWS; i++, rows++) {
        more.add(new Object[] {key(i * FILES + file), value(file, i), "w" + i});
      }
      twins.upsert("UPSERT INTO % VALUES(?, ?, ?)", more);
      twins.flush();
    }
    assertEquals(FILES, hbase.files(twins.winnow(), "L#0"));
    localQueries(twins, "written", rows);
    assertNoAdvice(twins.stock(), "it has a local index of Apache Phoenix");
    if (prefixOfTheIndex == null) {
      String audit = PhoenixHBase.tool("audit", twins.winnow());
      assertTrue(audit.contains("may gain nothing: it has a local index"), audit);
    }

    twins.each(table -> hbase.split(table, keyBytes(rows(2))));
    assertTrue(hbase.hasReferences(twins.winnow()));
    localQueries(twins, "split", rows);
    rows -= localChanges(twins, 0);
    localQueries(twins, "split and changed", rows);
    twins.flush();
    localQueries(twins, "split, changed and flushed", rows);
    twins.each(hbase::majorCompact);
    assertFalse(hbase.hasReferences(twins.winnow()));
    localQueries(twins, "compacted", rows);

    twins.each(table -> hbase.split(table, keyBytes(rows(4))));
    twins.each(table -> hbase.split(table, keyBytes(rows(2) + rows(4))));
    localQueries(twins, "split again", rows);
    rows -= localChanges(twins, 10);
    localQueries(twins, "split again and changed", rows);
    twins.each(hbase::majorCompact);
    localQueries(twins, "compacted again", rows);

    twins.each(table -> hbase.merge(table, 1, 2));
    assertTrue(hbase.hasReferences(twins.winnow()));
    localQueries(twins, "merged", rows);
    rows -= localChanges(twins, 20);
    localQueries(twins, "merged and changed", rows);
    twins.each(hbase::majorCompact);
    localQueries(twins, "merged and compacted", rows);
  }

  private static void assertNoAdvice(String table, String reason) throws Exception {
    String printed = PhoenixHBase.shared().advise(table);
    assertTrue(printed.contains("no key segment is proposed: " + reason), printed);
    assertFalse(printed.contains("'winnow.scan."), printed);
  }

  /** Changes rows that an index finds. Returns how many. */
  private static int changeByIndex(Twins twins, String index, String sql, Object... args)
      throws Exception {
    String plan = twins.plan(sql, args);
    assertTrue(plan.contains(index), plan);
    return twins.change(sql, args);
  }

  /** Returns the number of the row at this part of the table. */
  private static int rows(int part) {
    return ROWS * FILES / part;
  }

  /** Deletes and moves rows that the index finds. Returns how many are gone. */
  private static int localChanges(Twins twins, int from) throws Exception {
    String index = twins.winnow() + "X";
    String moved = value(9, from);
    assertEquals(
        ROWS_OF_VALUE,
        changeByIndex(
            twins,
            index,
            "UPSERT INTO %(K, V, W) SELECT K, '" + moved + "', W FROM % WHERE V = ?",
            value(1, from)));
    int gone = changeByIndex(twins, index, "DELETE FROM % WHERE V = ?", value(2, from));
    assertEquals(ROWS_OF_VALUE, gone);
    assertEquals(
        ROWS_OF_VALUE, twins.compare("moved", "SELECT K, V FROM % WHERE V = ?", moved).rows());
    assertEquals(
        0, twins.compare("deleted", "SELECT K, V FROM % WHERE V = ?", value(2, from)).rows());
    return gone;
  }

  private static void localQueries(Twins twins, String when, int rows) throws Exception {
    String byIndex = "SELECT /*+ INDEX(% %X) */ K, V, W FROM % ";
    String plan = twins.plan(byIndex + "WHERE V = ?", value(0, 30));
    assertTrue(plan.contains(twins.winnow() + "X"), plan);
    TwoTables.Read found =
        twins.compare(
            when + ": V = ?",
            byIndex + "WHERE V = ?",
            8,
            i -> new Object[] {value(i % 4, 30 + i / 4)});
    assertEquals(8 * ROWS_OF_VALUE, found.rows(), when);
    twins.compare(
        when + ": V = ?, absent", byIndex + "WHERE V = ?", 3, i -> new Object[] {"v00" + i + "99"});
    twins.compare(
        when + ": V >= ? AND V < ?",
        byIndex + "WHERE V >= ? AND V < ?",
        4,
        i -> new Object[] {value(i, 25), value(i, 35)});
    twins.compare(
        when + ": V >= ? AND V < ? ORDER BY V DESC",
        byIndex + "WHERE V >= ? AND V < ? ORDER BY V DESC, K DESC LIMIT 7",
        4,
        i -> new Object[] {value(i, 25), value(i, 35)});
    twins.compare(
        when + ": V IN (3)",
        byIndex + "WHERE V IN (?, ?, ?)",
        4,
        i -> new Object[] {value(i, 30), value(3 - i, 33), "v99999"});
    twins.compare(
        when + ": V = ? AND K = ?",
        byIndex + "WHERE V = ? AND K = ?",
        4,
        i -> new Object[] {value(i, 30), key(30 * FILES + i)});
    assertEquals(rows, twins.compare(when + ": whole index", byIndex).rows());
    twins.compare(when + ": COUNT(*)", "SELECT COUNT(*) FROM %");
    twins.compare(
        when + ": K = ?", "SELECT * FROM % WHERE K = ?", 4, i -> new Object[] {key(i * 197)});
    assertEquals(
        rows, twins.compare(when + ": no index", "SELECT /*+ NO_INDEX */ * FROM %").rows());
  }

  @ParameterizedTest
  @CsvSource({
    "GP, delimiter:0x00, ",
    "GS, , 'delimiter:0x00,1'",
    "GB, delimiter:0x00, 'delimiter:0x00,1'",
  })
  void globalIndex(String name, String prefix, String segment) throws Exception {
    PhoenixHBase hbase = PhoenixHBase.shared();
    Twins twins =
        new Twins(
            hbase,
            name,
            "(K VARCHAR NOT NULL PRIMARY KEY, V VARCHAR, W VARCHAR, Z VARCHAR)",
            "",
            Twins.settings("4", "4"));
    for (String table : twins.both()) {
      String settings = table.equals(twins.winnow()) ? " " + Twins.settings(prefix, segment) : "";
      hbase.execute("CREATE INDEX " + table + "X ON " + table + "(V) INCLUDE(W)" + settings);
      hbase.execute("CREATE INDEX " + table + "Y ON " + table + "(W, V)" + settings);
    }
    assertEquals(prefix, hbase.setting(twins.winnow() + "X", "winnow.scan.prefix"));
    for (int file = 0; file < FILES; file++) {
      List<Object[]> rows = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        rows.add(new Object[] {key(i * FILES + file), value(file, i), "w" + i % 20, "z" + i});
      }
      twins.upsert("UPSERT INTO % VALUES(?, ?, ?, ?)", rows);
      flushIndexes(hbase, twins);
    }
    TwoTables.Read read = globalQueries(twins, "written");
    assertTrue(read.stock().blocks() >= FILES - 1, read::toString);
    if (prefix != null) {
      assertTrue(read.winnow().blocks() <= 1.3, read::toString);
    }

    String index = twins.winnow() + "X";
    changeByIndex(twins, index, "DELETE FROM % WHERE V = ?", value(2, 0));
    changeByIndex(
        twins,
        index,
        "UPSERT INTO %(K, V, W, Z) SELECT K, 'v99', W, 'moved' FROM % WHERE V = ?",
        value(1, 1));
    twins.change("DELETE FROM % WHERE K >= ? AND K < ?", key(100), key(110));
    globalQueries(twins, "changed");
    flushIndexes(hbase, twins);
    globalQueries(twins, "changed and flushed");
    twins.each(table -> hbase.execute("ALTER INDEX " + table + "X ON " + table + " REBUILD"));
    globalQueries(twins, "rebuilt");
    flushIndexes(hbase, twins);
    twins.each(table -> hbase.split(table, keyBytes(rows(2))));
    twins.each(table -> hbase.split(table + "X", value(0, 20).getBytes(StandardCharsets.UTF_8)));
    globalQueries(twins, "split");
    changeByIndex(twins, index, "DELETE FROM % WHERE V = ?", value(3, 1));
    globalQueries(twins, "split and changed");
    twins.each(table -> hbase.majorCompact(table + "X"));
    twins.each(table -> hbase.majorCompact(table));
    globalQueries(twins, "split and compacted");
    twins.each(table -> hbase.merge(table + "X", 0, 1));
    globalQueries(twins, "merged");
  }

  private static void flushIndexes(PhoenixHBase hbase, Twins twins) throws Exception {
    twins.flush();
    twins.each(table -> hbase.flush(table + "X"));
    twins.each(table -> hbase.flush(table + "Y"));
  }

  private static TwoTables.Read globalQueries(Twins twins, String when) throws Exception {
    String plan = twins.plan("SELECT K, V, W FROM % WHERE V = ?", value(0, 5));
    assertTrue(plan.contains(twins.winnow() + "X"), plan);
    TwoTables.Read covered =
        twins.compare(
            when + ": V = ?, covered",
            "SELECT K, V, W FROM % WHERE V = ?",
            12,
            i -> new Object[] {value(i % 4, 5 + i / 4)});
    assertEquals(12 * ROWS_OF_VALUE, covered.rows(), when);
    twins.compare(
        when + ": V = ?, not covered",
        "SELECT /*+ INDEX(% %X) */ * FROM % WHERE V = ?",
        12,
        i -> new Object[] {value(i % 4, i)});
    twins.compare(
        when + ": W = ?", "SELECT K, V, W FROM % WHERE W = ?", 8, i -> new Object[] {"w" + i * 3});
    twins.compare(
        when + ": W = ? AND V = ?",
        "SELECT K, V, W FROM % WHERE W = ? AND V = ?",
        8,
        i -> new Object[] {"w" + i, value(i % 4, i)});
    twins.compare(
        when + ": V >= ? AND V < ?",
        "SELECT K, V, W FROM % WHERE V >= ? AND V < ? ORDER BY V DESC, K",
        4,
        i -> new Object[] {value(i, 25), value(i, 35)});
    twins.compare(
        when + ": V IN (3)",
        "SELECT K, V, W FROM % WHERE V IN (?, ?, 'v99')",
        4,
        i -> new Object[] {value(i, 3), value(3 - i, 33)});
    twins.compare(when + ": no index", "SELECT /*+ NO_INDEX */ * FROM %");
    twins.compare(when + ": COUNT(*)", "SELECT COUNT(*) FROM %");
    return covered;
  }

  @ParameterizedTest
  @CsvSource({
    "MP, delimiter:0x00, ",
    "MS, , 'delimiter:0x00,1,7'",
    "MB, delimiter:0x00, 'delimiter:0x00,1,7'",
  })
  void viewsOfTenantsAndTheirIndexes(String name, String prefix, String segment) throws Exception {
    PhoenixHBase hbase = PhoenixHBase.shared();
    Twins twins =
        new Twins(
            hbase,
            name,
            "(T VARCHAR NOT NULL, USR CHAR(7) NOT NULL, TS BIGINT NOT NULL, A VARCHAR,"
                + " CONSTRAINT PK PRIMARY KEY(T, USR, TS))",
            "MULTI_TENANT=true",
            Twins.settings(prefix, segment));
    // One name begins with another one.
    List<String> tenants = List.of("acme", "b", "acme2", "acme\u0001");
    List<Connection> connections = new ArrayList<>();
    for (String tenant : tenants) {
      Properties properties = new Properties();
      properties.setProperty("TenantId", tenant);
      connections.add(hbase.connect(properties));
    }
    for (int t = 0; t < tenants.size(); t++) {
      try (Statement statement = connections.get(t).createStatement()) {
        for (String table : twins.both()) {
          statement.execute(
              "CREATE VIEW " + table + "V" + t + " (X VARCHAR) AS SELECT * FROM " + table);
          statement.execute(
              "CREATE INDEX " + table + "VX" + t + " ON " + table + "V" + t + "(X) INCLUDE (A)");
        }
      }
    }
    for (int file = 0; file < FILES; file++) {
      // The second tenant is in one file, and each other one in all.
      for (int t = 0; t < tenants.size(); t++) {
        if (t != 1 || file == 2) {
          List<Object[]> rows = new ArrayList<>();
          for (int i = 0; i < 60; i++) {
            rows.add(
                new Object[] {
                  UserTables.user(i % 20 * 2), file * 1000L + i, "a" + i, "x" + i % 12
                });
          }
          twins.over(connections.get(t));
          twins.upsert("UPSERT INTO %V" + t + "(USR, TS, A, X) VALUES(?, ?, ?, ?)", rows);
        }
      }
      twins.flush();
      twins.each(table -> hbase.flush("_IDX_" + table));
    }
    String index = "_IDX_" + twins.winnow();
    for (String when : List.of("written", "changed", "split", "compacted", "merged")) {
      for (int t = 0; t < tenants.size(); t++) {
        twins.over(connections.get(t));
        viewQueries(twins, when + ", tenant " + t, "%V" + t);
        if (when.equals("written")) {
          changeByIndex(twins, index, "DELETE FROM %V" + t + " WHERE X = 'x1'");
          twins.change("DELETE FROM %V" + t + " WHERE USR = ?", UserTables.user(4));
          changeByIndex(
              twins,
              index,
              "UPSERT INTO %V"
                  + t
                  + "(USR, TS, A, X) SELECT USR, TS, 'moved', 'x99' FROM %V"
                  + t
                  + " WHERE X = 'x2'");
        }
      }
      if (when.equals("written")) {
        assertNoAdvice("_IDX_" + twins.stock(), "it has indexes of views of Apache Phoenix");
        String audit = PhoenixHBase.tool("audit", index);
        assertTrue(audit.contains("may gain nothing: it has indexes of views"), audit);
      } else if (when.equals("changed")) {
        twins.flush();
        twins.each(table -> hbase.flush("_IDX_" + table));
        twins.each(table -> hbase.splitFirst("_IDX_" + table));
        twins.each(table -> hbase.split(table, Bytes.toBytes("acme\0" + UserTables.user(20))));
      } else if (when.equals("split")) {
        twins.each(hbase::majorCompact);
        twins.each(table -> hbase.majorCompact("_IDX_" + table));
      } else if (when.equals("compacted")) {
        twins.each(table -> hbase.merge(table, 0, 1));
        twins.each(table -> hbase.merge("_IDX_" + table, 0, 1));
      }
    }
    // The tables of views' indexes have the settings of the table, which do not suit their keys.
    assertEquals(prefix, hbase.setting(index, "winnow.scan.prefix"));
    assertEquals(segment, hbase.setting(index, "winnow.scan.segment"));
    for (Connection connection : connections) {
      connection.close();
    }
  }

  private static void viewQueries(Twins twins, String when, String view) throws Exception {
    twins.compare(
        when + ": USR = ?",
        "SELECT * FROM " + view + " WHERE USR = ?",
        8,
        i -> new Object[] {UserTables.user(i * 2)});
    twins.compare(
        when + ": X = ?",
        "SELECT USR, TS, X, A FROM " + view + " WHERE X = ?",
        8,
        i -> new Object[] {"x" + i});
    twins.compare(when + ": moved", "SELECT USR, TS, X FROM " + view + " WHERE X = 'x99'");
    twins.compare(when + ": TS", "SELECT * FROM " + view + " WHERE TS >= 2000 AND TS < 3000");
    twins.compare(
        when + ": USR = ? AND TS",
        "SELECT * FROM " + view + " WHERE USR = ? AND TS >= 2000 AND TS < 3000",
        8,
        i -> new Object[] {UserTables.user(i * 2)});
    twins.compare(when + ": all", "SELECT USR, TS, X, A FROM " + view);
    twins.compare(when + ": COUNT(*)", "SELECT COUNT(*) FROM " + view);
  }
}
