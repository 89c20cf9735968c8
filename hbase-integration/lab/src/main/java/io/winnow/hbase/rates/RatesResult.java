package io.winnow.hbase.rates;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.winnow.hbase.report.Results;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The JSON document of a run of {@code ./winnow rates}.
 *
 * @param policies the policies, for all of which the same Gets were counted
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RatesResult(Results.Setting setting, Workload workload, List<Outcome> policies) {

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
  }

  /**
   * Figures of one filter policy: means over all moments after flushes and compactions at which its
   * regions were measured.
   *
   * @param memory the value of {@code winnow.store.memory}; null if it is not set
   * @param rowsLost sum over all moments
   * @param bySeed the figures that an interval is made of; null in results from before there were
   *     several seeds
   */
  record Outcome(
      String policy,
      double bitsPerKey,
      double falseReadsPerAbsentGet,
      double falseReadsPerPresentGet,
      double sumOfRates,
      long rowsLost,
      Double memory,
      double files,
      int mostFiles,
      int moments,
      List<OfSeed> bySeed) {
    /**
     * Returns the figures of a policy.
     *
     * @param seed the first seed; each next one is one more
     * @param regions the moments of the region of each seed
     */
    static Outcome of(Policy policy, long seed, List<List<Moment>> regions) {
      List<Moment> moments = regions.stream().flatMap(List::stream).toList();
      List<OfSeed> bySeed =
          IntStream.range(0, regions.size())
              .mapToObj(i -> OfSeed.of(seed + i, regions.get(i)))
              .toList();
      return new Outcome(
          policy.id(),
          mean(moments, Moment::bitsPerKey),
          mean(moments, Moment::falseReadsPerAbsentGet),
          mean(moments, Moment::falseReadsPerPresentGet),
          mean(moments, Moment::sumOfRates),
          moments.stream().mapToLong(Moment::rowsLost).sum(),
          policy.memory(),
          mean(moments, Moment::files),
          moments.stream().mapToInt(Moment::files).max().orElse(0),
          moments.size(),
          bySeed);
    }
  }

  /** Means over all moments of the region of one seed. */
  record OfSeed(
      long seed, double bitsPerKey, double falseReadsPerAbsentGet, double falseReadsPerPresentGet) {
    private static OfSeed of(long seed, List<Moment> moments) {
      return new OfSeed(
          seed,
          mean(moments, Moment::bitsPerKey),
          mean(moments, Moment::falseReadsPerAbsentGet),
          mean(moments, Moment::falseReadsPerPresentGet));
    }
  }

  private static double mean(List<Moment> moments, ToDoubleFunction<Moment> figure) {
    return Results.rounded(moments.stream().mapToDouble(figure).average().orElseThrow());
  }

  long rowsLost() {
    return policies.stream().mapToLong(Outcome::rowsLost).sum();
  }
}
