package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Asks a store file's reader what a Get asks it; HBase keeps that to its package. */
public final class StoreFileDoor {
  private StoreFileDoor() {}

  /** Whether a Get of the row, or of one column of it, would read this file. */
  public static boolean passes(StoreFileReader reader, byte[] row, byte[] qualifier) {
    SortedSet<byte[]> columns = null;
    if (qualifier != null) {
      columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
      columns.add(qualifier);
    }
    return reader.passesBloomFilter(new Scan(new Get(row)), columns);
  }

  /** Whether a scan of the store would read this file. */
  public static boolean passes(StoreFileReader reader, Scan scan, HStore store) {
    byte[] family = store.getColumnFamilyDescriptor().getName();
    return reader.passesTimerangeFilter(scan.getTimeRange(), Long.MIN_VALUE)
        && reader.passesKeyRangeFilter(scan)
        && reader.passesBloomFilter(scan, scan.getFamilyMap().get(family));
  }

  /** Whether a Get of the row would read this file. */
  public static boolean wouldBeRead(StoreFileReader reader, byte[] row) {
    Scan scan = new Scan(new Get(row));
    return reader.passesKeyRangeFilter(scan) && reader.passesBloomFilter(scan, null);
  }

  /** Whether the row has any cell in the file, as the file itself tells. */
  public static boolean holds(StoreFileReader reader, byte[] row) throws IOException {
    HFileScanner scanner =
        reader.getHFileReader().getScanner(new Configuration(false), false, true, false);
    Cell first = PrivateCellUtil.createFirstOnRow(row);
    return StoreFileScanner.seekAtOrAfter(scanner, first)
        && CellUtil.matchingRows(scanner.getCell(), row);
  }

  /** The file's filter for rows, or for rows and columns; null if it has none. */
  public static BloomFilter generalFilter(StoreFileReader reader) {
    return reader.getGeneralBloomFilter();
  }

  /** As if the filter's meta block could not be read. */
  public static void spoil(StoreFileReader reader) {
    reader.setBloomFilterFaulty(BlockType.GENERAL_BLOOM_META);
  }

  /** Whether a scan would read the file, as far as its filter tells. */
  public static boolean passes(StoreFileReader reader, Scan scan) {
    return reader.passesBloomFilter(scan, null);
  }

  /** A reader that has what a reader of a stream takes from the file's own. */
  public static StoreFileReader copyOf(StoreFileReader reader) throws IOException {
    StoreFileReader copy = new StoreFileReader();
    copy.copyFields(reader);
    return copy;
  }

  /** Has a reader of HBase's own class ask another filter. */
  public static void setGeneralFilter(StoreFileReader reader, BloomFilter filter) {
    reader.generalBloomFilter = filter;
  }

  /** The scanner of a file, as a scan of its store has it. */
  public static StoreFileScanner scanner(StoreFileReader reader) {
    return reader.getStoreFileScanner(true, true, false, Long.MAX_VALUE, 0, false);
  }

  /** A scanner of another class, which hands on all that it is asked. */
  public static KeyValueScanner behind(StoreFileScanner own) {
    return (KeyValueScanner)
        Proxy.newProxyInstance(
            KeyValueScanner.class.getClassLoader(),
            new Class<?>[] {KeyValueScanner.class},
            (proxy, method, arguments) -> method.invoke(own, arguments));
  }

  /** The scanners that a scan of the store goes on with; it closes the others. */
  public static List<KeyValueScanner> selected(
      HStore store, Scan scan, List<? extends KeyValueScanner> scanners) throws IOException {
    try (StoreScanner ofStore =
        new StoreScanner(store, store.getScanInfo(), scan, null, Long.MAX_VALUE)) {
      return ofStore.selectScannersFrom(store, scanners);
    }
  }
}
