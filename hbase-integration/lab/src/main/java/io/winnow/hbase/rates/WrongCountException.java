package io.winnow.hbase.rates;

/** Thrown if a counter of Winnow's agent differs from the true count. */
final class WrongCountException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongCountException(String message) {
    super(message);
  }
}
