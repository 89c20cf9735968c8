package io.winnow.hbase.format;

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
}
