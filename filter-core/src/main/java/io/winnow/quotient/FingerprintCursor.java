package io.winnow.quotient;

import java.util.Objects;

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

  /** Reads the first {@code count} of an array of fingerprints that are in ascending order. */
  static FingerprintCursor of(long[] sorted, int count, long universe) {
    Objects.checkFromIndexSize(0, count, sorted.length);
    return new FingerprintCursor() {
      private int next;

      @Override
      public long universe() {
        return universe;
      }

      @Override
      public boolean next() {
        if (next == count) {
          return false;
        }
        next++;
        return true;
      }

      @Override
      public long fingerprint() {
        return sorted[next - 1];
      }
    };
  }
}
