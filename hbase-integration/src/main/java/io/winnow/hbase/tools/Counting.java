package io.winnow.hbase.tools;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Tells every other second how far a long work is; says nothing of a short one. Thread-safe. */
final class Counting implements AutoCloseable {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final PrintStream out;
  private final String unit;
  private final long start = System.nanoTime();
  private final AtomicLong expected = new AtomicLong();
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong next = new AtomicLong(start + INTERVAL_NANOS);

  private Counting(PrintStream out, String unit) {
    this.out = out;
    this.unit = unit;
  }

  static Counting of(PrintStream out, String unit) {
    return new Counting(out, unit);
  }

  /** So many more are to come. */
  void expect(long count) {
    expected.addAndGet(count);
  }

  void add(long count) {
    long sum = done.addAndGet(count);
    long now = System.nanoTime();
    long due = next.get();
    if (now - due >= 0 && next.compareAndSet(due, now + INTERVAL_NANOS)) {
      double seconds = (now - start) / 1e9;
      long left = Math.max(0, expected.get() - sum);
      out.printf(
          Locale.ROOT,
          "  %,d of %,d %s, %.0f s, about %.0f s left%n",
          sum,
          expected.get(),
          unit,
          seconds,
          seconds / sum * left);
    }
  }

  @Override
  public void close() {
    if (System.nanoTime() - start > INTERVAL_NANOS) {
      out.printf(
          Locale.ROOT, "  %,d %s, %.1f s%n", done.get(), unit, (System.nanoTime() - start) / 1e9);
    }
  }
}
