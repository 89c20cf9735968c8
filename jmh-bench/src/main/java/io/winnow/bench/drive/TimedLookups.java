package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;

/** A measurement of lookups in a filter by one thread. */
final class TimedLookups {
  private static final long LONGEST_NANOS = 3600L * 1_000_000_000;
  private static final BooleanSupplier NEVER = () -> false;

  private TimedLookups() {}

  /**
   * Figures of lookups in a filter: their number, their times, their positive answers, and the
   * reads of the drive. {@code nanos} has the times of calls, each of which may be a batch.
   */
  record Outcome(
      long lookups, long positives, double seconds, Histogram nanos, IoSnapshot traffic) {
    double perSecond() {
      return lookups / seconds;
    }

    double readsPerLookup() {
      return (double) traffic.reads() / lookups;
    }
  }

  /** A function that looks up several keys in one call. */
  interface Batched {
    /** Returns the number of looked-up keys for which the answer is <i>maybe</i>. */
    int positives(long[] keyHashes) throws IOException;
  }

  /**
   * Looks up keys in a filter for some seconds, one at a time, and so with one read of the drive at
   * a time.
   */
  static Outcome single(FlashContender contender, LongUnaryOperator keys, double seconds)
      throws IOException {
    return single(contender, keys, seconds, NEVER);
  }

  /** Looks up keys in a filter, one at a time, until some seconds are over or a condition holds. */
  static Outcome single(
      FlashContender contender, LongUnaryOperator keys, double seconds, BooleanSupplier end)
      throws IOException {
    return run(contender, keys, new long[1], one(contender), Long.MAX_VALUE, seconds, end);
  }

  /** Looks up a number of keys in a filter, one at a time. */
  static Outcome some(FlashContender contender, LongUnaryOperator keys, long count)
      throws IOException {
    return run(
        contender, keys, new long[1], one(contender), count, Double.POSITIVE_INFINITY, NEVER);
  }

  private static Batched one(FlashContender contender) {
    return hashes -> contender.mightContain(hashes[0]) ? 1 : 0;
  }

  static Outcome batched(
      FlashContender contender, Batched batch, int size, LongUnaryOperator keys, double seconds)
      throws IOException {
    return batched(contender, batch, size, keys, seconds, NEVER);
  }

  /** Looks up keys in a filter, in batches, until some seconds are over or a condition holds. */
  static Outcome batched(
      FlashContender contender,
      Batched batch,
      int size,
      LongUnaryOperator keys,
      double seconds,
      BooleanSupplier end)
      throws IOException {
    return run(contender, keys, new long[size], batch, Long.MAX_VALUE, seconds, end);
  }

  private static Outcome run(
      FlashContender contender,
      LongUnaryOperator keys,
      long[] hashes,
      Batched batch,
      long atMost,
      double seconds,
      BooleanSupplier end)
      throws IOException {
    Histogram nanos = new Histogram(LONGEST_NANOS, 3);
    IoSnapshot before = contender.traffic();
    long lookups = 0;
    long positives = 0;
    long start = System.nanoTime();
    long last = start;
    do {
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = keys.applyAsLong(lookups + i);
      }
      positives += batch.positives(hashes);
      lookups += hashes.length;
      long now = System.nanoTime();
      nanos.recordValue(now - last);
      last = now;
    } while (lookups < atMost && last - start < seconds * 1e9 && !end.getAsBoolean());
    return new Outcome(
        lookups, positives, (last - start) / 1e9, nanos, contender.traffic().since(before));
  }
}
