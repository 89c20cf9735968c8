package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.STOCK;
import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables on a real HBase with the agent, from flush to compaction and reopened regions. */
class RibbonTablesIT {
  private static final int ROWS = 1000;

  /** Of questions that the filter can answer with no, it may miss these: more than 5 sigma. */
  private static final int MAX_FALSE_POSITIVES = 30;

  private static TestServer server;
  private static Connection connection;

  @BeforeAll
  static void start() throws Exception {
    server = TestServer.shared();
    connection = server.connection();
  }

  @Test
  void theServerIsTheHBaseThatTheBuildSays() throws IOException {
    assertEquals(
        System.getProperty("winnow.test.hbase"),
        server.admin().getClusterMetrics().getHBaseVersion());
  }

  @Test
  void rowsAreServedThroughTheFilterBesideStockTables() throws Exception {
    Map<TableName, BloomType> ours = new LinkedHashMap<>();
    Map<TableName, BloomType> stock = new LinkedHashMap<>();
    for (BloomType type :
        List.of(BloomType.ROW, BloomType.ROWCOL, BloomType.ROWPREFIX_FIXED_LENGTH)) {
      ours.put(server.create("ribbon-" + type, Rows.ribbon(type)), type);
      ours.put(server.create("bumped-" + type, Rows.bumped(type)), type);
      ours.put(server.create("quotient-" + type, Rows.quotient(type)), type);
      stock.put(server.create("stock-" + type, Rows.stock(type)), type);
    }
    Map<TableName, BloomType> all = new LinkedHashMap<>(ours);
    all.putAll(stock);

    for (TableName table : all.keySet()) { // two files in each store
      Rows.write(connection, table, 0, ROWS);
      Rows.assertAllFound(connection, table, ROWS);
      server.flush(table);
      Rows.write(connection, table, ROWS / 2, ROWS);
      server.flush(table);
    }
    assertFilters(ours, List.of(WINNOW, WINNOW));
    assertFilters(stock, List.of(STOCK, STOCK));
    checkReads(all);

    for (TableName table : all.keySet()) {
      server.majorCompact(table);
    }
    assertFilters(ours, List.of(WINNOW));
    assertFilters(stock, List.of(STOCK));
    checkReads(all);

    server.reopen(all.keySet());
    checkReads(all);
    assertEquals(List.of(), server.logLinesWith("Bad bloom filter meta"));
  }

  private static void assertFilters(Map<TableName, BloomType> tables, List<Integer> versions)
      throws IOException {
    for (TableName table : tables.keySet()) {
      assertEquals(versions, server.filterVersions(table), table.toString());
    }
  }

  /** Hits find everything; misses are answered by the filters, as HBase itself counts. */
  private static void checkReads(Map<TableName, BloomType> tables) throws Exception {
    for (TableName table : tables.keySet()) {
      Rows.assertAllFound(connection, table, ROWS);
    }
    Map<TableName, BloomCounters> before = server.counters(tables.keySet());
    for (TableName table : tables.keySet()) {
      Rows.assertMisses(connection, table, ROWS);
      if (tables.get(table) == BloomType.ROWCOL) {
        Rows.assertColumnMisses(connection, table, ROWS);
      }
    }
    // Hits may be counted as late as this, too: only what the filters deny tells of the misses.
    int denied = ROWS - 1 - MAX_FALSE_POSITIVES;
    // HBase reads both counters one after the other, perhaps during the Gets, and shows them for a
    // while.
    server
        .counters(
            tables.keySet(),
            (table, c) -> {
              BloomCounters counted = c.since(before.get(table));
              return counted.negatives() >= denied && counted.negatives() <= counted.requests();
            })
        .forEach(
            (table, after) -> {
              BloomCounters counted = after.since(before.get(table));
              assertTrue(counted.negatives() <= counted.requests(), table + ": " + counted);
              assertEquals(0, counted.eligible(), table + ": " + counted);
            });
  }

  @Test
  void deletedFamiliesStayDeletedAndOthersAreFound() throws Exception {
    for (ColumnFamilyDescriptor family :
        List.of(
            Rows.ribbon(BloomType.ROW),
            Rows.ribbon(BloomType.NONE),
            Rows.quotient(BloomType.ROW),
            Rows.stock(BloomType.ROW))) {
      String filter = family.getConfigurationValue("winnow.filter");
      TableName table =
          server.create("deletes-" + filter + "-" + family.getBloomFilterType(), family);
      Rows.write(connection, table, 0, ROWS);
      server.flush(table);
      try (Table deletes = connection.getTable(table)) {
        for (int i = 0; i < ROWS; i += 5) {
          deletes.delete(new Delete(Rows.key(2 * i)).addFamily(Rows.FAMILY));
        }
      }
      server.flush(table);
      int filters = 0;
      for (Path file : server.storeFiles(table)) {
        int version = server.deleteFamilyFilterVersion(file);
        if (version != 0) {
          assertEquals(filter != null ? WINNOW : STOCK, version);
          filters++;
        }
      }
      assertEquals(1, filters, "files with markers in " + table);
      assertDeletes(table);
      server.reopen(Set.of(table));
      assertDeletes(table);
      server.majorCompact(table);
      assertDeletes(table);
    }
  }

  private static void assertDeletes(TableName table) throws IOException {
    BitSet left = new BitSet();
    for (int i = 0; i < ROWS; i++) {
      left.set(i, i % 5 != 0);
    }
    assertEquals(left, Rows.found(connection, table, ROWS));
  }

  @Test
  void getsThatNoFilterCanAnswerAreCountedAsEligible() throws Exception {
    TableName table = server.create("no-filter", Rows.ribbon(BloomType.NONE));
    Rows.write(connection, table, 0, ROWS);
    server.flush(table);
    assertEquals(List.of(0), server.filterVersions(table));
    BloomCounters before = server.counters(Set.of(table)).get(table);
    Rows.assertMisses(connection, table, ROWS);
    BloomCounters after =
        server.counters(Set.of(table), (t, c) -> c.since(before).eligible() >= ROWS - 1).get(table);
    assertEquals(new BloomCounters(0, 0, ROWS - 1), after.since(before));
  }

  @Test
  void prettyPrinterTellsTheFactsOfTheFilter() throws Exception {
    Map<String, String> conf = Map.of("winnow.filter", "ribbon", "winnow.error.rate.scope", "file");
    printed(server.create("printed-ribbon", Rows.family("f", BloomType.ROWCOL, conf)), "ribbon");
    printed(server.create("printed-quotient", Rows.quotient(BloomType.ROWCOL)), "quotient");
  }

  private static void printed(TableName table, String filter) throws Exception {
    Rows.write(connection, table, 0, ROWS);
    server.flush(table);
    Path file = server.storeFiles(table).get(0);
    JavaProcess.Result result =
        JavaProcess.withAgent(JavaProcess.classPath())
            .run(
                "org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter",
                "-m",
                "-f",
                "file://" + file);
    assertEquals(0, result.exitCode(), result.toString());
    String printed = result.output().replaceAll("\\s+", " ");
    for (String fact :
        List.of(
            "Kind: Winnow " + filter,
            "Bytes: ",
            "Keys: " + ROWS,
            "Key limit: " + ROWS,
            "Number of chunks: 1",
            "Bits per key: ",
            "Configured false-positive rate: 0.00",
            "Why this rate: ",
            "Estimated false-positive rate: 0.00",
            "Hash: xxh3-seeded")) {
      assertTrue(printed.contains(fact), fact + " is not in: " + result.output());
    }
    assertFalse(printed.contains("Exception"), result.output());
  }
}
