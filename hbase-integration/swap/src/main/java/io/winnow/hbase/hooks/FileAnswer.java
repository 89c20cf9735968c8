package io.winnow.hbase.hooks;

import org.apache.hadoop.hbase.Cell;

/**
 * A filter's answer <i>maybe</i> for one file, until the cells that the file's scanner finds show
 * if it was right. Used by one thread at a time, as the scanner is.
 */
interface FileAnswer {
  /**
   * Records that the file's filter ruled out the column of a key, after the answer <i>maybe</i> for
   * another key of its row.
   */
  default void ruledOut(Cell key) {}

  /**
   * Returns true if a seek has to report the last cell at or before its key to {@link #passing}.
   */
  default boolean needsLast(Cell key) {
    return true;
  }

  /** Records the last cell at or before the key of a seek, from which the seek goes on. */
  void passing(Cell cell);

  /**
   * Compares the filter's answer with the cells around the key of a seek.
   *
   * @param after the first cell that the seek did not pass; null at the end of the file
   */
  void sought(Cell key, Cell after);

  /**
   * Compares the filter's answer with the next cell of the file's scanner.
   *
   * @param cell null at the end of the file
   */
  default void stepped(Cell cell) {}

  /**
   * Compares the filter's answer with the first cell of the row before, in a reversed scan.
   *
   * @param cell null if there is no row before
   */
  default void cameBack(Cell cell) {}

  /**
   * Returns true if the filter's answer is counted as right or false, and no more cells are needed.
   */
  boolean isSettled();

  /** Releases a filter's answer that was counted, so that another file can use the object. */
  default void free() {}
}
