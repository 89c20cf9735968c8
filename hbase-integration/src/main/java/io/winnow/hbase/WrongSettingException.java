package io.winnow.hbase;

/** A setting with a value that means nothing: which key, which value, and what would be allowed. */
final class WrongSettingException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final String value;

  WrongSettingException(String key, String value, String allowed) {
    super(allowed);
    this.key = key;
    this.value = value;
  }

  String key() {
    return key;
  }

  String value() {
    return value;
  }

  String allowed() {
    return getMessage();
  }

  String inWords() {
    return key + " is '" + value + "', must be " + allowed();
  }
}
