package io.winnow.bench.drive;

import java.io.IOException;
import java.util.BitSet;

/**
 * A filter on flash that takes many keys in one call, so that many reads of the drive are under
 * way.
 */
interface BatchContender extends FlashContender {
  /**
   * Probes a batch of keys in one call to the filter on flash. Bit i of the result is set if the
   * answer for {@code keyHashes[i]} is <i>maybe</i>.
   */
  BitSet mightContain(long[] keyHashes) throws IOException;

  /** Returns the number of keys of a batch for which the answer is <i>maybe</i>. */
  default int positives(long[] keyHashes) throws IOException {
    return mightContain(keyHashes).cardinality();
  }

  void insert(long[] keyHashes) throws IOException;

  /** Returns the number of pages that lookups in the filter have read from the drive so far. */
  long lookupPages();

  /**
   * Waits until the filter does no work in the background, such as a merge. Keys in memory stay
   * there.
   */
  default void rest() throws IOException {}

  /** Returns whether the filter does no work in the background now, such as a merge. */
  default boolean isAtRest() {
    return true;
  }

  /**
   * Returns the number of pages that the filter reads now to look up an absent key, unless its
   * memory answers.
   */
  default int levels() {
    return 1;
  }
}
