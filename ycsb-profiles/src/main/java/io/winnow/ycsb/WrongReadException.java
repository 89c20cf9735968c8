package io.winnow.ycsb;

import java.io.IOException;

/**
 * Exception for a read that returned a value that was never written, or did not return one that was
 * written. The run fails.
 */
final class WrongReadException extends IOException {
  private static final long serialVersionUID = 1;

  WrongReadException(String message) {
    super(message);
  }
}
