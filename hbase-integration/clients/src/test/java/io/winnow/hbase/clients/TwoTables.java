package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.hbase.TableName;

/**
 * Two tables with the same rows: one has HBase's filters, the other Winnow's. Each query runs on
 * both, their answers are compared, and what they read is counted.
 *
 * @param client the program whose tables they are, for the list of counts
 */
record TwoTables(PhoenixHBase hbase, String client, TableName stock, TableName winnow) {
  /**
   * Counts of a query, per run.
   *
   * @param blocks data blocks that it requested; as many as files, if each file has one block
   * @param filterQueries queries of filters
   */
  record Counts(double blocks, double filterQueries) {}

  /**
   * Counts of a query on both tables.
   *
   * @param rows the rows of all its runs, on one of them
   */
  record Read(int rows, Counts stock, Counts winnow) {}

  /** A query of one of the tables. */
  @FunctionalInterface
  interface Query {
    /** Returns the rows of a run, in an order that is the same on both tables. */
    List<String> rows(TableName table, int run) throws Exception;
  }

  /**
   * Runs a query some times on both tables, and compares the rows. The counts become a line of
   * {@code queries.csv}.
   */
  Read compare(String what, int times, Query query) throws Exception {
    int rows = 0;
    long[] blocks = new long[2];
    long[] filterQueries = new long[2];
    for (int run = 0; run < times; run++) {
      List<String> expected = null;
      for (int i = 0; i < 2; i++) {
        TableName table = i == 0 ? stock : winnow;
        blocks[i] -= hbase.blocks();
        filterQueries[i] -= hbase.filterQueries(table);
        List<String> found = query.rows(table, run);
        blocks[i] += hbase.blocks();
        filterQueries[i] += hbase.filterQueries(table);
        if (expected == null) {
          expected = found;
          rows += found.size();
        } else {
          assertEquals(expected, found, client + ", " + what + ", run " + run);
        }
      }
    }
    Read read =
        new Read(
            rows,
            new Counts(blocks[0] / (double) times, filterQueries[0] / (double) times),
            new Counts(blocks[1] / (double) times, filterQueries[1] / (double) times));
    report(what, read);
    return read;
  }

  private void report(String what, Read read) throws IOException {
    Files.writeString(
        Path.of(System.getProperty("winnow.it.directory"), "queries.csv"),
        String.format(
            Locale.ROOT,
            "%s,\"%s\",%d,%.2f,%.2f,%.2f,%.2f%n",
            client,
            what,
            read.rows,
            read.stock.blocks,
            read.winnow.blocks,
            read.stock.filterQueries,
            read.winnow.filterQueries),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }
}
