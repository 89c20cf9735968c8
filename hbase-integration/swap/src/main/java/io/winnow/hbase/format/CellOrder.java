package io.winnow.hbase.format;

import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.MetaCellComparator;

/** The order in which a store file has its rows. */
public final class CellOrder {
  private CellOrder() {}

  /**
   * Whether it is that of the rows' bytes, as in all files but those of hbase:meta. HBase 2.5 calls
   * it CellComparatorImpl, and later lines have a class below that one.
   *
   * @param comparator of a file; may be null, if the file does not say
   */
  public static boolean isByBytes(CellComparator comparator) {
    return comparator instanceof CellComparatorImpl && !(comparator instanceof MetaCellComparator);
  }
}
