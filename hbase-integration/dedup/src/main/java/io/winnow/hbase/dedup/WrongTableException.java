package io.winnow.hbase.dedup;

import java.io.IOException;

/**
 * A directory and a table that do not belong together, or do so no more. Its message says in which
 * way. A new directory always fits: it is filled with the rows that the table has.
 */
public final class WrongTableException extends IOException {
  private static final long serialVersionUID = 1;

  WrongTableException(String message) {
    super(message);
  }
}
