package io.winnow.ycsb;

import java.io.IOException;

/**
 * Reports that a read returned what was never written, or did not return what was written. The run
 * fails.
 */
final class WrongReadException extends IOException {
  private static final long serialVersionUID = 1;

  WrongReadException(String message) {
    super(message);
  }
}
