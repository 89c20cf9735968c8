package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import java.io.IOException;
import java.util.BitSet;

/**
 * A sequence of events for de-duplication: some have a new key, and some repeat an earlier event,
 * each of which is equally likely. For one thread at a time.
 */
final class Events {
  private static final int FILL = 4096;

  /** Number of different keys that the events had so far. */
  long distinct;

  private long drawn;

  /**
   * Makes a sequence of events that goes on after a number of different keys.
   *
   * @param distinct number of keys that came already
   */
  Events(long distinct) {
    this.distinct = distinct;
  }

  /**
   * Inserts new keys into a filter, without lookups, until the events have had the given number of
   * different keys.
   */
  void fill(Structure filter, long until) throws IOException {
    while (distinct < until) {
      long[] hashes = new long[(int) Math.min(FILL, until - distinct)];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = Keys.present(distinct + i);
      }
      filter.insert(hashes);
      distinct += hashes.length;
    }
  }

  /**
   * Draws the next events of the sequence: some with new keys, some that repeat earlier ones.
   *
   * @param share share of repeats, which are drawn from the keys before this call
   * @param hashes receives the keys of the events
   * @param areRepeats receives whether the i-th event is a repeat, in bit i
   */
  void draw(double share, long[] hashes, BitSet areRepeats) {
    long before = distinct;
    areRepeats.clear();
    for (int i = 0; i < hashes.length; i++) {
      long random = Keys.scramble(++drawn);
      if ((random >>> 11) * 0x1p-53 < share) {
        hashes[i] = Keys.present(Long.remainderUnsigned(Keys.scramble(random), before));
        areRepeats.set(i);
      } else {
        hashes[i] = Keys.present(distinct++);
      }
    }
  }
}
