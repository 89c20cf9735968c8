package io.winnow.hbase.settings;

/** A setting with a value that means nothing: which key, which value, and what would be allowed. */
public final class WrongSettingException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final String value;

  WrongSettingException(String key, String value, String allowed) {
    super(allowed);
    this.key = key;
    this.value = value;
  }

  public String key() {
    return key;
  }

  public String value() {
    return value;
  }

  public String allowed() {
    return getMessage();
  }

  public String inWords() {
    return inWords("");
  }

  /** The sentence, with the place that has the value: <i> in METADATA</i>. */
  String inWords(String place) {
    return key + " is '" + value + "'" + place + ", must be " + allowed();
  }
}
