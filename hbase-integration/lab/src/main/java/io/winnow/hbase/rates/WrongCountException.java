package io.winnow.hbase.rates;

/** What the agent counted is not what is true. */
final class WrongCountException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WrongCountException(String message) {
    super(message);
  }
}
