package io.winnow.hbase.settings;

import org.apache.hadoop.hbase.util.Bytes;

/**
 * Column families that have local indexes of Apache Phoenix. Their files get no row prefixes: these
 * gain nothing there, and with them a compaction by Phoenix lost the row of the table that begins a
 * region, after a merge.
 */
public final class LocalIndexes {
  private static final byte[] PREFIX = Bytes.toBytes("L#");

  private LocalIndexes() {}

  /** Returns true if a column family of the given name has local indexes. */
  public static boolean areIn(byte[] family) {
    return Bytes.startsWith(family, PREFIX);
  }
}
