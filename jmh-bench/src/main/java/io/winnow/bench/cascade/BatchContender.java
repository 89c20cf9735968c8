package io.winnow.bench.cascade;

import java.io.IOException;
import java.util.BitSet;

/**
 * A filter on flash that takes many keys in one call, so that many reads of the drive are under
 * way.
 */
interface BatchContender extends FlashContender {
  /**
   * Probes a batch of keys in one call. Bit i of the result is set if the answer for {@code
   * keyHashes[i]} is <i>maybe</i>.
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
   * Waits until no work of the filter, such as a merge, runs in the background. Keys in memory stay
   * there.
   */
  default void rest() throws IOException {}

  /** Returns whether no work of the filter runs in the background now. */
  default boolean isAtRest() {
    return true;
  }

  /**
   * Returns the number of pages that a lookup of an absent key reads at this moment, unless the
   * filter's memory answers it.
   */
  default int levels() {
    return 1;
  }
}
