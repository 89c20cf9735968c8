package io.winnow.hbase.metrics;

import io.winnow.hbase.RepeatedLog;
import java.util.function.BiConsumer;

/**
 * Failures of our code at one place where HBase has to go on as without it. Each is counted, and
 * seldom logged. Thread-safe.
 */
public final class Failures {
  private final BiConsumer<String, Throwable> log;
  private final String line;
  private final ServerMetric counter;
  private final RepeatedLog repeats;

  /**
   * Creates a place without failures.
   *
   * @param log writes a line to the log
   * @param counter counts the failures; null for none
   * @param repeats decides how often the line is logged
   */
  public Failures(
      BiConsumer<String, Throwable> log, String line, ServerMetric counter, RepeatedLog repeats) {
    this.log = log;
    this.line = line;
    this.counter = counter;
    this.repeats = repeats;
  }

  /** Counts and logs a failure. Throws nothing, even if stack or heap are exhausted. */
  public void report(Throwable cause) {
    report(cause, null);
  }

  /**
   * Counts and logs a failure, with the file of which it is. Throws nothing, even if stack or heap
   * are exhausted.
   *
   * @param file stands at the end of the line; null if there is none
   */
  public void report(Throwable cause, Object file) {
    try {
      if (counter != null) {
        counter.count();
      }
      if (repeats.next(line) != RepeatedLog.HELD_BACK) {
        log.accept(file == null ? line : line + ": " + file, cause);
      }
    } catch (Throwable again) {
      // What HBase goes on with matters more than the line.
    }
  }
}
