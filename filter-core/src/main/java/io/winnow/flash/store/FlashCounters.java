package io.winnow.flash.store;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Counts since a structure was opened, by an enum of its own, and its last failure. Thread-safe.
 */
public final class FlashCounters<C extends Enum<C>> {
  private final C[] all;
  private final LongAdder[] sums;
  private volatile Throwable lastFailure;

  /** Counters that are zero. */
  public FlashCounters(Class<C> what) {
    this.all = what.getEnumConstants();
    this.sums = Stream.generate(LongAdder::new).limit(all.length).toArray(LongAdder[]::new);
  }

  /** Counts one. */
  public void count(C what) {
    sums[what.ordinal()].increment();
  }

  /** Counts so many. */
  public void add(C what, long amount) {
    sums[what.ordinal()].add(amount);
  }

  /** How many were counted until now. */
  public long sum(C what) {
    return sums[what.ordinal()].sum();
  }

  /** Notes a failure. */
  public void failed(Throwable e) {
    lastFailure = e;
  }

  /**
   * All of it at this moment.
   *
   * @param now what is not counted, but is so now; what was counted is put into it
   */
  public FlashStatistics<C> statistics(Map<C, Long> now, IoCounters.Snapshot io, IoMode ioMode) {
    for (C what : all) {
      now.putIfAbsent(what, sum(what));
    }
    return new FlashStatistics<>(now, lastFailure, io, ioMode);
  }
}
