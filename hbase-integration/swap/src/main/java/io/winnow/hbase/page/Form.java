package io.winnow.hbase.page;

import java.util.Locale;

/** Format of a table's values in HTML, such as bytes with a unit or percent. */
enum Form {
  WORDS,
  COUNT,
  BYTES,
  BITS,
  PERCENT,
  PER_SECOND,
  /** Format of values that the HTML omits and only the JSON has. */
  HIDDEN;

  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  boolean isNumber() {
    return this != WORDS && this != HIDDEN;
  }

  /** Returns a value as text for HTML; a dash if the value is unknown. */
  String text(Object value) {
    if (value == null) {
      return "\u2013";
    }
    switch (this) {
      case COUNT:
        return String.format(Locale.ROOT, "%,d", (Long) value);
      case BYTES:
        return bytes((Long) value);
      case BITS:
      case PER_SECOND:
        return String.format(Locale.ROOT, "%,.2f", (Double) value);
      case PERCENT:
        return String.format(Locale.ROOT, "%.4f %%", 100 * (Double) value);
      default:
        return value.toString();
    }
  }

  /** Returns a count with its noun, such as <i>1 file</i> or <i>2,000 files</i>. */
  static String counted(long count, String one) {
    return COUNT.text(count) + " " + one + (count == 1 ? "" : "s");
  }

  private static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.2f %s", value, UNITS[unit]);
  }
}
