package io.winnow.hbase.dedup;

import io.winnow.cascade.CascadeFilter;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;

/**
 * Fills a new de-duplicator's filter with the rows of the HBase table, in the order of their keys.
 * From time to time it syncs the filter and records the last row in it. If the process ends,
 * another one continues from there.
 */
final class Filling {
  /**
   * Number of rows that are read between two records of the last row, from which an interrupted
   * filling goes on.
   */
  static final int ROWS_PER_RECORD = 20_000;

  private static final int BATCH = 1000;

  private final DedupOptions options;
  private final CascadeFilter filter;
  private final Path directory;
  private final long[] hashes = new long[BATCH];
  private Identity identity;
  private int pending;
  private long rows;

  Filling(DedupOptions options, CascadeFilter filter, Path directory, Identity identity) {
    this.options = options;
    this.filter = filter;
    this.directory = directory;
    this.identity = identity;
  }

  /**
   * Fills the de-duplicator's filter from the row after the recorded one to the end of the HBase
   * table. Returns the identity of the filled directory.
   */
  Identity run(Connection connection) throws IOException {
    Scan scan =
        new Scan()
            .withStartRow(identity.filledTo(), identity.filledTo().length == 0)
            .addColumn(options.family, options.qualifier)
            .setFilter(new KeyOnlyFilter())
            .setCaching(BATCH)
            .setCacheBlocks(false);
    try (Table table = connection.getTable(options.table);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        add(result.getRow());
      }
    }
    insertPending();
    record(null);
    return identity;
  }

  private void add(byte[] row) throws IOException {
    hashes[pending] = identity.hash().hash(row);
    pending++;
    rows++;
    if (pending == BATCH) {
      insertPending();
    }
    if (rows % ROWS_PER_RECORD == 0) {
      insertPending();
      record(row);
    }
  }

  private void insertPending() throws IOException {
    filter.insert(hashes, 0, pending);
    pending = 0;
    options.progress.accept(rows);
  }

  private void record(byte[] last) throws IOException {
    filter.sync();
    identity = identity.filledTo(last);
    identity.write(options.filter.fileAccess(), directory);
  }
}
