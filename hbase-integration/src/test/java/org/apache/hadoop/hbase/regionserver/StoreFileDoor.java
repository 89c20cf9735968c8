package org.apache.hadoop.hbase.regionserver;

import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
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
}
