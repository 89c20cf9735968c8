package io.winnow.bench.cascade;

import java.io.IOException;
import java.util.BitSet;

/** A filter on flash that takes many keys at once, with many reads under way. */
interface BatchContender extends FlashContender {
  /** Bit i of the answer says whether {@code keyHashes[i]} may be there. */
  BitSet mightContain(long[] keyHashes) throws IOException;

  /** How many of a batch may be there. */
  default int positives(long[] keyHashes) throws IOException {
    return mightContain(keyHashes).cardinality();
  }

  void insert(long[] keyHashes) throws IOException;

  /** Pages that lookups have read since the beginning. */
  long lookupPages();

  /** Returns when it does nothing in the background; what it has in memory stays there. */
  default void rest() throws IOException {}

  /** Whether it does nothing in the background now. */
  default boolean isAtRest() {
    return true;
  }

  /** How many pages a lookup of an absent key reads that memory does not answer, at this moment. */
  default int levels() {
    return 1;
  }
}
