package io.winnow.hbase.tools;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Tells every other second how far a long work is; says nothing of a short one. Thread-safe. */
final class Counting implements AutoCloseable {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final PrintStream out;
  private final String what;
  private final long start = System.nanoTime();
  private final AtomicLong expected = new AtomicLong();
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong next = new AtomicLong(start + INTERVAL_NANOS);

  private Counting(PrintStream out, String what) {
    this.out = out;
    this.what = what;
  }

  /**
   * Begins.
   *
   * @param what is counted, in words that follow a number
   */
  static Counting of(PrintStream out, String what) {
    return new Counting(out, what);
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
      long all = expected.get();
      double seconds = (now - start) / 1e9;
      out.println(
          all == 0 || sum == 0
              ? String.format(Locale.ROOT, "  %,d %s, %.0f s", sum, what, seconds)
              : String.format(
                  Locale.ROOT,
                  "  %,d of %,d %s, %.0f s, about %.0f s left",
                  sum,
                  all,
                  what,
                  seconds,
                  seconds / sum * Math.max(0, all - sum)));
    }
  }

  double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  @Override
  public void close() {
    if (System.nanoTime() - start > INTERVAL_NANOS) {
      out.printf(Locale.ROOT, "  %,d %s, %.1f s%n", done.get(), what, seconds());
    }
  }
}
