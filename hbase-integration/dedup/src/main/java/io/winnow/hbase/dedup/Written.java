package io.winnow.hbase.dedup;

import java.util.BitSet;

/**
 * What came of a batch. A row whose answer was lost counts as a repeat when it is written again: so
 * what must not be missed cannot be forwarded or counted by {@code stored} alone.
 *
 * @param rows how many were given
 * @param stored which of them this call stored; the others were in HBase already, or came before in
 *     the same batch
 * @param asked how many HBase was asked about
 */
public record Written(int rows, BitSet stored, int asked) {
  /** How many this call stored. */
  public int storedCount() {
    return stored.cardinality();
  }

  /** How many it did not, since they are repeats. */
  public int repeats() {
    return rows - storedCount();
  }
}
