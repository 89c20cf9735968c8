package io.winnow.hbase.it;

import static io.winnow.hbase.it.TestServer.STOCK;
import static io.winnow.hbase.it.TestServer.WINNOW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.Test;

/** One data directory, under servers with the agent and without it. */
class StockAgainIT {
  private static final int ROWS = 1000;
  private static final TableName ROW = TableName.valueOf("row");
  private static final TableName ROWCOL = TableName.valueOf("rowcol");
  private static final TableName COMPACTED = TableName.valueOf("compacted");
  private static final List<TableName> TABLES = List.of(ROW, ROWCOL, COMPACTED);

  private final Path directory;

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
  }

  private static void assertReads(TestServer server) throws IOException {
    for (TableName table : TABLES) {
      Rows.assertAllFound(server.connection(), table, ROWS);
      Rows.assertMisses(server.connection(), table, ROWS);
    }
  }

  private void serveWithoutFilters(TestServer server) throws Exception {
    assertReads(server);
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
