package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import java.io.PrintStream;
import java.util.Locale;

/** One run of benchmarks: where its figures go, and how it reports its progress. */
public final class Run {
  public final Results results;

  Progress progress;

  public Run(Results results) {
    this.results = results;
  }

  /**
   * Begins the report of progress.
   *
   * @param seconds expected length of the run
   */
  public Run begin(PrintStream out, double seconds) {
    progress = new Progress(out, seconds);
    return this;
  }

  /** Returns the seconds since the run began. */
  long seconds() {
    return Math.round(progress.seconds());
  }

  /**
   * Returns the samples of a benchmark with its parameters.
   *
   * @param parameters names and values in turn
   */
  public Samples samples(String benchmark, Object... parameters) {
    return new Samples(results, benchmark, Results.at(parameters));
  }

  /** Reports that a step is done, with its figures in words. */
  public void step(double weight, Object what, String format, Object... figures) {
    progress.step(weight, what.toString(), String.format(Locale.ROOT, format, figures));
  }
}
