package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.OptionalDouble;

/** Inserts that are safe when they return. */
final class CommitSection {
  private final Results results;

  private CommitSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    CommitSection made = new CommitSection(results);
    return new Section(
            "Each insert synced",
            """
            `Durability.everyN(1)`: an insert returns when a crash cannot lose it. Threads whose inserts wait at
            the same time share an fsync. The fsync takes %d ms here and does nothing, so that the figures are
            those of the filter and not of this drive.
            """
                .formatted(CommitRuns.FSYNC_MILLIS))
        .add(made.table())
        .measuredBy(results, Metrics.COMMIT);
  }

  private Table table() {
    Table table =
        new Table(
            "inserts, each synced",
            "threads",
            "inserts/s",
            "over one thread",
            "fsyncs/s",
            "p50, us",
            "p99, us",
            "the longest, us");
    for (String threads : results.values(Metrics.COMMIT, "threads")) {
      table.row(
          threads,
          Table.number(of(threads, Metrics.PER_SECOND), 0),
          Table.number(over(results, threads), 2),
          Table.number(of(threads, "fsyncsPerSecond"), 0),
          Table.number(of(threads, Metrics.P50), 0),
          Table.number(of(threads, Metrics.P99), 0),
          Table.number(of(threads, Metrics.MAX), 0));
    }
    return table;
  }

  private OptionalDouble of(String threads, String metric) {
    return results.median(Metrics.COMMIT, metric, "threads", threads);
  }

  /** How many times the inserts of one thread. */
  static OptionalDouble over(Results results, String threads) {
    return Table.divided(
        results.median(Metrics.COMMIT, Metrics.PER_SECOND, "threads", threads),
        results.median(Metrics.COMMIT, Metrics.PER_SECOND, "threads", "1"));
  }
}
