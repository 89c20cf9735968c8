package io.winnow;

/**
 * Bytes that are not a filter, or not one that can be believed: wrong magic, unknown type or
 * version, lengths that contradict each other, a checksum that does not match.
 *
 * <p>Thrown at open, before anything is allocated from a length that the bytes claim. It is an
 * {@link IllegalArgumentException} because that is what HBase answers by serving a store file
 * without its filter.
 */
public final class FilterFormatException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public FilterFormatException(String message) {
    super(message);
  }

  public FilterFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
