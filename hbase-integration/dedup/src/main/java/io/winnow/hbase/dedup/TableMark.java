package io.winnow.hbase.dedup;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The half of a directory's identity that is in the HBase table: a cell with the number of the
 * directory's openings. It shares the fate of the table's rows: it is gone when the table was
 * truncated or dropped, and older when the table was restored.
 */
final class TableMark {
  private static final Logger LOG = LoggerFactory.getLogger(Deduplicator.class);
  private static final String QUALIFIER = "winnow-dedup-";

  private final Connection connection;
  private final DedupOptions options;
  private final byte[] qualifier;

  /**
   * Timestamp in milliseconds of the cell with the directory's mark, as it was read. A later mark
   * gets a higher one, even if the clock went back.
   */
  private long seen;

  TableMark(Connection connection, DedupOptions options, String id) {
    this.connection = connection;
    this.options = options;
    this.qualifier = Bytes.toBytes(QUALIFIER + id);
  }

  /**
   * Returns the number of openings of this directory that the HBase table has recorded, or empty if
   * it has none. Logs a warning if the table has the mark of another directory, too.
   */
  OptionalLong openings(Path directory) throws IOException {
    Result all;
    try (Table table = connection.getTable(options.table)) {
      all =
          table.get(
              new Get(options.markRow)
                  .addFamily(options.markFamily)
                  .setFilter(new ColumnPrefixFilter(Bytes.toBytes(QUALIFIER))));
    }
    warnOfOthers(directory, all);
    Cell cell = all.getColumnLatestCell(options.markFamily, qualifier);
    if (cell == null || cell.getValueLength() != Long.BYTES) {
      return OptionalLong.empty();
    }
    seen = cell.getTimestamp();
    return OptionalLong.of(Bytes.toLong(cell.getValueArray(), cell.getValueOffset()));
  }

  private void warnOfOthers(Path directory, Result all) {
    for (Cell cell : all.listCells() == null ? List.<Cell>of() : all.listCells()) {
      if (!CellUtil.matchingQualifier(cell, qualifier)) {
        LOG.warn(
            "the table {} has the mark of another de-duplicator's directory than {}, last opened at"
                + " {}: a row that is written through both may be stored twice. Write each row"
                + " always through the same one; if the other one is gone, delete the cell {}:{} of"
                + " the row {}",
            options.table,
            directory,
            Instant.ofEpochMilli(cell.getTimestamp()),
            Bytes.toStringBinary(options.markFamily),
            Bytes.toStringBinary(CellUtil.cloneQualifier(cell)),
            Bytes.toStringBinary(options.markRow));
      }
    }
  }

  void write(long openings) throws IOException {
    try (Table table = connection.getTable(options.table)) {
      long time = Math.max(System.currentTimeMillis(), seen + 1);
      table.put(
          new Put(options.markRow)
              .addColumn(options.markFamily, qualifier, time, Bytes.toBytes(openings)));
    }
  }
}
