package io.winnow.cascade;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * What lookups did, how inserts waited, and what merges wrote. Lookups are counted by any number of
 * threads, waits by one at a time, the one whose turn to insert it is, and merges with the monitor
 * of the levels.
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

  private volatile long entriesFlushed;
  private volatile long entriesMerged;
  private volatile Throwable lastMergeFailure;

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

  /** A merge was done, and wrote entries, of which some came from memory. */
  void countMerge(long merged, long flushed) {
    entriesMerged += merged;
    entriesFlushed += flushed;
  }

  /** A merge failed, or something about it. For anybody. */
  void countMergeFailure(Throwable e) {
    lastMergeFailure = e;
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

  long entriesFlushed() {
    return entriesFlushed;
  }

  long entriesMerged() {
    return entriesMerged;
  }

  Throwable lastMergeFailure() {
    return lastMergeFailure;
  }
}
