package org.apache.hadoop.hbase.regionserver;

import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
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

  /** The file's filter for rows, or for rows and columns; null if it has none. */
  public static BloomFilter generalFilter(StoreFileReader reader) {
    return reader.getGeneralBloomFilter();
  }
}
