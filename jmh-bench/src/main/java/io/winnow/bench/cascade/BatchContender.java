package io.winnow.bench.cascade;

import java.io.IOException;
import java.util.BitSet;

/** A filter on flash that takes many keys in one call, and then has many reads under way. */
interface BatchContender extends FlashContender {
  /**
   * Probes a batch of keys. Bit i of the result is set if the answer for {@code keyHashes[i]} is
   * <i>maybe</i>.
   */
  BitSet mightContain(long[] keyHashes) throws IOException;

  /** Returns the number of keys of a batch for which the answer is <i>maybe</i>. */
  default int positives(long[] keyHashes) throws IOException {
    return mightContain(keyHashes).cardinality();
  }

  void insert(long[] keyHashes) throws IOException;

  /** Returns the number of pages that lookups have read so far. */
  long lookupPages();

  /** Waits until nothing runs in the background. Keys in memory stay there. */
  default void rest() throws IOException {}

  /** Returns whether nothing runs in the background now. */
  default boolean isAtRest() {
    return true;
  }

  /**
   * Returns the number of pages that a lookup of an absent key reads at this moment, unless memory
   * answers it.
   */
  default int levels() {
    return 1;
  }
}
