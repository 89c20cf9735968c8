package io.winnow.hbase.quickstart;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One step's progress: a line when it starts, one every other second while it runs, one when it is
 * done.
 */
final class Progress implements AutoCloseable {

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final PrintStream out;
  private final String unit;
  private final long total;
  private final long start = System.nanoTime();
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong next = new AtomicLong(start + INTERVAL_NANOS);

  Progress(PrintStream out, String step, String unit, long total) {
    this.out = out;
    this.unit = unit;
    this.total = total;
    out.println(step);
  }

  /** Thread-safe. */
  void add(long count) {
    long sum = done.addAndGet(count);
    long now = System.nanoTime();
    long due = next.get();
    if (now - due >= 0 && next.compareAndSet(due, now + INTERVAL_NANOS)) {
      out.printf(Locale.ROOT, "  %,d of %,d %s%n", sum, total, unit);
    }
  }

  @Override
  public void close() {
    out.printf(Locale.ROOT, "  %.1f s%n", (System.nanoTime() - start) / 1e9);
  }
}
