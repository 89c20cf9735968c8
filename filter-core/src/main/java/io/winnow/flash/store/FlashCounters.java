package io.winnow.flash.store;

import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Counts since a structure was opened, by an enum of its own, and its last failure. Thread-safe.
 */
public class FlashCounters<C extends Enum<C>> {
  final C[] all;
  private final LongAdder[] sums;
  volatile Throwable lastFailure;

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
}
