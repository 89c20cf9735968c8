package io.winnow.bench.drive;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * A variant of the loop of lookups and inserts: its share of repeated keys, and the use of batches.
 *
 * @param repeats share of events that are repeats
 * @param batched whether events are looked up, and then inserted, many at a time
 */
record Work(double repeats, boolean batched) {
  static final String REPEATS = "repeats";
  static final String BATCHED = "in batches";
  static final String SINGLE = "one by one";

  private static final double[] SHARES = {0, 0.5, 0.95};

  static final List<Work> ALL =
      List.of(
          new Work(SHARES[0], true),
          new Work(SHARES[0], false),
          new Work(SHARES[1], true),
          new Work(SHARES[1], false),
          new Work(SHARES[2], true),
          new Work(SHARES[2], false));

  /** Returns the parameters of a filter's samples of the loop of lookups and inserts. */
  Map<String, String> at(String filter) {
    return Map.of(
        CascadeMetrics.FILTER,
        filter,
        CascadeMetrics.WORK,
        batched ? BATCHED : SINGLE,
        REPEATS,
        Table.number(100 * repeats, 0) + " %");
  }

  /**
   * Returns the median of a metric of a filter over all sizes at which the loop of lookups and
   * inserts was measured.
   */
  OptionalDouble median(Results results, String filter, String metric) {
    return results.median(
        CascadeMetrics.MIX,
        metric,
        at(filter).entrySet().stream()
            .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue()))
            .toArray());
  }
}
