package io.winnow.quotient;

import io.winnow.KeyHash;

/**
 * Reads fingerprints of a quotient filter in ascending order, repeats after each other, without
 * allocating.
 *
 * <pre>
 *   while (cursor.next()) {
 *     use(cursor.fingerprint());
 *   }
 * </pre>
 *
 * <p>Not thread-safe.
 */
public interface FingerprintCursor {

  /**
   * Returns the number of fingerprints that are possible; each is from 0 up to this number,
   * exclusive.
   */
  long universe();

  /**
   * Advances to the next fingerprint of a quotient filter.
   *
   * @return false if there is none, also in later calls
   */
  boolean next();

  /** Returns the present fingerprint, to which {@link #next} advanced last. */
  long fingerprint();

  /** Returns the function that made the hashes of the filter's keys, or null if it is unknown. */
  default KeyHash keyHash() {
    return null;
  }
}
