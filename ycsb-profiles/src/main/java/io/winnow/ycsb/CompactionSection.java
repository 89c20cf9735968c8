package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Major compactions, the tables in turns. */
final class CompactionSection {
  private static final List<String> KINDS =
      Arrays.stream(FilterKind.values()).map(FilterKind::id).toList();

  /** Wall time and CPU time, as they stand in the results. */
  private static final List<String> TIMES = List.of("wallSeconds", "cpuSeconds");

  private final Results results;

  private CompactionSection(Results results) {
    this.results = results;
  }

  /** Empty if there are no figures. */
  static Section section(Results results) {
    return new CompactionSection(results).section();
  }

  /** What is asked of compactions, if the results have enough of them. */
  static List<Bound> bounds(Results results) {
    List<Bound> bounds = new ArrayList<>();
    CompactionSection section = new CompactionSection(results);
    for (String time : TIMES) {
      int rounds = results.samples(Comparison.COMPACTION, time, "filter", KINDS.get(0)).length;
      if (rounds < YcsbOptions.ORDERS) {
        continue;
      }
      bounds.add(
          Bound.atMost(
              "major compaction, " + name(time) + " time over stock Bloom's",
              1,
              section.ratio(time, KINDS.get(2))));
    }
    return bounds;
  }

  private Section section() {
    Section section =
        new Section(
            "Major compaction",
            """
            A table's files are merged into one, again and again, the tables in turns. HBase's limit on the
            speed of compactions is off. CPU time is that of the whole server, garbage collection included.
            Seconds are medians; a ratio is the median of the rounds', with its 95 % interval.
            """);
    if (!results.has(Comparison.COMPACTION)) {
      return section;
    }
    Table table =
        new Table(
            "major compaction, seconds",
            "",
            "bloom",
            "ribbon",
            "bumped-ribbon",
            "ribbon : bloom",
            "bumped : bloom");
    for (String time : TIMES) {
      table.row(
          name(time),
          Table.number(seconds(time, KINDS.get(0)), 2),
          Table.number(seconds(time, KINDS.get(1)), 2),
          Table.number(seconds(time, KINDS.get(2)), 2),
          ratio(time, KINDS.get(1)).text(),
          ratio(time, KINDS.get(2)).text());
    }
    Chart chart = Chart.linear("Major compaction", "", "seconds", List.of("wall", "CPU"));
    for (String kind : KINDS) {
      chart.add(kind, TIMES.stream().mapToDouble(time -> seconds(time, kind)).toArray());
    }
    section.add(table).measuredBy(results, Comparison.COMPACTION);
    section.plot("ycsb-compaction", chart.bars());
    return section;
  }

  private static String name(String time) {
    return time.replace("Seconds", "");
  }

  private double seconds(String time, String kind) {
    return results.median(Comparison.COMPACTION, time, "filter", kind).orElse(Double.NaN);
  }

  private PairedRatio ratio(String time, String kind) {
    return PairedRatio.of(
        results.samples(Comparison.COMPACTION, time, "filter", kind),
        results.samples(Comparison.COMPACTION, time, "filter", KINDS.get(0)));
  }
}
