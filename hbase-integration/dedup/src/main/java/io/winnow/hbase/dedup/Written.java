package io.winnow.hbase.dedup;

import java.util.BitSet;

/**
 * Result of a batch: which rows were stored, and how many were queried in HBase. A row whose
 * response was lost counts as a repeat when it is written again. So do not rely on {@code stored}
 * alone to forward or count rows of which none may be missed.
 *
 * @param rows number of rows in the batch
 * @param stored indexes of the rows that this call stored; the others were in HBase already, or
 *     came before in the same batch
 * @param queried number of rows for which HBase was queried
 */
public record Written(int rows, BitSet stored, int queried) {
  /** Returns the number of rows that this write stored. */
  public int storedCount() {
    return stored.cardinality();
  }

  /** Returns the number of rows that this write did not store because they are repeats. */
  public int repeats() {
    return rows - storedCount();
  }
}
