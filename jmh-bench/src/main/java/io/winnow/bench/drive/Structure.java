package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import java.io.Closeable;
import java.io.IOException;
import java.util.BitSet;

/** A set or a map on flash that is compared with others, with the operations that are measured. */
interface Structure extends Closeable {
  void insert(long key) throws IOException;

  boolean mightContain(long key) throws IOException;

  /** Inserts keys in one call. */
  default void insert(long[] keys) throws IOException {
    for (long key : keys) {
      insert(key);
    }
  }

  /**
   * Looks up keys in one call, so that many reads of the drive are under way. Bit i of the result
   * is set if the answer for {@code keys[i]} is <i>maybe</i>.
   */
  default BitSet mightContain(long[] keys) throws IOException {
    BitSet answers = new BitSet(keys.length);
    for (int i = 0; i < keys.length; i++) {
      answers.set(i, mightContain(keys[i]));
    }
    return answers;
  }

  /**
   * Waits until the structure does no work in the background, such as a merge, and has no page in
   * the page cache. Keys in its memory may stay there.
   */
  default void settle() throws IOException {}

  /** Returns whether the structure does no work in the background now. */
  default boolean isAtRest() {
    return true;
  }

  /** Returns the number of pages that lookups have read from the drive so far. */
  default long lookupPages() {
    return traffic().reads();
  }

  /**
   * Returns the number of pages that the structure reads now to look up an absent key, unless its
   * memory answers.
   */
  default int levels() {
    return 1;
  }

  /** Returns the numbers of reads and writes of the drive so far. */
  IoSnapshot traffic();

  /** Returns the bytes that the structure takes on the drive. */
  long flashBytes() throws IOException;

  /** Adds figures that only this structure has to those of the whole run. */
  default void describe(Samples setup) {}
}
