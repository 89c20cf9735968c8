package io.winnow.hbase.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
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
    List<List<String>> expected = new ArrayList<>();
    List<List<String>> found = new ArrayList<>();
    Counts ofStock = run(stock, times, query, expected);
    Counts ofWinnow = run(winnow, times, query, found);
    for (int i = 0; i < times; i++) {
      int run = i;
      assertEquals(
          expected.get(i),
          found.get(i),
          () ->
              client
                  + ", "
                  + what
                  + ", run "
                  + run
                  + ": lost "
                  + without(expected.get(run), found.get(run))
                  + ", added "
                  + without(found.get(run), expected.get(run)));
    }
    Read read = new Read(expected.stream().mapToInt(List::size).sum(), ofStock, ofWinnow);
    report(what, read);
    return read;
  }

  /** Runs a query some times on one of the tables, and adds the rows of each run. */
  private Counts run(TableName table, int times, Query query, List<List<String>> rows)
      throws Exception {
    long blocks = -hbase.blocks();
    long filterQueries = -hbase.filterQueries(table);
    for (int run = 0; run < times; run++) {
      rows.add(query.rows(table, run));
    }
    blocks += hbase.blocks();
    filterQueries += hbase.filterQueries(table);
    return new Counts(blocks / (double) times, filterQueries / (double) times);
  }

  private static List<String> without(List<String> rows, List<String> others) {
    List<String> left = new ArrayList<>(rows);
    others.forEach(left::remove);
    return left;
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
