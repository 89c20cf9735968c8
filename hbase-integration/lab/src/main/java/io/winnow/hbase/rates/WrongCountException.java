package io.winnow.hbase.rates;

import java.io.IOException;

/** Thrown if a counter of Winnow's agent differs from the true count. */
final class WrongCountException extends IOException {
  private static final long serialVersionUID = 1;

  WrongCountException(String message) {
    super(message);
  }
}
