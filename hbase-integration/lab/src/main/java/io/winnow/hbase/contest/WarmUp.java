package io.winnow.hbase.contest;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * A test of whether throughput still rises, which says when the warm-up of a contender is over.
 * Throughput is taken in windows; the mean of the newest three may be at most 2 % above that of the
 * three before. A cache that is still filling, and code that is still being compiled, show as a
 * rise. The same test says when rounds count: when rows per second of CPU time no longer rise.
 */
public final class WarmUp {
  /** Minimum number of windows of time in a warm-up, which one comparison of throughput needs. */
  public static final int MIN_WINDOWS = 6;

  /**
   * Maximum number of windows of time in a warm-up, after which it is over in any case; the results
   * record that it did not settle.
   */
  public static final int MAX_WINDOWS = 40;

  private static final double RISE = 1.02;

  private final int compared;
  private final Deque<Double> windows = new ArrayDeque<>();

  /**
   * Makes a test that finds from the throughput of successive windows of time if a warm-up is over.
   */
  public WarmUp() {
    this(MIN_WINDOWS / 2);
  }

  /**
   * Makes a test that finds from the throughput of successive windows of time if a warm-up is over.
   *
   * @param compared number of newest windows that are compared with as many before them
   */
  public WarmUp(int compared) {
    this.compared = compared;
  }

  /**
   * Adds the throughput of one more window of time to the test of a warm-up. Returns whether
   * throughput no longer rises.
   */
  public boolean stands(double throughput) {
    windows.addLast(throughput);
    if (windows.size() > 2 * compared) {
      windows.removeFirst();
    }
    if (windows.size() < 2 * compared) {
      return false;
    }
    double[] all = windows.stream().mapToDouble(Double::doubleValue).toArray();
    double before = Arrays.stream(all, 0, compared).sum();
    double newest = Arrays.stream(all, compared, 2 * compared).sum();
    return newest <= before * RISE;
  }
}
