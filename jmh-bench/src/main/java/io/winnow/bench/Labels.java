package io.winnow.bench;

import java.util.Locale;

/**
 * The names that contenders have in results: those of enum constants, in lower case and with
 * dashes.
 */
final class Labels {
  private Labels() {}

  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the constant that has a name in results.
   *
   * @throws IllegalArgumentException if there is none
   */
  static <E extends Enum<E>> E parse(Class<E> type, String label) {
    return Enum.valueOf(type, label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
