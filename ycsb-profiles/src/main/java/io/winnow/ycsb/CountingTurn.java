package io.winnow.ycsb;

import java.io.IOException;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * A turn that counts: the servers' counters stood still before and after it, and they say that each
 * row was asked for in as many files as a store has. One that cannot count is made again.
 *
 * @param repeats turns before it that did not count
 */
record CountingTurn(Turn.Outcome outcome, int repeats) {
  /** After so many that cannot count the run fails. */
  static final int MOST_TRIES = 5;

  /** As far as the files that a row was asked for in may be from those of the store. */
  private static final double ASKED_TOLERANCE = 0.01;

  /** A turn, as often as it is wanted. */
  interface Attempt {
    Turn.Outcome run() throws IOException, InterruptedException;
  }

  /**
   * Makes turns till one counts.
   *
   * @param what for the user, if none does
   * @param files of a store; 0 if scans are asked for, which ask no filter of rows
   * @param told why a turn does not count
   * @throws IOException if none of {@link #MOST_TRIES} counts
   */
  static CountingTurn of(String what, int files, Attempt attempt, Consumer<String> told)
      throws IOException, InterruptedException {
    for (int repeats = 0; ; repeats++) {
      Turn.Outcome outcome = attempt.run();
      String flaw = flaw(outcome, files);
      if (flaw.isEmpty()) {
        return new CountingTurn(outcome, repeats);
      }
      told.accept("%s does not count: %s".formatted(what, flaw));
      if (repeats + 1 == MOST_TRIES) {
        throw new IOException(
            "%s: none of %d turns can count; of the last one, %s. Does something else use these servers, or the machine?"
                .formatted(what, MOST_TRIES, flaw));
      }
    }
  }

  /** Why a turn cannot count; empty if it can. */
  private static String flaw(Turn.Outcome outcome, int files) {
    if (outcome.rows() == 0) {
      return "no row was asked for";
    }
    if (!outcome.settled()) {
      return "the servers' counters did not stand still, though nothing was asked for";
    }
    double asked = outcome.filesAskedPerRow();
    return files > 0 && Math.abs(asked - files) > ASKED_TOLERANCE * files
        ? String.format(
            Locale.ROOT, "each row was asked for in %.2f files, of %d in a store", asked, files)
        : "";
  }
}
