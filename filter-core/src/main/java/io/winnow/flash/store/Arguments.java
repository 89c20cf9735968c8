package io.winnow.flash.store;

/**
 * Argument checks of options and sizes, from a caller or from a file. They are not for hot paths,
 * since each call builds its message.
 */
public final class Arguments {
  private Arguments() {}

  /**
   * Checks a condition.
   *
   * @throws IllegalArgumentException with the message, if the condition is false
   */
  public static void check(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
