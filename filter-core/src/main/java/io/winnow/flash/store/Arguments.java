package io.winnow.flash.store;

/**
 * Checks options and sizes, from a caller or from a file. Not for hot paths: the message is always
 * made.
 */
public final class Arguments {
  private Arguments() {}

  /**
   * Refuses what is not as it must be.
   *
   * @throws IllegalArgumentException with the message, if the condition is not met
   */
  public static void check(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
