package io.winnow.bench.drive;

import io.winnow.bench.Samples;
import io.winnow.flash.store.IoSnapshot;
import java.io.Closeable;
import java.io.IOException;
import java.util.BitSet;

/** A set or a map on flash that is compared with others, with the operations that are measured. */
interface Structure extends Closeable, Timed.Source {
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

  /**
   * The work and the size of a structure at some time.
   *
   * @param traffic numbers of reads and writes of the drive so far
   * @param flashBytes bytes that the structure takes on the drive
   * @param lookupPages number of pages that lookups have read from the drive so far
   * @param levels number of pages that a lookup of an absent key reads, unless memory answers
   * @param isAtRest whether the structure does no work in the background
   */
  record State(
      IoSnapshot traffic, long flashBytes, long lookupPages, int levels, boolean isAtRest) {
    State(IoSnapshot traffic, long flashBytes) {
      this(traffic, flashBytes, traffic.reads(), 1, true);
    }
  }

  /** Adds figures that only this structure has to those of the whole run. */
  default void describe(Samples setup) {}
}
