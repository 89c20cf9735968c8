package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import java.util.concurrent.atomic.LongAdder;

/**
 * The keys that are inserted into a buffered Bloom filter, and those that are looked up in it, of
 * which every other one is absent; and counters of the wrong answers, which are thread-safe.
 */
final class ProbeKeys {
  /** Number of keys that are passed in one call. */
  static final int BATCH = 1024;

  /** Approximate number of keys per second that are inserted or looked up. */
  static final double PER_SECOND = 4e6;

  /** The keys of one call. */
  final long[] batch = new long[BATCH];

  private final long keys;
  private final LongAdder lost = new LongAdder();
  private final LongAdder falsePositives = new LongAdder();

  /**
   * Makes a source of keys.
   *
   * @param keys number of inserted keys
   */
  ProbeKeys(long keys) {
    this.keys = keys;
  }

  /** Fills the batch with keys to insert. */
  void built(long from) {
    for (int i = 0; i < BATCH; i++) {
      batch[i] = Keys.present(from + i);
    }
  }

  /**
   * Fills the beginning of the batch with keys to look up, present and absent ones in turn. Those
   * at even numbers are present.
   */
  void probed(long from, int count) {
    for (int i = 0; i < count; i++) {
      batch[i] = isPresent(from + i) ? spread(from + i, keys) : Keys.absent(from + i);
    }
  }

  private static boolean isPresent(long i) {
    return (i & 1) == 0;
  }

  /**
   * Returns one of the first inserted keys, chosen so that successive numbers are spread over all
   * of them.
   */
  static long spread(long i, long keys) {
    return Keys.present(Long.remainderUnsigned(Keys.scramble(i), keys));
  }

  /** Counts the answer for the looked-up key with a number. */
  void answer(long number, boolean answer) {
    if (answer != isPresent(number)) {
      (answer ? falsePositives : lost).increment();
    }
  }

  /** Returns the number of present keys that were ruled out. */
  long lost() {
    return lost.sum();
  }

  /**
   * Returns the share of absent keys that were not ruled out.
   *
   * @param probes number of looked-up keys, half of which were absent
   */
  double falsePositiveRate(long probes) {
    return falsePositives.sum() / (probes / 2.0);
  }
}
