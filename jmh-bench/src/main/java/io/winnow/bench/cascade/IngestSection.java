package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/** Figure 3: inserts. */
final class IngestSection {
  private static final int NAMED_BUCKETS = 5;

  private final Results results;
  private final List<String> filters;

  private IngestSection(Results results) {
    this.results = results;
    this.filters = results.values(Metrics.INGEST, Metrics.FILTER);
  }

  static Section of(Results results) {
    return new IngestSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "Inserts",
            """
            *Written over kept* is write amplification: bytes written to the drive, over the bytes that the
            filter takes there. *Processor time* is that of all threads, per insert. A latency of a Bloom filter
            is that of one insert; one of the cascade is that of %d inserts in a row, so a single insert took no
            longer. *Settled* is how long merges went on after the last insert. *Paced* is how long inserts
            waited so that merges kept up. All figures: [cascade-inserts.csv](plots/cascade-inserts.csv).
            """
                .formatted(CascadeRuns.GROUP));
    section.add(rates()).add(latencies()).add(deletes());
    if (!cascades().isEmpty()) {
      section.plot("cascade-inserts", curve());
      section.plot("cascade-stalls", longest());
      section.file("cascade-inserts.csv", csv());
    }
    return section;
  }

  private OptionalDouble of(String filter, String metric) {
    return results.median(Metrics.INGEST, metric, Metrics.FILTER, filter);
  }

  private double[] samples(String filter, String metric) {
    return results.samples(Metrics.INGEST, metric, Metrics.FILTER, filter);
  }

  private List<String> cascades() {
    return filters.stream().filter(filter -> samples(filter, "bucketSeconds").length > 0).toList();
  }

  private Table rates() {
    Table table =
        new Table(
            "inserts",
            "filter",
            "keys inserted",
            "inserts/s",
            "processor time, ns",
            "reads per insert",
            "writes per insert",
            "bytes read",
            "bytes written",
            "bytes kept",
            "written over kept",
            "paced, s",
            "settled, s");
    double keys = results.median(Metrics.SETUP, "keys").orElse(Double.NaN);
    for (String filter : filters) {
      OptionalDouble kept = of(filter, "flashBytes");
      double keptBytes = kept.orElse(Double.NaN) / keys;
      double written = of(filter, "writtenBytes").orElse(Double.NaN);
      table.row(
          filter,
          Table.number(of(filter, "operations"), 0),
          Table.number(of(filter, Metrics.PER_SECOND), 0),
          Table.number(of(filter, "cpuNanos"), 0),
          Table.number(of(filter, "reads"), 4),
          Table.number(of(filter, "writes"), 4),
          Table.number(of(filter, "readBytes"), 1),
          Table.number(of(filter, "writtenBytes"), 1),
          Table.number(keptBytes, 2),
          Table.number(written / keptBytes, 1),
          Table.number(of(filter, "pacedSeconds"), 1),
          Table.number(of(filter, "settleSeconds"), 1));
    }
    return table;
  }

  private Table latencies() {
    Table table =
        new Table("insert latency, microseconds", "filter", "p50", "p99", "p99.9", "the longest");
    for (String filter : filters) {
      table.row(
          filter,
          Table.number(of(filter, Metrics.P50), 1),
          Table.number(of(filter, Metrics.P99), 1),
          Table.number(of(filter, Metrics.P999), 1),
          Table.number(of(filter, Metrics.MAX), 0));
    }
    return table;
  }

  private Table deletes() {
    Table table =
        new Table(
            "deletes",
            "filter",
            "keys deleted",
            "deletes/s",
            "p50, us",
            "p99.9, us",
            "the longest, us",
            "deleted and still found",
            "left and not found");
    for (String filter : results.values(Metrics.DELETES, Metrics.FILTER)) {
      table.row(
          filter,
          delete(filter, "operations", 0),
          delete(filter, Metrics.PER_SECOND, 0),
          delete(filter, Metrics.P50, 1),
          delete(filter, Metrics.P999, 1),
          delete(filter, Metrics.MAX, 0),
          Table.percent(
              Table.divided(
                  found(filter, Metrics.DELETED, "positives"),
                  found(filter, Metrics.DELETED, "operations")),
              4),
          Table.number(
              found(filter, Metrics.LEFT, "operations").orElse(Double.NaN)
                  - found(filter, Metrics.LEFT, "positives").orElse(Double.NaN),
              0));
    }
    return table;
  }

  private String delete(String filter, String metric, int decimals) {
    return Table.number(results.median(Metrics.DELETES, metric, Metrics.FILTER, filter), decimals);
  }

  private OptionalDouble found(String filter, String work, String metric) {
    return results.median(Metrics.LOOKUP, metric, Metrics.FILTER, filter, Metrics.WORK, work);
  }

  /** A few round numbers of keys, at their buckets. */
  private List<String> names(int buckets) {
    double keys = results.median(Metrics.SETUP, "keys").orElse(Double.NaN);
    List<String> names = new ArrayList<>();
    for (int bucket = 1; bucket <= buckets; bucket++) {
      names.add(
          bucket % (buckets / NAMED_BUCKETS) == 0
              ? Table.number(keys * bucket / buckets / 1e6, 0) + "M"
              : "");
    }
    return names;
  }

  private String curve() {
    int buckets = samples(cascades().get(0), "bucketSeconds").length;
    double keys = results.median(Metrics.SETUP, "keys").orElse(Double.NaN);
    Chart chart =
        Chart.logarithmic(
            "Inserts per second, over the number inserted",
            "keys inserted; Bloom filters as measured in a short run",
            "thousands of inserts per second",
            names(buckets));
    for (String filter : filters) {
      double[] seconds = samples(filter, "bucketSeconds");
      double[] rates = new double[buckets];
      for (int i = 0; i < buckets; i++) {
        rates[i] =
            seconds.length > 0
                ? keys / buckets / seconds[i] / 1e3
                : of(filter, Metrics.PER_SECOND).orElse(Double.NaN) / 1e3;
      }
      chart.add(filter, rates);
    }
    return chart.curves();
  }

  private String longest() {
    int buckets = samples(cascades().get(0), "bucketSeconds").length;
    Chart chart =
        Chart.logarithmic(
            "The longest insert among each " + 100.0 / buckets + " % of the keys",
            "keys inserted",
            "milliseconds",
            names(buckets));
    for (String filter : cascades()) {
      chart.add(filter, samples(filter, "bucketLongestMillis"));
    }
    return chart.curves();
  }

  private String csv() {
    StringBuilder csv =
        new StringBuilder("filter,inserted,seconds,insertsPerSecond,longestMillis\n");
    double keys = results.median(Metrics.SETUP, "keys").orElse(Double.NaN);
    for (String filter : cascades()) {
      double[] seconds = samples(filter, "bucketSeconds");
      double[] longest = samples(filter, "bucketLongestMillis");
      double each = keys / seconds.length;
      for (int i = 0; i < seconds.length; i++) {
        csv.append(filter.replace(",", ""))
            .append(',')
            .append(Math.round(each * (i + 1)))
            .append(',')
            .append(Math.round(1e3 * Arrays.stream(seconds, 0, i + 1).sum()) / 1e3)
            .append(',')
            .append(Math.round(each / seconds[i]))
            .append(',')
            .append(longest[i])
            .append('\n');
      }
    }
    for (String filter : filters) {
      if (samples(filter, "bucketSeconds").length == 0) {
        csv.append(filter.replace(",", ""))
            .append(',')
            .append(Math.round(of(filter, "operations").orElse(0)))
            .append(',')
            .append(of(filter, "seconds").orElse(0))
            .append(',')
            .append(Math.round(of(filter, Metrics.PER_SECOND).orElse(0)))
            .append(',')
            .append(of(filter, Metrics.MAX).orElse(0) / 1e3)
            .append('\n');
      }
    }
    return csv.toString();
  }
}
