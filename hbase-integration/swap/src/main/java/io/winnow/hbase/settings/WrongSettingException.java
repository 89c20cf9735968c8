package io.winnow.hbase.settings;

/**
 * Thrown for a setting with a value that is not allowed. Has the key, the value, and the allowed
 * values.
 */
public final class WrongSettingException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final String value;

  WrongSettingException(String key, String value, String allowed) {
    super(allowed);
    this.key = key;
    this.value = value;
  }

  /** Returns the key of the setting. */
  public String key() {
    return key;
  }

  /** Returns the wrong value. */
  public String value() {
    return value;
  }

  /** Returns the allowed values, in words. */
  public String allowed() {
    return getMessage();
  }

  /** Returns a sentence with key, value and allowed values. */
  public String inWords() {
    return inWords("");
  }

  /**
   * Returns the sentence with the place of the value.
   *
   * @param place the place with a blank before it, as <i> in METADATA</i>
   */
  String inWords(String place) {
    return key + " is '" + value + "'" + place + ", must be " + allowed();
  }
}
