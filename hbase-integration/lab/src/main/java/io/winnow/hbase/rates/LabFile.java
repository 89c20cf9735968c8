package io.winnow.hbase.rates;

import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.StockBloom;
import io.winnow.hbase.storefile.RowKey;
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
  final BitSet rows = new BitSet();

  /** The filter of the file's rows; null if it has none. */
  final BloomFilter filter;

  /**
   * The false-positive rate of the filter, which is the chance that a Get of an absent row reads
   * the file; 1 without a filter.
   */
  final double rate;

  /** Number of rows of the file that its own filter ruled out; it must be 0. */
  final long ruledOut;

  private final StoreFileReader reader;

  /** Reads all rows of a store file and queries the file's filter for each. */
  LabFile(HStoreFile file, StockBloom stock) throws IOException {
    reader = file.getReader();
    filter = reader.getGeneralBloomFilter();
    rate =
        filter == null
            ? 1
            : filter instanceof WinnowFilterReader ours
                ? ours.estimatedRate()
                : stock.rate(filter.getKeyCount());
    ruledOut = readRows();
  }

  private long readRows() throws IOException {
    long wrong = 0;
    HFileScanner scanner =
        reader.getHFileReader().getScanner(new Configuration(false), false, false, false);
    for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
      Cell cell = scanner.getCell();
      rows.set(RowKey.number(cell.getRowArray(), cell.getRowOffset()));
      wrong += mightContain(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength()) ? 0 : 1;
    }
    if (rows.cardinality() != reader.getEntries()) {
      throw new IOException(
          "%s has %d rows, but its trailer says %d"
              .formatted(reader, rows.cardinality(), reader.getEntries()));
    }
    return wrong;
  }

  private boolean mightContain(byte[] bytes, int offset, int length) {
    return filter == null || filter.contains(bytes, offset, length, null);
  }

  /**
   * Returns whether a Get of a row reads this store file, by the file's key range and its filter.
   */
  boolean isRead(Scan get) {
    byte[] row = get.getStartRow();
    return reader.passesKeyRangeFilter(get) && mightContain(row, 0, row.length);
  }
}
