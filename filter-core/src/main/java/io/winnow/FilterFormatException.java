package io.winnow;

/**
 * Thrown when bytes are not a valid filter: wrong magic number, unknown type or version, lengths
 * that contradict each other, a checksum that does not match.
 *
 * <p>It is thrown at open, before memory is allocated for a length that the bytes claim. It is an
 * {@link IllegalArgumentException} because HBase then serves a store file without its filter.
 */
public final class FilterFormatException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception that reports an invalid filter. */
  public FilterFormatException(String message) {
    super(message);
  }

  /** Creates the exception that reports an invalid filter, with a cause. */
  public FilterFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
