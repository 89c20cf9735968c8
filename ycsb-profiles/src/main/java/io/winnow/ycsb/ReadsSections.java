package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.Arrays;
import java.util.List;

/** Throughput and latency, and what HBase counted meanwhile. */
final class ReadsSections {
  private static final String BLOOM = FilterKind.BLOOM.id();
  private static final String RIBBON = FilterKind.RIBBON.id();
  private static final String BUMPED = FilterKind.BUMPED_RIBBON.id();
  private static final List<String> KINDS =
      Arrays.stream(FilterKind.values()).map(FilterKind::id).toList();

  private final Results results;
  private final List<Reads.Situation> situations;
  private final List<Reads.Situation> lindorm;

  ReadsSections(Results results) {
    this.results = results;
    Reads reads = new Reads(results, Comparison.READS);
    this.situations = reads.situations();
    this.lindorm = reads.of(Profile.LINDORM);
  }

  /** Rows per second and latencies. */
  Section reads() {
    Section section =
        new Section(
            "Throughput and latency",
            """
            Medians over the rounds; ratios with their 95 % intervals. A batch is one operation of the client,
            and latency is that of a batch.
            """);
    Table table =
        new Table(
            "throughput, rows per second",
            "profile, key length",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom");
    Table latency =
        new Table(
            "latency of a batch, microseconds",
            "profile, key length, filter",
            "mean",
            "p50",
            "p95",
            "p99",
            "mean : bloom's",
            "p99 : bloom's",
            "server CPU, µs per row");
    for (Reads.Situation one : situations) {
      table.row(
          one.text(),
          one.number(Reads.THROUGHPUT, BLOOM, 0),
          one.number(Reads.THROUGHPUT, RIBBON, 0),
          one.number(Reads.THROUGHPUT, BUMPED, 0),
          one.ratio(Reads.THROUGHPUT, RIBBON, BLOOM).text(),
          one.ratio(Reads.THROUGHPUT, BUMPED, BLOOM).text());
      for (String filter : KINDS) {
        latency.row(
            one.text() + ", " + filter,
            one.number("meanMicros", filter, 0),
            one.number("p50Micros", filter, 0),
            one.number("p95Micros", filter, 0),
            one.number("p99Micros", filter, 0),
            filter.equals(BLOOM) ? "1" : one.ratio("meanMicros", filter, BLOOM).text(),
            filter.equals(BLOOM) ? "1" : one.ratio("p99Micros", filter, BLOOM).text(),
            one.number("serverCpuMicrosPerRow", filter, 1));
      }
    }
    section.add(table).add(latency).measuredBy(results, Comparison.READS);
    if (!lindorm.isEmpty()) {
      section.plot("ycsb-throughput", chart("rows per second", Reads.THROUGHPUT, 1));
      section.plot("ycsb-latency", chart("mean latency, ms", "meanMicros", 1e-3));
    }
    return section;
  }

  /** Hits and misses of the block cache, and files asked. */
  Section cache() {
    Section section =
        new Section(
            "Block cache and store files",
            """
            HBase's own counters, over the measured parts of the turns. Per row that was asked for: *read* is
            the number of blocks that were not in the block cache, *asked* how many store files' filters were
            asked, *skipped* how many files a filter ruled out. The false-positive rate counts the questions
            about rows that are not in the file. It is known only where each row is in at most one file.
            """);
    Table table =
        new Table(
            "block cache and store files",
            "profile, key length, filter",
            "hits, all",
            "data blocks",
            "filter blocks",
            "read",
            "asked",
            "skipped",
            "false positives");
    for (Reads.Situation one : situations) {
      for (String filter : KINDS) {
        table.row(
            one.text() + ", " + filter,
            Table.percent(one.median("hitRatio", filter), 2),
            Table.percent(one.median("dataHitRatio", filter), 2),
            Table.percent(one.median("filterHitRatio", filter), 2),
            one.number("blocksReadPerRow", filter, 3),
            one.number("filesAskedPerRow", filter, 2),
            one.number("filesSkippedPerRow", filter, 2),
            Table.percent(one.median("falsePositiveRate", filter), 2));
      }
    }
    section.add(table).measuredBy(results, Comparison.READS);
    if (!lindorm.isEmpty()) {
      section.plot("ycsb-hit-ratio", chart("block-cache hits, %", "hitRatio", 100));
    }
    return section;
  }

  private String chart(String yLabel, String metric, double unit) {
    Chart chart =
        Chart.linear(
            "Batch reads, Lindorm's profile",
            "key length, bytes",
            yLabel,
            lindorm.stream().map(Reads.Situation::keyLength).toList());
    for (String filter : KINDS) {
      chart.add(
          filter,
          lindorm.stream()
              .mapToDouble(one -> unit * one.median(metric, filter).orElse(Double.NaN))
              .toArray());
    }
    return chart.bars();
  }
}
