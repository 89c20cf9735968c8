package io.winnow.cascade;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** What lookups did. */
final class ReadCounters {
  private final LongAdder lookups = new LongAdder();
  private final LongAdder pages = new LongAdder();
  private final LongAdder crossings = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final AtomicReference<Throwable> lastFailure = new AtomicReference<>();

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
}
