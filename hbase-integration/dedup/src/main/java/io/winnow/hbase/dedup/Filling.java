package io.winnow.hbase.dedup;

import io.winnow.cascade.CascadeFilter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
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
   * filling goes on; a multiple of {@link #BATCH}.
   */
  static final int ROWS_PER_RECORD = 20_000;

  /** Number of rows that are read, and inserted into the filter, together. */
  private static final int BATCH = 1000;

  private final DedupOptions options;
  private final CascadeFilter filter;
  private final Path directory;
  private Identity identity;

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
    long rows = 0;
    try (Table table = connection.getTable(options.table);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result[] batch = scanner.next(BATCH); batch.length > 0; batch = scanner.next(BATCH)) {
        long[] hashes =
            Arrays.stream(batch).mapToLong(row -> identity.hash().hash(row.getRow())).toArray();
        filter.insert(hashes, 0, batch.length);
        rows += batch.length;
        options.progress.accept(rows);
        if (rows % ROWS_PER_RECORD == 0) {
          record(batch[batch.length - 1].getRow());
        }
      }
    }
    record(null);
    return identity;
  }

  private void record(byte[] last) throws IOException {
    filter.sync();
    identity = identity.filledTo(last);
    identity.write(options.filter.fileAccess(), directory);
  }
}
