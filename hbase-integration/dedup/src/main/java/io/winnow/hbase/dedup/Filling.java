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
 * Fills a new filter with the rows that the table has, in their order. Every so many rows it makes
 * safe what is in, and notes the last row of it, from where another process can go on.
 */
final class Filling {
  /** Rows between two notes. */
  static final int NOTED = 20_000;

  private static final int BATCH = 1000;

  private final DedupOptions options;
  private final CascadeFilter filter;
  private final Path directory;
  private final long[] hashes = new long[BATCH];
  private Identity identity;
  private int pending;
  private long rows;

  private Filling(DedupOptions options, CascadeFilter filter, Path directory, Identity identity) {
    this.options = options;
    this.filter = filter;
    this.directory = directory;
    this.identity = identity;
  }

  /** Goes on where the identity says; returns the identity of a directory that is filled. */
  static Identity run(
      Connection connection,
      DedupOptions options,
      CascadeFilter filter,
      Path directory,
      Identity identity)
      throws IOException {
    Filling filling = new Filling(options, filter, directory, identity);
    try (Table table = connection.getTable(options.table())) {
      filling.scan(table);
    }
    return filling.identity;
  }

  private void scan(Table table) throws IOException {
    Scan scan =
        new Scan()
            .withStartRow(identity.filledTo(), identity.filledTo().length == 0)
            .addColumn(options.family(), options.qualifier())
            .setFilter(new KeyOnlyFilter())
            .setCaching(BATCH)
            .setCacheBlocks(false);
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result = scanner.next(); result != null; result = scanner.next()) {
        add(result.getRow());
      }
    }
    insertPending();
    note(null);
  }

  private void add(byte[] row) throws IOException {
    hashes[pending] = identity.hash().hash(row);
    pending++;
    rows++;
    if (pending == BATCH) {
      insertPending();
    }
    if (rows % NOTED == 0) {
      insertPending();
      note(row);
    }
  }

  private void insertPending() throws IOException {
    filter.insert(hashes, 0, pending);
    pending = 0;
    options.progress().accept(rows);
  }

  private void note(byte[] last) throws IOException {
    filter.sync();
    identity = identity.filledTo(last);
    identity.write(options.filter().fileAccess(), directory);
  }
}
