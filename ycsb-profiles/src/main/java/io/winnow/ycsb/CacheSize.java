package io.winnow.ycsb;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The size of the block cache: in bytes, or by the share that stock Bloom filters take of it.
 *
 * @param bytes 0 if the share sets the size
 * @param filterShare 0 if {@code bytes} sets the size
 */
record CacheSize(long bytes, double filterShare) {
  private static final Pattern TEXT = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,3})?)([kmg%]?)");

  static CacheSize ofShare(double share) {
    if (!(share > 0 && share <= 10)) {
      throw new IllegalArgumentException(
          "filters that take " + share + " of the block cache: must be in 0.01..10");
    }
    return new CacheSize(0, share);
  }

  /**
   * Parses a size of the block cache: {@code 30m}, {@code 31457280} or {@code 40%}.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static CacheSize parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "a cache size is like 30m, 2g or 40% (of it for stock Bloom filters), not " + text);
    }
    double number = Double.parseDouble(matcher.group(1));
    if (matcher.group(2).equals("%")) {
      return ofShare(number / 100);
    }
    double bytes =
        number
            * switch (matcher.group(2)) {
              case "k" -> 1 << 10;
              case "m" -> 1 << 20;
              case "g" -> 1 << 30;
              default -> 1;
            };
    if (bytes < 1 << 20) {
      throw new IllegalArgumentException("a block cache of " + text + ": must be 1m at least");
    }
    return new CacheSize((long) bytes, 0);
  }

  /**
   * Returns the size of the block cache in bytes, for tables whose stock Bloom filters have the
   * given size.
   */
  long bytesFor(long bloomBytes) {
    return bytes > 0 ? bytes : Math.max(1 << 20, Math.round(bloomBytes / filterShare));
  }
}
