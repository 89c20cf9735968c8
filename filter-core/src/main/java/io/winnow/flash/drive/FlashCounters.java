package io.winnow.flash.drive;

import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Counters of a structure on flash since it was opened, one for each constant of an enum, and its
 * last failure. Thread-safe.
 *
 * @param <C> the enum that names the counters
 */
public final class FlashCounters<C extends Enum<C>> {
  private final C[] all;
  private final LongAdder[] sums;
  private volatile Throwable lastFailure;

  /**
   * Creates counters of a structure on flash that are zero.
   *
   * @param what the enum that names them
   */
  public FlashCounters(Class<C> what) {
    this.all = what.getEnumConstants();
    this.sums = Stream.generate(LongAdder::new).limit(all.length).toArray(LongAdder[]::new);
  }

  /** Adds one to the counter of an enum's constant. */
  public void count(C what) {
    sums[what.ordinal()].increment();
  }

  /** Adds an amount to the counter of an enum's constant. */
  public void add(C what, long amount) {
    sums[what.ordinal()].add(amount);
  }

  /** Returns the value of the counter of an enum's constant. */
  public long sum(C what) {
    return sums[what.ordinal()].sum();
  }

  /** Records the last failure of the structure on flash. */
  public void recordFailure(Throwable e) {
    lastFailure = e;
  }

  /**
   * Returns the values of all counters at this moment, and the given state values.
   *
   * @param now the numbers that are not counted but describe the present state; the counters are
   *     added to this map
   */
  public FlashStatistics<C> statistics(Map<C, Long> now, IoSnapshot io, boolean direct) {
    for (C what : all) {
      now.putIfAbsent(what, sum(what));
    }
    return new FlashStatistics<>(now, lastFailure, io, direct);
  }
}
