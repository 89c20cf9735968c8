package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.LinkedHashMap;
import java.util.Map;

/** This commit's filter beside another's. */
final class BesideSection {
  private static final Map<String, String> METRICS = new LinkedHashMap<>();

  static {
    METRICS.put("insertsPerSecond", "inserts/s");
    METRICS.put("cpuNanos", "processor time per insert, ns");
    METRICS.put("insertP999Micros", "insert, p99.9, us");
    METRICS.put("longestMillis", "the longest insert, ms");
    METRICS.put("settleSeconds", "merges after the last insert, s");
    METRICS.put("levels", "levels at rest");
    METRICS.put("single", "lookups/s one at a time, at rest");
    METRICS.put("singleDuring", "lookups/s one at a time, during inserts");
    METRICS.put("batched", "lookups/s in batches, at rest");
    METRICS.put("batchedDuring", "lookups/s in batches, during inserts");
  }

  private BesideSection() {}

  static Section of(Results results) {
    Table table =
        new Table(
            "beside another commit",
            "medians of the rounds",
            "this commit",
            "the other",
            "this over the other");
    METRICS.forEach(
        (metric, name) -> {
          if (of(results, metric, BesideRuns.THIS).length > 0) {
            table.row(
                name,
                median(results, metric, BesideRuns.THIS),
                median(results, metric, BesideRuns.OTHER),
                ratio(results, metric).text());
          }
        });
    return new Section(
            "Beside another commit",
            """
            `./winnow cascade bench --beside JAR`: all keys into the filter of this commit, and into that of the
            other one, whose `filter-core` is the jar; in turns, each in a JVM of its own. Absent keys are looked
            up after that, at rest, and then while another thread inserts at full speed. No filter has a log.
            Ratios have the interval that holds their median with 95 % certainty.
            """)
        .add(table)
        .measuredBy(results, Metrics.BESIDE);
  }

  /** This commit's over the other's, round by round. */
  static PairedRatio ratio(Results results, String metric) {
    return PairedRatio.of(
        of(results, metric, BesideRuns.THIS), of(results, metric, BesideRuns.OTHER));
  }

  static double[] of(Results results, String metric, String side) {
    return results.samples(Metrics.BESIDE, metric, BesideRuns.SIDE, side);
  }

  private static String median(Results results, String metric, String side) {
    double value = Results.median(of(results, metric, side));
    return Table.number(value, value < 1000 ? 1 : 0);
  }
}
