package io.winnow.cascade;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * What lookups did, and how inserts waited. Lookups are counted by any number of threads, waits by
 * one at a time, the one whose turn to insert it is.
 */
final class Counters {
  private final LongAdder lookups = new LongAdder();
  private final LongAdder pages = new LongAdder();
  private final LongAdder crossings = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final AtomicReference<Throwable> lastFailure = new AtomicReference<>();

  private volatile long stalls;
  private volatile long stalledNanos;
  private volatile long pacedNanos;
  private volatile long longestNanos;

  void countLookups(int count) {
    lookups.add(count);
  }

  void countPage() {
    pages.increment();
  }

  void countCrossing() {
    pages.increment();
    crossings.increment();
  }

  void countFailure(Throwable e) {
    failures.increment();
    lastFailure.set(e);
  }

  /** An insert waited until a level in memory was written. */
  void countStall(long nanos) {
    stalls++;
    stalledNanos += nanos;
    longestNanos = Math.max(longestNanos, nanos);
  }

  /** An insert waited so that merges keep up. */
  void countPaced(long nanos) {
    pacedNanos += nanos;
    longestNanos = Math.max(longestNanos, nanos);
  }

  long lookups() {
    return lookups.sum();
  }

  long pages() {
    return pages.sum();
  }

  long crossings() {
    return crossings.sum();
  }

  long failures() {
    return failures.sum();
  }

  Throwable lastFailure() {
    return lastFailure.get();
  }

  long stalls() {
    return stalls;
  }

  long stalledNanos() {
    return stalledNanos;
  }

  long pacedNanos() {
    return pacedNanos;
  }

  long longestNanos() {
    return longestNanos;
  }
}
