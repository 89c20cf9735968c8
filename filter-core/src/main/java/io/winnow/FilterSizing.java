package io.winnow;

import io.winnow.build.KeyBuffer;
import io.winnow.hash.KeyHash;

/**
 * A kind of filter and a false-positive rate, and so how large a filter is for how many keys.
 * {@link FilterBuilder#of} makes a builder of it.
 *
 * <p>Made by the {@code forRate(rate)} of each kind, for a rate in (0, 0.5]: the filter that is
 * built has at most that rate. Immutable and thread-safe.
 */
public interface FilterSizing {

  /** The highest false-positive rate that can be asked for. */
  double MAX_RATE = 0.5;

  FilterType type();

  /** The false-positive rate that was asked for. */
  double rate();

  /**
   * The most keys whose filter is expected to have at most this many bytes, header included; at
   * least 1.
   */
  long keyLimit(long imageBytes);

  /**
   * The size of the image, in bytes, that is expected for this many distinct keys.
   *
   * @throws IllegalArgumentException if the number is negative
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
   * @throws IllegalArgumentException unless it is above 0 and at most {@link #MAX_RATE}
   */
  static double checkRate(double rate) {
    if (!(rate > 0 && rate <= MAX_RATE)) {
      throw new IllegalArgumentException(
          "false-positive rate is " + rate + ", must be above 0 and at most " + MAX_RATE);
    }
    return rate;
  }

  /**
   * The number of keys, checked.
   *
   * @throws IllegalArgumentException if it is negative
   */
  static long checkKeys(long keys) {
    if (keys < 0) {
      throw new IllegalArgumentException(keys + " keys, must be 0 or more");
    }
    return keys;
  }
}
