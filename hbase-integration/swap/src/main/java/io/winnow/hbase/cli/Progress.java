package io.winnow.hbase.cli;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Progress of a long work, printed a line at a time: the share that is done, the time so far, and
 * the time left at this pace. A work consists of steps, each with a line of its own, or is counted,
 * with a line every two seconds. If nothing is reported for four seconds, a line says that the work
 * goes on. Thread-safe.
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
  private volatile String last = "";
  private volatile boolean ended;

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
   * Starts the progress report of a long work that consists of steps.
   *
   * @param total the sum of all steps' weights, each in estimated seconds
   */
  public Progress(PrintStream out, double total) {
    this(out, total, System::nanoTime);
    startPulse();
  }

  Progress(PrintStream out, double total, LongSupplier nanoTime) {
    this(out, "", "", total, nanoTime);
  }

  /**
   * Starts the progress report of a long work whose items are counted. A short work prints nothing.
   *
   * @param unit words that follow a number
   */
  public static Progress counting(PrintStream out, String unit) {
    Progress progress = counting(out, unit, System::nanoTime);
    progress.startPulse();
    return progress;
  }

  static Progress counting(PrintStream out, String unit, LongSupplier nanoTime) {
    return new Progress(out, "", unit, 0, nanoTime);
  }

  /**
   * Starts the progress report of a long work whose items are counted, and prints a title at once.
   * Its end is always printed.
   */
  public static Progress counting(PrintStream out, String title, String unit, long total) {
    Progress progress = counting(out, title, unit, total, System::nanoTime);
    progress.startPulse();
    return progress;
  }

  static Progress counting(
      PrintStream out, String title, String unit, long total, LongSupplier nanoTime) {
    out.println(title);
    return new Progress(out, title, unit, total, nanoTime);
  }

  /** Starts a thread that breaks each silence, until {@link #close} or until the JVM ends. */
  private void startPulse() {
    Thread pulse =
        new Thread(
            () -> {
              while (!ended) {
                LockSupport.parkNanos(INTERVAL_NANOS / 4);
                beat();
              }
            },
            "winnow-progress");
    pulse.setDaemon(true);
    pulse.start();
  }

  /** Reports that the work goes on, if nothing was reported for four seconds. */
  void beat() {
    long now = nanoTime.getAsLong();
    long due = next.get();
    if (!ended && now - due >= INTERVAL_NANOS && next.compareAndSet(due, now + INTERVAL_NANOS)) {
      out.println((unit.isEmpty() ? "" : "  ") + pace() + " goes on" + last);
    }
  }

  /** Adds to the number of items that a counted work is expected to have in total. */
  public void expect(long count) {
    total.add(count);
  }

  /** Adds to the number of items of a counted work that are done. */
  public void add(long count) {
    done.add(count);
    long now = nanoTime.getAsLong();
    long due = next.get();
    if (now - due >= 0 && next.compareAndSet(due, now + INTERVAL_NANOS)) {
      String of = total.sum() > 0 ? String.format(Locale.ROOT, " of %,.0f", total.sum()) : "";
      out.printf(Locale.ROOT, "  %s %,.0f%s %s%n", pace(), done.sum(), of, unit);
    }
  }

  /**
   * Reports that a step of a long work is done.
   *
   * @param what name of the step
   * @param outcome result of the step in words
   */
  public synchronized void step(double weight, String what, String outcome) {
    done.add(weight);
    next.set(nanoTime.getAsLong() + INTERVAL_NANOS);
    last = " after " + what;
    out.printf(Locale.ROOT, "%s %s: %s%n", pace(), what, outcome);
  }

  /**
   * Reports that a part of a step is done, at most every two seconds, so that no step is silent.
   */
  public synchronized void part(double weight, String what) {
    done.add(weight);
    last = ": " + what;
    long now = nanoTime.getAsLong();
    if (now - next.get() >= 0) {
      next.set(now + INTERVAL_NANOS);
      out.printf(Locale.ROOT, "%s %s%n", pace(), what);
    }
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

  /** Returns the seconds that have passed since a long work began. */
  public double seconds() {
    return (nanoTime.getAsLong() - start) / 1e9;
  }

  /** Returns a time in minutes and seconds as text, such as 2:05. */
  public static String clock(double seconds) {
    long whole = Math.round(seconds);
    return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
  }

  /**
   * Reports the end of a long work whose items were counted, unless it failed before its first
   * count.
   */
  @Override
  public void close() {
    ended = true;
    if (!title.isEmpty()) {
      out.printf(Locale.ROOT, "  %.1f s%n", seconds());
    } else if (!unit.isEmpty() && done.sum() > 0 && nanoTime.getAsLong() - start > INTERVAL_NANOS) {
      out.printf(Locale.ROOT, "  %,.0f %s, %.1f s%n", done.sum(), unit, seconds());
    }
  }
}
