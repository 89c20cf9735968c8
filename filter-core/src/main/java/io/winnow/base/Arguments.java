package io.winnow.base;

/**
 * Checks of arguments, such as options and sizes, from a caller or from a file. They are not for
 * hot paths, since each call builds its message.
 */
public final class Arguments {
  private Arguments() {}

  /**
   * Checks a condition on an argument; throws {@link IllegalArgumentException} if it is false.
   *
   * @throws IllegalArgumentException with the message, if the condition is false
   */
  public static void check(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
