package io.winnow.hbase.format;

import io.winnow.ByteAccess;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.MetaCellComparator;

/** The order of rows in a store file. */
public final class CellOrder {
  private CellOrder() {}

  /**
   * Returns true if a comparator orders rows by their bytes, as that of every store file does but
   * those of hbase:meta. HBase 2.5 calls this order CellComparatorImpl; later lines have a class
   * below that one.
   *
   * @param comparator the comparator of the file; may be null, if the file does not name one
   */
  public static boolean isByBytes(CellComparator comparator) {
    return comparator instanceof CellComparatorImpl && !(comparator instanceof MetaCellComparator);
  }

  /**
   * Returns 8 bytes of a row as a signed number, which compares as the bytes do.
   *
   * @param from the index of the first of the 8 bytes
   * @param to the end of the row; bytes from there on count as zeros
   */
  public static long word(byte[] row, int from, int to) {
    if (to - from >= Long.BYTES) {
      return Long.reverseBytes(ByteAccess.ARRAY.getLong(row, from)) ^ Long.MIN_VALUE;
    }
    long word = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      word = word << 8 | (from + i < to ? row[from + i] & 0xFF : 0);
    }
    return word ^ Long.MIN_VALUE;
  }
}
