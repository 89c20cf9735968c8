package io.winnow.hbase.rates;

/** Reports that a counter of the agent differs from the true count. */
final class WrongCountException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongCountException(String message) {
    super(message);
  }
}
