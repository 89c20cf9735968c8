package io.winnow.hbase.cli;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.function.LongSupplier;

/**
 * How far a long work is, a line at a time: the share that is done, how long that took, and how
 * long the rest will take at this pace. A work is told in steps, each with a line of its own, or
 * counted, with a line every other second. Thread-safe.
 */
public final class Progress implements AutoCloseable {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final PrintStream out;
  private final String title;
  private final String unit;
  private final DoubleAdder total = new DoubleAdder();
  private final DoubleAdder done = new DoubleAdder();
  private final LongSupplier nanoTime;
  private final long start;
  private final AtomicLong next;

  private Progress(
      PrintStream out, String title, String unit, double total, LongSupplier nanoTime) {
    this.out = out;
    this.title = title;
    this.unit = unit;
    this.total.add(total);
    this.nanoTime = nanoTime;
    this.start = nanoTime.getAsLong();
    this.next = new AtomicLong(start + INTERVAL_NANOS);
  }

  /**
   * Of a work in steps.
   *
   * @param total the sum of all steps' weights, in about a second each
   */
  public Progress(PrintStream out, double total) {
    this(out, "", "", total, System::nanoTime);
  }

  /**
   * Of a work that is counted; of a short one nothing is said.
   *
   * @param unit words that follow a number
   */
  public static Progress counting(PrintStream out, String unit) {
    return counting(out, unit, System::nanoTime);
  }

  static Progress counting(PrintStream out, String unit, LongSupplier nanoTime) {
    return new Progress(out, "", unit, 0, nanoTime);
  }

  /** The same, under a title that stands there at once; its end is always told. */
  public static Progress counting(PrintStream out, String title, String unit, long total) {
    out.println(title);
    return new Progress(out, title, unit, total, System::nanoTime);
  }

  /** So many more are to come. */
  public void expect(long count) {
    total.add(count);
  }

  /** So many more are done. */
  public void add(long count) {
    done.add(count);
    long now = nanoTime.getAsLong();
    long due = next.get();
    if (now - due >= 0 && next.compareAndSet(due, now + INTERVAL_NANOS)) {
      String of = total.sum() > 0 ? String.format(Locale.ROOT, " of %,.0f", total.sum()) : "";
      out.printf(Locale.ROOT, "  %s %,.0f%s %s%n", pace(), done.sum(), of, unit);
    }
  }

  /** A step is done, with this outcome. */
  public synchronized void step(double weight, String what, String outcome) {
    done.add(weight);
    out.printf(Locale.ROOT, "%s %s: %s%n", pace(), what, outcome);
  }

  private String pace() {
    double sum = done.sum();
    double all = Math.max(total.sum(), sum);
    double elapsed = seconds();
    return sum == 0 || total.sum() == 0
        ? "[" + clock(elapsed) + "]"
        : String.format(
            Locale.ROOT,
            "[%3.0f %%, %s, %s left]",
            100 * sum / all,
            clock(elapsed),
            clock(elapsed / sum * (all - sum)));
  }

  /** How long it has run. */
  public double seconds() {
    return (nanoTime.getAsLong() - start) / 1e9;
  }

  /** Minutes and seconds. */
  public static String clock(double seconds) {
    long whole = Math.round(seconds);
    return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
  }

  /**
   * The end of a work that was counted; where it failed before its first count, nothing is said.
   */
  @Override
  public void close() {
    if (!title.isEmpty()) {
      out.printf(Locale.ROOT, "  %.1f s%n", seconds());
    } else if (done.sum() > 0 && nanoTime.getAsLong() - start > INTERVAL_NANOS) {
      out.printf(Locale.ROOT, "  %,.0f %s, %.1f s%n", done.sum(), unit, seconds());
    }
  }
}
