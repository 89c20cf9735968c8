package io.winnow.bench.cascade;

import io.winnow.bench.Keys;
import java.io.IOException;
import java.util.BitSet;

/**
 * What comes in where duplicates are looked for: events whose key is new, and repeats of events
 * that came before, all of them alike likely, however long ago. One thread at a time.
 */
final class Events {
  private static final int FILL = 4096;

  private long distinct;
  private long drawn;

  /**
   * @param distinct keys that came already
   */
  Events(long distinct) {
    this.distinct = distinct;
  }

  /** How many different keys came. */
  long distinct() {
    return distinct;
  }

  /** Inserts new keys, without lookups, until there are so many. */
  void fill(BatchContender filter, long until) throws IOException {
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
   * The next events.
   *
   * @param share of repeats, of what came before this call
   * @param hashes is filled with their keys
   * @param areRepeats bit i is set if the i-th event is a repeat
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
