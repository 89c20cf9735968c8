package io.winnow.hbase.rates;

import java.util.Arrays;
import java.util.Random;

/**
 * How many rows are written when. Rows are numbered from 0 in the order in which they are written,
 * each once. Immutable; the same workload give the same schedule.
 */
final class Schedule {
  private static final double LEAST = 0.3;
  private static final double MOST = 1.7;

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
      double times = LEAST + (MOST - LEAST) * random.nextDouble();
      flushes[i] = (int) Math.max(1, Math.round(times * workload.rowsPerFlush()));
    }
    long large = (long) workload.large() * workload.rowsPerFlush();
    return new Schedule((int) Math.min(Integer.MAX_VALUE, large), flushes, workload.majorAt());
  }

  /** Rows of the file that is there at the start; 0 if there is none. */
  int large() {
    return large;
  }

  int flushes() {
    return flushes.length;
  }

  /**
   * Rows of a flush.
   *
   * @param flush from 1
   */
  int rowsOf(int flush) {
    return flushes[flush - 1];
  }

  boolean isMajorAfter(int flush) {
    return flush == majorAt;
  }

  /** All rows. */
  long rows() {
    return large + Arrays.stream(flushes).asLongStream().sum();
  }
}
