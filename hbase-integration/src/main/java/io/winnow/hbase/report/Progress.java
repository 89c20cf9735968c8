package io.winnow.hbase.report;

import java.io.PrintStream;
import java.util.Locale;

/** A line per step: how far the run is, and how long it will take at this pace. */
public final class Progress {
  private final PrintStream out;
  private final double total;
  private final long start = System.nanoTime();
  private double done;

  /**
   * @param total the sum of all steps' weights, in about a second each
   */
  public Progress(PrintStream out, double total) {
    this.out = out;
    this.total = total;
  }

  public synchronized void step(double weight, String what, String outcome) {
    done += weight;
    double elapsed = seconds();
    double left = elapsed / done * Math.max(0, total - done);
    out.printf(
        Locale.ROOT,
        "[%3.0f %%, %s, %s left] %s: %s%n",
        100 * done / total,
        clock(elapsed),
        clock(left),
        what,
        outcome);
  }

  public double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  public static String clock(double seconds) {
    long whole = Math.round(seconds);
    return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
  }
}
