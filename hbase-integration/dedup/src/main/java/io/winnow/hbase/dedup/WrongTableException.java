package io.winnow.hbase.dedup;

import java.io.IOException;

/**
 * Reports that a de-duplicator's directory and the HBase table do not belong together, or no longer
 * do. The message says why. A new directory always fits: it is filled with the rows that the table
 * has.
 */
public final class WrongTableException extends IOException {
  private static final long serialVersionUID = 1;

  WrongTableException(String message) {
    super(message);
  }
}
