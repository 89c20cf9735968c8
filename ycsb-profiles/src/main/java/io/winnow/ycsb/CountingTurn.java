package io.winnow.ycsb;

import java.io.IOException;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * A measurement of reads from one table whose figures count: the servers' counters stood still
 * before and after it, and they show that each row was queried in as many files as a store has. A
 * turn that does not count is repeated.
 *
 * @param repeats number of turns before it that did not count
 */
record CountingTurn(Turn.Outcome outcome, int repeats) {
  /**
   * Maximum number of attempts to measure reads from a table while the servers' counters stand
   * still; then the run fails.
   */
  static final int MAX_TRIES = 5;

  /**
   * Maximum relative difference between the number of files in which a row was queried and the
   * number of files in a store.
   */
  private static final double QUERIED_TOLERANCE = 0.01;

  /** A measurement of reads from a table that can be repeated. */
  interface Attempt {
    Turn.Outcome run() throws IOException, InterruptedException;
  }

  /**
   * Repeats a measurement of reads from a table until the servers' counters show that nothing
   * disturbed it.
   *
   * @param what the turn's name for the user
   * @param files number of files of a store; 0 for scans, which query no filter of rows
   * @param report receives a sentence for each turn that does not count
   * @throws IOException if none of {@link #MAX_TRIES} turns counts
   */
  static CountingTurn of(String what, int files, Attempt attempt, Consumer<String> report)
      throws IOException, InterruptedException {
    for (int repeats = 0; ; repeats++) {
      Turn.Outcome outcome = attempt.run();
      String flaw = flaw(outcome, files);
      if (flaw.isEmpty()) {
        return new CountingTurn(outcome, repeats);
      }
      report.accept("%s does not count: %s".formatted(what, flaw));
      if (repeats + 1 == MAX_TRIES) {
        throw new IOException(
            "%s: none of %d turns can count; of the last one, %s. Does something else use these servers, or the machine?"
                .formatted(what, MAX_TRIES, flaw));
      }
    }
  }

  /**
   * Returns the reason why the figures of a measurement of reads do not count; empty if they count.
   */
  private static String flaw(Turn.Outcome outcome, int files) {
    if (outcome.rows() == 0) {
      return "no row was read";
    }
    if (!outcome.settled()) {
      return "the servers' counters did not stand still, although the run sent no request";
    }
    double queried = outcome.filesQueriedPerRow();
    return files > 0 && Math.abs(queried - files) > QUERIED_TOLERANCE * files
        ? String.format(
            Locale.ROOT, "each row was queried in %.2f files, of %d in a store", queried, files)
        : "";
  }
}
