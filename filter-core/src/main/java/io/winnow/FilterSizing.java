package io.winnow;

import io.winnow.build.KeyBuffer;
import io.winnow.hash.KeyHash;

/**
 * A kind of filter and a false-positive rate, and so how large a filter is for how many keys.
 * {@link FilterBuilder#of} makes a builder of it.
 *
 * <p>Made by the {@code forRate(rate)} of each kind, for a rate from {@link #MIN_RATE} to {@link
 * #MAX_RATE}: the filter that is built has at most that rate. Immutable and thread-safe.
 */
public interface FilterSizing {

  /** The highest false-positive rate that can be asked for. */
  double MAX_RATE = 0.5;

  /**
   * The lowest one: 2^-48, about 3.6e-15. Hashes of 64 bits and filters of up to 2^30 keys carry no
   * lower one.
   */
  double MIN_RATE = 0x1p-48;

  /** Distinct keys of a filter at most. */
  long MAX_KEYS = KeyBuffer.MAX_COUNT;

  FilterType type();

  /** The false-positive rate that was asked for. */
  double rate();

  /**
   * The most keys whose filter is expected to have at most this many bytes, header included; at
   * least 1.
   *
   * @throws IllegalArgumentException if the number of bytes is negative
   */
  long keyLimit(long imageBytes);

  /**
   * The size of the image, in bytes, that is expected for this many distinct keys.
   *
   * @throws IllegalArgumentException if the number is negative or above {@link #MAX_KEYS}
   */
  long expectedImageBytes(long keys);

  /**
   * Builds the filter of these keys, for {@link FilterBuilder#finish}. The buffer may be sorted and
   * rid of repeats on the way; it is not cleared.
   *
   * @param keyHash the function that made the hashes; null if that is not known
   * @param verified whether the finished filter is checked against the keys before it is handed out
   */
  FilterImage build(KeyBuffer keys, KeyHash keyHash, boolean verified);

  /**
   * The rate, if one can ask for it.
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
   * The number of keys, checked.
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
   * The size of an image, checked.
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
