package io.winnow.flash.store;

/**
 * Checks of what a caller gave: options, sizes, and what a file says of them. Not for hot paths.
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
