package io.winnow.flash.store;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Counters of a structure since its opening, one for each constant of an enum, and its last
 * failure. Thread-safe.
 *
 * @param <C> the enum that names the counters
 */
public final class FlashCounters<C extends Enum<C>> {
  private final C[] all;
  private final LongAdder[] sums;
  private volatile Throwable lastFailure;

  /**
   * Creates counters that are zero.
   *
   * @param what the enum that names them
   */
  public FlashCounters(Class<C> what) {
    this.all = what.getEnumConstants();
    this.sums = Stream.generate(LongAdder::new).limit(all.length).toArray(LongAdder[]::new);
  }

  /** Adds one to a counter. */
  public void count(C what) {
    sums[what.ordinal()].increment();
  }

  /** Adds an amount to a counter. */
  public void add(C what, long amount) {
    sums[what.ordinal()].add(amount);
  }

  /** Returns the value of a counter. */
  public long sum(C what) {
    return sums[what.ordinal()].sum();
  }

  /** Records the last failure. */
  public void recordFailure(Throwable e) {
    lastFailure = e;
  }

  /**
   * Returns all numbers at this moment.
   *
   * @param now the numbers that are not counted but describe the present state; the counters are
   *     added to this map
   */
  public FlashStatistics<C> statistics(Map<C, Long> now, IoCounters.Snapshot io, IoMode ioMode) {
    for (C what : all) {
      now.putIfAbsent(what, sum(what));
    }
    return new FlashStatistics<>(now, lastFailure, io, ioMode);
  }
}
