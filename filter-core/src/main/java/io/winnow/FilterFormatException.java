package io.winnow;

/**
 * Thrown when bytes are not a filter, or not a valid one: wrong magic, unknown type or version,
 * lengths that contradict each other, a checksum that does not match.
 *
 * <p>It is thrown at open, before memory is allocated for a length that the bytes claim. It is an
 * {@link IllegalArgumentException} because HBase then serves a store file without its filter.
 */
public final class FilterFormatException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public FilterFormatException(String message) {
    super(message);
  }

  /** Creates the exception with its cause. */
  public FilterFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
