package io.winnow.hbase.rates;

import java.util.Arrays;
import java.util.Random;

/**
 * The number of rows of each flush of a run. Rows are numbered from 0 in the order in which they
 * are written, each once. Immutable; the same workload gives the same schedule.
 */
final class Schedule {
  private static final double MIN_FACTOR = 0.3;
  private static final double MAX_FACTOR = 1.7;

  private final int large;
  private final int[] flushes;
  private final int majorAt;

  private Schedule(int large, int[] flushes, int majorAt) {
    this.large = large;
    this.flushes = flushes;
    this.majorAt = majorAt;
  }

  static Schedule of(RatesResult.Workload workload) {
    Random random = new Random(workload.seed());
    int[] flushes = new int[workload.flushes()];
    for (int i = 0; i < flushes.length; i++) {
      double times = MIN_FACTOR + (MAX_FACTOR - MIN_FACTOR) * random.nextDouble();
      flushes[i] = (int) Math.max(1, Math.round(times * workload.rowsPerFlush()));
    }
    long large = (long) workload.large() * workload.rowsPerFlush();
    return new Schedule((int) Math.min(Integer.MAX_VALUE, large), flushes, workload.majorAt());
  }

  /** Returns the number of rows of the large store file at the start; 0 if there is none. */
  int large() {
    return large;
  }

  int flushes() {
    return flushes.length;
  }

  /**
   * Returns the number of rows that a flush writes.
   *
   * @param flush number of the flush, from 1
   */
  int rowsOf(int flush) {
    return flushes[flush - 1];
  }

  boolean isMajorAfter(int flush) {
    return flush == majorAt;
  }

  /** Returns the number of rows that the large file and all flushes write together. */
  long rows() {
    return large + Arrays.stream(flushes).asLongStream().sum();
  }
}
