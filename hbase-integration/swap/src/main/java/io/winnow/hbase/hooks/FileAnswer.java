package io.winnow.hbase.hooks;

import org.apache.hadoop.hbase.Cell;

/**
 * A "maybe" about one file, until what the file's scanner meets tells whether it was right. Used by
 * one thread at a time, as the scanner is.
 */
interface FileAnswer {
  /** The filter itself was asked for the same row again, with this key's column, and said no. */
  default void ruledOut(Cell key) {}

  /** Whether {@link #passing} can tell anything in a seek of this key. */
  default boolean looksAtLast(Cell key) {
    return true;
  }

  /** A seek goes on to the next cell from this one, the last at or before its key. */
  void passing(Cell cell);

  /**
   * A seek has ended.
   *
   * @param after the first cell that the seek did not pass; null at the end of the file
   */
  void sought(Cell key, Cell after);

  /** The scanner went on by one cell, to this one; null at the end of the file. */
  default void stepped(Cell cell) {}

  /** The scanner went back to the row before, to this cell; null if there is none. */
  default void cameBack(Cell cell) {}

  /** Whether it is known, and counted, what the answer was worth: there is nothing more to tell. */
  boolean isSettled();

  /** It is settled, and nobody has it any longer. */
  default void free() {}
}
