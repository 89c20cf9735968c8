package io.winnow.quotient;

import io.winnow.hash.KeyHash;

/**
 * Reads fingerprints in ascending order, repeats after each other, without allocating.
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

  /** How many fingerprints are possible: each is from 0 to below this. */
  long universe();

  /**
   * Goes to the next fingerprint.
   *
   * @return false if there is none, now and ever after
   */
  boolean next();

  /** The fingerprint that {@link #next} went to. */
  long fingerprint();

  /** The function that made the hashes; null if that is not known. */
  default KeyHash keyHash() {
    return null;
  }
}
