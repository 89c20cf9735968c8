package io.winnow.hbase.settings;

/** Exception for a setting whose value is not allowed. */
public final class WrongSettingException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The key of the setting that has a wrong value. */
  public final String key;

  /** The wrong value that the setting has. */
  public final String value;

  WrongSettingException(String key, String value, String allowed) {
    super(allowed);
    this.key = key;
    this.value = value;
  }

  /** Returns the values that the wrong setting may have, in words. */
  public String allowed() {
    return getMessage();
  }

  /** Returns a sentence that names the setting's key, its wrong value and the allowed values. */
  public String inWords() {
    return inWords("");
  }

  /**
   * Returns a sentence that names the setting's key, its wrong value with the place of it, and the
   * allowed values.
   *
   * @param place the place with a blank before it, as <i> in METADATA</i>
   */
  String inWords(String place) {
    return key + " is '" + value + "'" + place + ", must be " + allowed();
  }
}
