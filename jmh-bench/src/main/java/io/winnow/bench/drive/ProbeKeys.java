package io.winnow.bench.drive;

import io.winnow.bench.Keys;

/**
 * The keys that are inserted into a set, and those that are looked up in it, of which every other
 * one is absent.
 */
final class ProbeKeys {
  /** Number of keys that are passed in one call to a structure that takes several at a time. */
  static final int BATCH = 1024;

  private ProbeKeys() {}

  static void built(long from, long[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] = Keys.present(from + i);
    }
  }

  /**
   * Fills an array with keys to look up, present and absent ones in turn. Those at even numbers are
   * present.
   */
  static void probed(long from, long keys, long[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] = probed(from + i, keys);
    }
  }

  static long probed(long i, long keys) {
    return isPresent(i)
        ? Keys.present(Long.remainderUnsigned(Keys.scramble(i), keys))
        : Keys.absent(i);
  }

  static boolean isPresent(long i) {
    return (i & 1) == 0;
  }

  /**
   * Returns one of the first inserted keys, chosen so that successive numbers are spread over all
   * of them.
   */
  static long spread(long i, long keys) {
    return Keys.present(Long.remainderUnsigned(Keys.scramble(i), keys));
  }
}
