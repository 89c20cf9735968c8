package io.winnow.bench.flash;

import io.winnow.bench.Keys;

/**
 * The keys of a phase, a batch at a time: those that are inserted, or those that are probed, of
 * which every other one is absent.
 */
final class ProbeKeys {
  /** Number of keys that one call takes, if it takes several. */
  static final int BATCH = 1024;

  private ProbeKeys() {}

  static void built(long from, long[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] = Keys.present(from + i);
    }
  }

  /** Fills the array with keys to probe. Those at even numbers are present. */
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

  /** Returns one of the first keys, spread over all of them. */
  static long spread(long i, long keys) {
    return Keys.present(Long.remainderUnsigned(Keys.scramble(i), keys));
  }
}
