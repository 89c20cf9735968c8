package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.List;
import java.util.OptionalDouble;

/** Figure 4: lookups. */
final class LookupSection {
  private static final List<String> WORKS =
      List.of(
          Metrics.ABSENT,
          Metrics.ABSENT_DURING,
          Metrics.BATCHED,
          Metrics.BATCHED_DURING,
          Metrics.PRESENT);

  private final Results results;

  private LookupSection(Results results) {
    this.results = results;
  }

  static Section of(Results results) {
    return new LookupSection(results).section();
  }

  private Section section() {
    Section section =
        new Section(
            "Lookups",
            """
            After all inserts, with merges at rest. *Absent* keys are asked for one at a time, so the drive has
            one request at a time. *Batched* lookups are %s at a time. *Present* keys are spread over all that
            were inserted; the cascade is asked for them in batches. *During inserts*: another thread inserts more
            keys meanwhile, as fast as it can, so merges are under way; their reads are not counted. Times are those of a call, which may be a
            batch. An absent key takes two reads on average in a Bloom filter, and as many as there are levels
            in the cascade: so its lookups per second go down in a step when a level comes, and up in one when
            levels are merged into one. Compare filters and runs with their reads per lookup.
            """
                .formatted(Table.number(results.median(Metrics.SETUP, "batch"), 0)));
    Table table =
        new Table(
            "lookups",
            "filter, keys",
            "lookups",
            "lookups/s",
            "reads per lookup",
            "p50, us",
            "p99, us",
            "p99.9, us",
            "found");
    List<String> filters = results.values(Metrics.LOOKUP, Metrics.FILTER);
    for (String filter : filters) {
      for (String work : WORKS) {
        if (of(filter, work, "operations").isPresent()) {
          table.row(
              filter + ", " + work,
              Table.number(of(filter, work, "operations"), 0),
              Table.number(of(filter, work, Metrics.PER_SECOND), 0),
              Table.number(reads(filter, work), 3),
              Table.number(of(filter, work, Metrics.P50), 0),
              Table.number(of(filter, work, Metrics.P99), 0),
              Table.number(of(filter, work, Metrics.P999), 0),
              Table.percent(
                  Table.divided(of(filter, work, "positives"), of(filter, work, "operations")), 4));
        }
      }
    }
    section.add(table);
    if (!table.isEmpty()) {
      section.plot("cascade-lookups", chart(filters));
    }
    return section;
  }

  /** Those of lookups alone, where something else reads at the same time. */
  private OptionalDouble reads(String filter, String work) {
    OptionalDouble pages = of(filter, work, "pages");
    return pages.isPresent() ? pages : of(filter, work, "reads");
  }

  private OptionalDouble of(String filter, String work, String metric) {
    return results.median(Metrics.LOOKUP, metric, Metrics.FILTER, filter, Metrics.WORK, work);
  }

  private String chart(List<String> filters) {
    Chart chart =
        Chart.logarithmic(
            "Lookups per second",
            "absent keys, after all inserts",
            "lookups per second",
            List.of("one at a time", "batched"));
    for (String filter : filters) {
      chart.add(
          filter,
          new double[] {
            of(filter, Metrics.ABSENT, Metrics.PER_SECOND).orElse(Double.NaN),
            of(filter, Metrics.BATCHED, Metrics.PER_SECOND).orElse(Double.NaN)
          });
    }
    return chart.bars();
  }
}
