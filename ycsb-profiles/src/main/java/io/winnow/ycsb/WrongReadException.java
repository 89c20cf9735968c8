package io.winnow.ycsb;

import java.io.IOException;

/** A read brought back what was never written, or did not bring back what was: the run fails. */
final class WrongReadException extends IOException {
  private static final long serialVersionUID = 1;

  WrongReadException(String message) {
    super(message);
  }
}
