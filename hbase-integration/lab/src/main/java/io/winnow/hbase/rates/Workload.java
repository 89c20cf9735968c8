package io.winnow.hbase.rates;

import io.winnow.hbase.report.Results;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** The options of a run that set which rows are written and read. */
record Workload(
    int large,
    int flushes,
    int rowsPerFlush,
    int majorAt,
    double errorRate,
    int getsPerMoment,
    int chunkBytes,
    long seed) {
  Workload withSeed(long other) {
    return new Workload(
        large, flushes, rowsPerFlush, majorAt, errorRate, getsPerMoment, chunkBytes, other);
  }

  private static final double MIN_FACTOR = 0.3;
  private static final double MAX_FACTOR = 1.7;

  /** Returns the number of rows of the large store file at the start; 0 if there is none. */
  long largeRows() {
    return (long) large * rowsPerFlush;
  }

  /** Returns the number of rows that each flush writes. */
  int[] rowsOfFlushes() {
    Random random = new Random(seed);
    return IntStream.range(0, flushes)
        .mapToDouble(flush -> MIN_FACTOR + (MAX_FACTOR - MIN_FACTOR) * random.nextDouble())
        .mapToInt(factor -> (int) Math.max(1, Math.round(factor * rowsPerFlush)))
        .toArray();
  }

  /** Returns the number of rows that the large file and all flushes write together. */
  long rows() {
    return largeRows() + Arrays.stream(rowsOfFlushes()).asLongStream().sum();
  }

  void addTo(Results results) {
    results.add(Rates.RUN, Map.of(), "large", large);
    results.add(Rates.RUN, Map.of(), "flushes", flushes);
    results.add(Rates.RUN, Map.of(), "rowsPerFlush", rowsPerFlush);
    results.add(Rates.RUN, Map.of(), "majorAt", majorAt);
    results.add(Rates.RUN, Map.of(), "errorRate", errorRate);
    results.add(Rates.RUN, Map.of(), "getsPerMoment", getsPerMoment);
    results.add(Rates.RUN, Map.of(), "chunkBytes", chunkBytes);
    results.add(Rates.RUN, Map.of(), "seed", seed);
  }
}
