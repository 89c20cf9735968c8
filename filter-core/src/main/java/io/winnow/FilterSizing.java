package io.winnow;

import io.winnow.base.KeyBuffer;

/**
 * A type of filter and a false-positive rate, which determine the size of a filter for a number of
 * keys. {@link FilterBuilder#of} returns a builder for it.
 *
 * <p>Each type's {@code forRate(rate)} creates one, for a rate from {@link #MIN_RATE} to {@link
 * #MAX_RATE}: a filter that is built has at most this rate. Immutable and thread-safe.
 */
public interface FilterSizing {

  /** Maximum of the false-positive rate of a sizing. */
  double MAX_RATE = 0.5;

  /**
   * Minimum of the false-positive rate of a sizing: 2^-48, about 3.6e-15. With hashes of 64 bits
   * and up to 2^30 keys no lower rate is possible.
   */
  double MIN_RATE = 0x1p-48;

  /** Maximum of distinct keys in a filter. */
  long MAX_KEYS = KeyBuffer.MAX_COUNT;

  /** Returns the type of the filters that this sizing is for. */
  FilterType type();

  /** Returns the false-positive rate of the filters that this sizing is for. */
  double rate();

  /**
   * Returns the largest number of keys whose filter is expected to have at most this many bytes,
   * header included; at least 1.
   *
   * @throws IllegalArgumentException if the number of bytes is negative
   */
  long keyLimit(long imageBytes);

  /**
   * Returns the expected size in bytes of a filter's image for this many distinct keys.
   *
   * @throws IllegalArgumentException if the number is negative or above {@link #MAX_KEYS}
   */
  long expectedImageBytes(long keys);

  /**
   * Builds the filter of the keys in a buffer, for {@link FilterBuilder#finish}. It may sort the
   * buffer and drop repeats; it does not clear it.
   *
   * @param keyHash the function that made the hashes, or null if it is unknown
   * @param verified whether the finished filter is checked against the keys before it is returned
   */
  FilterImage build(KeyBuffer keys, KeyHash keyHash, boolean verified);

  /**
   * Checks that a false-positive rate is possible, and returns it.
   *
   * @throws IllegalArgumentException unless it is {@link #MIN_RATE} to {@link #MAX_RATE}
   */
  static double checkRate(double rate) {
    if (!(rate >= MIN_RATE && rate <= MAX_RATE)) {
      throw new IllegalArgumentException(
          ("false-positive rate is " + rate + ", must be " + MIN_RATE + " (2^-48) to " + MAX_RATE));
    }
    return rate;
  }

  /**
   * Checks that a number of keys is possible, and returns it.
   *
   * @throws IllegalArgumentException unless it is 0 to {@link #MAX_KEYS}
   */
  static long checkKeys(long keys) {
    if (keys < 0 || keys > MAX_KEYS) {
      throw new IllegalArgumentException(keys + " keys, must be 0 to " + MAX_KEYS);
    }
    return keys;
  }

  /**
   * Checks that a size of an image is possible, and returns it.
   *
   * @throws IllegalArgumentException if it is negative
   */
  static long checkBytes(long imageBytes) {
    if (imageBytes < 0) {
      throw new IllegalArgumentException("image of " + imageBytes + " bytes, must be 0 or more");
    }
    return imageBytes;
  }
}
