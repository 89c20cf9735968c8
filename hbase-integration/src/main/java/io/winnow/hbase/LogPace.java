package io.winnow.hbase;

import java.util.concurrent.atomic.AtomicLong;

/** Lets one line through in a while, and counts those that it kept back. Thread-safe. */
final class LogPace {
  private final long nanos;
  private final AtomicLong last;
  private final AtomicLong keptBack = new AtomicLong();

  LogPace(long nanos) {
    this.nanos = nanos;
    this.last = new AtomicLong(System.nanoTime() - nanos);
  }

  /** How many lines were kept back since the last one, if one may be written now; otherwise -1. */
  long due() {
    long before = last.get();
    long now = System.nanoTime();
    if (now - before < nanos || !last.compareAndSet(before, now)) {
      keptBack.incrementAndGet();
      return -1;
    }
    return keptBack.getAndSet(0);
  }
}
