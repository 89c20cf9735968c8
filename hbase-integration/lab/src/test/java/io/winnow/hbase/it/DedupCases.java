package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.winnow.hbase.dedup.Deduplicator;
import io.winnow.hbase.dedup.WrongTableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A stock HBase, with a directory of a de-duplicator for each table. */
abstract class DedupCases {
  static TestServer server;
  static Path scratch;

  @BeforeAll
  static void start() throws Exception {
    Path directory = TestServer.emptyDirectory("dedup");
    scratch = Files.createDirectories(directory.resolve("filters"));
    server = TestServer.stock(directory.resolve("hbase"));
  }

  @AfterAll
  static void stop() throws Exception {
    server.kill();
  }

  static TableName create(String name) throws IOException {
    return server.create(name, DedupEvents.family());
  }

  static Deduplicator open(TableName table) throws IOException {
    return open(server.connection(), table);
  }

  static Deduplicator open(Connection connection, TableName table) throws IOException {
    return Deduplicator.open(
        connection, scratch.resolve(table.getNameAsString()), DedupEvents.options(table));
  }

  static List<Put> puts(long from, long to) {
    return new ArrayList<>(LongStream.range(from, to).mapToObj(DedupEvents::put).toList());
  }

  static BitSet rows(int from, int to) {
    BitSet rows = new BitSet();
    rows.set(from, to);
    return rows;
  }

  static void assertRows(TableName table, int from, int to) throws IOException {
    assertEquals(rows(from, to), DedupEvents.rowsIn(server.connection(), table));
  }

  static Process writer(TableName table, Path notes, int batches, DedupWriter.End end)
      throws IOException {
    int port = server.configuration().getInt("hbase.zookeeper.property.clientPort", 0);
    Path directory = scratch.resolve(table.getNameAsString());
    return DedupWriter.start(port, table, directory, notes, batches, end).start();
  }

  static void load(TableName table, long from, long to) throws IOException {
    try (Table unasked = server.connection().getTable(table)) {
      unasked.put(puts(from, to));
    }
  }

  static String refusal(TableName table, Path directory) {
    return assertThrows(
            WrongTableException.class,
            () -> Deduplicator.open(server.connection(), directory, DedupEvents.options(table)))
        .getMessage();
  }
}
