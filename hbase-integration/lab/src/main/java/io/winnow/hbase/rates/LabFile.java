package io.winnow.hbase.rates;

import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.StockBloom;
import java.io.IOException;
import java.util.BitSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;

/**
 * One store file: its filter, and the rows that it has. The rows are read from the file itself when
 * it is seen first, and the filter is asked for each of them.
 */
final class LabFile {
  private final StoreFileReader reader;
  private final BloomFilter filter;
  private final BitSet rows = new BitSet();
  private final double rate;
  private long denied;

  private LabFile(StoreFileReader reader, StockBloom stock) {
    this.reader = reader;
    this.filter = reader.getGeneralBloomFilter();
    if (filter == null) {
      rate = 1;
    } else if (filter instanceof WinnowFilterReader ours) {
      rate = ours.estimatedRate();
    } else {
      rate = stock.rate(filter.getKeyCount());
    }
  }

  /** Reads a file through. */
  static LabFile read(HStoreFile file, StockBloom stock) throws IOException {
    LabFile open = new LabFile(file.getReader(), stock);
    open.readRows();
    return open;
  }

  private void readRows() throws IOException {
    HFileScanner scanner =
        reader.getHFileReader().getScanner(new Configuration(false), false, false, false);
    for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
      Cell cell = scanner.getCell();
      rows.set(RowKey.number(cell.getRowArray(), cell.getRowOffset()));
      if (filter != null
          && !filter.contains(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength(), null)) {
        denied++;
      }
    }
    if (rows.cardinality() != reader.getEntries()) {
      throw new IOException(
          reader + " has " + rows.cardinality() + " rows and says " + reader.getEntries());
    }
  }

  /** Rows of the file of which its filter said that they are not there: must be none. */
  long denied() {
    return denied;
  }

  BitSet rows() {
    return rows;
  }

  long filterBytes() {
    return filter == null ? 0 : filter.getByteSize();
  }

  /** The chance that a row which is not there is looked for in the file; 1 without a filter. */
  double rate() {
    return rate;
  }

  boolean hasFilter() {
    return filter != null;
  }

  boolean has(int row) {
    return rows.get(row);
  }

  /** Whether a Get of the row reads the file, by the file's key range and its filter. */
  boolean isRead(Scan get) {
    byte[] row = get.getStartRow();
    return reader.passesKeyRangeFilter(get)
        && (filter == null || filter.contains(row, 0, row.length, null));
  }
}
