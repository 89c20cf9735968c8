package io.winnow.bench.flash;

import io.winnow.bench.Keys;

/**
 * The keys of a phase, a batch at a time: all that are built from; or those to probe for, of which
 * every other one is absent.
 */
final class ProbeKeys {
  /** Keys that are handed over by one call, where a call takes several. */
  static final int BATCH = 1024;

  private ProbeKeys() {}

  static void built(long from, long[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] = Keys.present(from + i);
    }
  }

  /** Those at even numbers are present. */
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

  /** Some of the first keys, all over them. */
  static long spread(long i, long keys) {
    return Keys.present(Long.remainderUnsigned(Keys.scramble(i), keys));
  }
}
