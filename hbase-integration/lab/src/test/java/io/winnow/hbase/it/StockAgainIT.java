package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.STOCK;
import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** One data directory, under servers with the agent and without it. */
class StockAgainIT {
  private static final int ROWS = 1000;
  private static final TableName ROW = TableName.valueOf("row");
  private static final TableName ROWCOL = TableName.valueOf("rowcol");
  private static final TableName COMPACTED = TableName.valueOf("compacted");
  private static final List<TableName> TABLES = List.of(ROW, ROWCOL, COMPACTED);
  private static final TableName OF_REGIONS = TableName.valueOf("of-regions");
  private static final int REGIONS = 50;

  private final Path directory;

  /** Rows, calls and regions of the scans of the large table, on the server with the agent. */
  private List<String> visits;

  StockAgainIT() throws IOException {
    directory = TestServer.emptyDirectory("stock-again");
  }

  /** What a server is asked to do. */
  @FunctionalInterface
  private interface Stage {
    void on(TestServer server) throws Exception;
  }

  @Test
  void stockServerServesEveryRowAndTheAgentFindsItsFiltersAgain() throws Exception {
    with(TestServer.withAgent(directory), this::write, TestServer::close);
    with(TestServer.stock(directory), this::serveWithoutFilters, TestServer::close);
    with(TestServer.stock(directory), this::serveAfterARestart, TestServer::close);
    with(TestServer.withAgent(directory), this::serveWithFilters, TestServer::kill);
  }

  private static void with(TestServer server, Stage stage, Stage end) throws Exception {
    try {
      stage.on(server);
    } catch (Throwable e) {
      server.kill();
      throw e;
    }
    end.on(server);
  }

  private void write(TestServer server) throws Exception {
    server.create(ROW.getNameAsString(), Rows.ribbon(BloomType.ROW));
    server.create(ROWCOL.getNameAsString(), Rows.ribbon(BloomType.ROWCOL));
    server.create(COMPACTED.getNameAsString(), Rows.bumped(BloomType.ROW));
    for (TableName table : TABLES) {
      Rows.write(server.connection(), table, 0, ROWS);
      server.flush(table);
      assertEquals(List.of(WINNOW), server.filterVersions(table));
    }
    assertReads(server);
    writeRegions(server);
    visits = visits(server);
  }

  private static byte[] row(int region, int number) {
    return Bytes.toBytes(String.format(Locale.ROOT, "r%02d-%d", region, number));
  }

  private static byte[] prefix(int region) {
    return Arrays.copyOf(row(region, 0), 3);
  }

  /** Each region has the rows of one prefix, in three files whose rows do not overlap. */
  private static void writeRegions(TestServer server) throws Exception {
    byte[][] splits = new byte[REGIONS - 1][];
    Arrays.setAll(splits, i -> prefix(i + 1));
    server.create(OF_REGIONS.getNameAsString(), splits, Rows.bumped(BloomType.ROW));
    try (Table table = server.connection().getTable(OF_REGIONS)) {
      for (int file = 0; file < 3; file++) {
        List<Put> puts = new ArrayList<>();
        for (int region = 0; region < REGIONS; region++) {
          byte[] row = row(region, file);
          puts.add(new Put(row).addColumn(Rows.FAMILY, row, row));
        }
        table.put(puts);
        server.flush(OF_REGIONS);
      }
    }
  }

  private static List<Filter> filters(int region) {
    int other = (region + 20) % REGIONS;
    return List.of(
        new PrefixFilter(prefix(region)),
        new PrefixFilter(row(region, 1)),
        new MultiRowRangeFilter(new byte[][] {prefix(region), row(other, 0)}),
        new InclusiveStopFilter(row(region, 1)));
  }

  /** Rows, RPCs and regions of scans without bounds, whose filters state ranges. */
  private static List<String> visits(TestServer server) throws IOException {
    List<String> visits = new ArrayList<>();
    try (Table table = server.connection().getTable(OF_REGIONS)) {
      try (ResultScanner all = table.getScanner(new Scan())) { // each region is located then
        all.forEach(row -> {});
      }
      for (int region = 0; region < REGIONS; region += 7) {
        for (boolean isReversed : new boolean[] {false, true}) {
          for (Filter filter : filters(region)) {
            Scan scan = new Scan().setReversed(isReversed).setFilter(filter);
            try (ResultScanner results = table.getScanner(scan.setScanMetricsEnabled(true))) {
              int rows = 0;
              while (results.next() != null) {
                rows++;
              }
              ScanMetrics metrics = results.getScanMetrics();
              visits.add(
                  String.format(
                      Locale.ROOT,
                      "%s of %d, reversed %s: %d rows, %d RPCs, %d regions",
                      filter,
                      region,
                      isReversed,
                      rows,
                      metrics.countOfRPCcalls.get(),
                      metrics.countOfRegions.get()));
            }
          }
        }
      }
    }
    return visits;
  }

  private static void assertReads(TestServer server) throws IOException {
    for (TableName table : TABLES) {
      Rows.assertAllFound(server.connection(), table, ROWS);
      Rows.assertMisses(server.connection(), table, ROWS);
    }
  }

  private void serveWithoutFilters(TestServer server) throws Exception {
    assertReads(server);
    assertEquals(
        String.join("\n", visits(server)), String.join("\n", visits), "stock, and with ranges");
    assertFalse(server.logLinesWith("Bad bloom filter meta").isEmpty());
    BloomCounters counters =
        server.counters(Set.of(ROW), (table, c) -> c.eligible() >= ROWS).get(ROW);
    assertEquals(0, counters.requests());
    // A compaction gives a file the stock filter
    server.majorCompact(COMPACTED);
    assertEquals(List.of(STOCK), server.filterVersions(COMPACTED));
    assertReads(server);
  }

  private void serveAfterARestart(TestServer server) throws Exception {
    assertEquals(List.of(WINNOW), server.filterVersions(ROW));
    assertEquals(List.of(WINNOW), server.filterVersions(ROWCOL));
    assertEquals(List.of(STOCK), server.filterVersions(COMPACTED));
    assertReads(server);
  }

  private void serveWithFilters(TestServer server) throws Exception {
    assertEquals(List.of(), server.logLinesWith("Bad bloom filter meta"));
    assertEquals(List.of(WINNOW), server.filterVersions(ROW));
    assertEquals(List.of(STOCK), server.filterVersions(COMPACTED));
    assertReads(server);
    Map<TableName, BloomCounters> counters =
        server.counters(Set.copyOf(TABLES), (table, c) -> c.requests() >= 2 * ROWS - 1);
    counters.forEach(
        (table, counted) -> {
          assertTrue(counted.negatives() >= ROWS - ROWS / 25, table + ": " + counted);
          assertEquals(0, counted.eligible(), table + ": " + counted);
        });
    Rows.write(server.connection(), COMPACTED, 0, 1);
    server.flush(COMPACTED);
    server.majorCompact(COMPACTED);
    assertEquals(List.of(WINNOW), server.filterVersions(COMPACTED));
    assertReads(server);
  }
}
