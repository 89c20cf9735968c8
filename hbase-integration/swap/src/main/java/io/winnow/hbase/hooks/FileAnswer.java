package io.winnow.hbase.hooks;

import org.apache.hadoop.hbase.Cell;

/**
 * The answer <i>maybe</i> of one file's filter, until the cells that the file's scanner finds show
 * whether it was right. Used by one thread at a time, as the scanner is.
 */
interface FileAnswer {
  /** Records that the filter, queried for the same row with this key's column, ruled it out. */
  default void ruledOut(Cell key) {}

  /** Returns true if a seek of this key has to call {@link #passing}. */
  default boolean needsLast(Cell key) {
    return true;
  }

  /** Records the last cell at or before the key of a seek, from which the seek goes on. */
  void passing(Cell cell);

  /**
   * Compares the cells around the key of a seek with the answer.
   *
   * @param after the first cell that the seek did not pass; null at the end of the file
   */
  void sought(Cell key, Cell after);

  /**
   * Compares the next cell with the answer.
   *
   * @param cell null at the end of the file
   */
  default void stepped(Cell cell) {}

  /**
   * Compares the first cell of the row before with the answer, in a reversed scan.
   *
   * @param cell null if there is no row before
   */
  default void cameBack(Cell cell) {}

  /** Returns true if the answer is counted as right or false, and no more cells are needed. */
  boolean isSettled();

  /** Releases a settled answer, so that another file can use the object. */
  default void free() {}
}
