package io.winnow.hbase.dedup;

import java.io.IOException;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The other half of a directory's identity, in the table itself: a cell that says how often the
 * directory was opened. It goes where the table's rows go: it is gone when these were truncated or
 * dropped, and older when they were restored.
 */
final class TableMark {
  private static final String QUALIFIER = "winnow-dedup-";

  private final Connection connection;
  private final DedupOptions options;
  private final byte[] qualifier;

  /** Of the cell that was read: what is written later has to lie above it, whatever clocks say. */
  private long seen;

  private TableMark(Connection connection, DedupOptions options, byte[] qualifier) {
    this.connection = connection;
    this.options = options;
    this.qualifier = qualifier;
  }

  static TableMark of(Connection connection, DedupOptions options, String id) {
    return new TableMark(connection, options, Bytes.toBytes(QUALIFIER + id));
  }

  /** How often the directory was opened, if the table knows it. */
  OptionalLong openings() throws IOException {
    try (Table table = connection.getTable(options.table())) {
      Cell cell =
          table
              .get(new Get(options.markRow()).addColumn(options.markFamily(), qualifier))
              .getColumnLatestCell(options.markFamily(), qualifier);
      if (cell == null || cell.getValueLength() != Long.BYTES) {
        return OptionalLong.empty();
      }
      seen = cell.getTimestamp();
      return OptionalLong.of(Bytes.toLong(cell.getValueArray(), cell.getValueOffset()));
    }
  }

  void write(long openings) throws IOException {
    try (Table table = connection.getTable(options.table())) {
      long time = Math.max(System.currentTimeMillis(), seen + 1);
      table.put(
          new Put(options.markRow())
              .addColumn(options.markFamily(), qualifier, time, Bytes.toBytes(openings)));
    }
  }
}
