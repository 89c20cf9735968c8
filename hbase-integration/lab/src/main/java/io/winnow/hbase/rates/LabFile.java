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
 * A store file with its filter and the numbers of its rows. The rows are read from the file itself
 * when the file is new, and the filter is queried for each of them.
 */
final class LabFile {
  private final StoreFileReader reader;
  private final BloomFilter filter;
  private final BitSet rows = new BitSet();
  private final double rate;
  private long ruledOut;

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

  /** Reads all rows of a store file and queries the file's filter for each. */
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
        ruledOut++;
      }
    }
    if (rows.cardinality() != reader.getEntries()) {
      throw new IOException(
          reader
              + " has "
              + rows.cardinality()
              + " rows, but its trailer says "
              + reader.getEntries());
    }
  }

  /** Returns the number of rows of a store file that its own filter ruled out; it must be 0. */
  long ruledOut() {
    return ruledOut;
  }

  BitSet rows() {
    return rows;
  }

  long filterBytes() {
    return filter == null ? 0 : filter.getByteSize();
  }

  /**
   * Returns the false-positive rate of a store file's filter, which is the chance that a Get of an
   * absent row reads the file; 1 without a filter.
   */
  double rate() {
    return rate;
  }

  boolean hasFilter() {
    return filter != null;
  }

  boolean has(int row) {
    return rows.get(row);
  }

  /**
   * Returns whether a Get of a row reads this store file, by the file's key range and its filter.
   */
  boolean isRead(Scan get) {
    byte[] row = get.getStartRow();
    return reader.passesKeyRangeFilter(get)
        && (filter == null || filter.contains(row, 0, row.length, null));
  }
}
