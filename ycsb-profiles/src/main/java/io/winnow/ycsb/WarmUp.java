package io.winnow.ycsb;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Says when a table's warm-up is over: when its throughput rises no more. Throughput is taken in
 * windows; the mean of the newest three may be at most 2 % above that of the three before. A cache
 * that is still filling, and code that is still being compiled, show as a rise. In the same way it
 * says when rounds count: when rows per second of CPU time rise no more.
 */
final class WarmUp {
  /** How many windows a warm-up has at least: those of one comparison. */
  static final int LEAST_WINDOWS = 6;

  /** After so many it is over in any case; the results say that it was. */
  static final int MOST_WINDOWS = 40;

  private static final double RISE = 1.02;

  private final int compared;
  private final Deque<Double> windows = new ArrayDeque<>();

  /** Of the windows of a turn. */
  WarmUp() {
    this(LEAST_WINDOWS / 2);
  }

  /**
   * @param compared so many of the newest windows with so many before
   */
  WarmUp(int compared) {
    this.compared = compared;
  }

  /** Takes a window's throughput, and says whether throughput stands with it. */
  boolean stands(double throughput) {
    windows.addLast(throughput);
    if (windows.size() > 2 * compared) {
      windows.removeFirst();
    }
    if (windows.size() < 2 * compared) {
      return false;
    }
    double before = 0;
    double newest = 0;
    int window = 0;
    for (double one : windows) {
      if (window++ < compared) {
        before += one;
      } else {
        newest += one;
      }
    }
    return newest <= before * RISE;
  }
}
