package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.List;
import java.util.OptionalDouble;

/** The mixed loop: what de-duplication comes to. */
final class MixSection {
  private static final List<String> WORKS = List.of(Work.BATCHED, Work.SINGLE);
  private static final List<String> PERCENTILES =
      List.of(Metrics.P50, Metrics.P90, Metrics.P99, Metrics.P999, Metrics.MAX);
  private static final List<String> PERCENTILE_NAMES =
      List.of("p50", "p90", "p99", "p99.9", "longest");

  private final MixFigures figures;

  private MixSection(MixFigures figures) {
    this.figures = figures;
  }

  static Section of(Results results) {
    MixSection made = new MixSection(MixFigures.of(results));
    return made.section().measuredBy(results, Metrics.MIX_SETUP, Metrics.MIX);
  }

  private Section section() {
    Section section =
        new Section(
            "De-duplication",
            """
            Each event is looked up and then inserted, by one thread: one by one, or %s at a time. A repeat is of
            any event that came before, however long ago, which is the worst case: repeats of recent events are
            found in memory. All filters have %s MiB of memory and get %s keys, %s times what a level in memory
            holds. *Page-local Bloom* is the buffered Bloom filter of [flash.md](flash.md) with answers at once:
            all bits of a key are in one page, and inserts wait for large requests. Its lookups read one page
            each. In batches both have %s threads that read. *Fan-out %s* is computed for one lookup per insert
            (`CascadeOptions.fanOutFor`).

            The filters grow together. While they grow from half of the keys to 85 %% of them, the loops run at
            several sizes, which the levels of a cascade reach in different states. Each time the filter was
            filled at full speed and its merges are done; it then runs until merges that the loop itself caused
            are done. *Of the drive*: pages that lookups read per second, over random pages per second that the
            same page store reads in the same turn, with nothing else to do, with as many requests at once as
            suit the drive (one by one: one request at a time). Ratios have the interval that holds their median
            with 95 %% certainty.
            """
                .formatted(
                    number("batch", 0),
                    Table.number(figures.setup("memoryBytes").orElse(Double.NaN) / (1 << 20), 1),
                    number("keys", 0),
                    number("memories", 0),
                    number("readThreads", 0),
                    number("computedFanOut", 0)));
    section.add(headline());
    for (String work : WORKS) {
      section.add(filters(work));
    }
    if (!figures.filters().isEmpty()) {
      section.plot("cascade-mix", byRepeats());
      section.plot("cascade-fan-outs", byFanOut());
      section.plot("cascade-mix-latency", latencies());
    }
    return section;
  }

  private String number(String setup, int decimals) {
    return Table.number(figures.setup(setup), decimals);
  }

  private Table headline() {
    Table table =
        new Table(
            "de-duplication, fan-out as computed",
            "repeats",
            "cascade, events/s",
            "page-local Bloom, events/s",
            "cascade over Bloom",
            "pages per event: cascade",
            "Bloom",
            "cascade, of the drive");
    String cascade = figures.computed();
    for (String work : WORKS) {
      for (String repeats : figures.repeats()) {
        table.row(
            repeats + ", " + work,
            Table.number(figures.perSecond(cascade, work, repeats), 0),
            Table.number(figures.perSecond(Metrics.PAGE_LOCAL, work, repeats), 0),
            figures.over(cascade, Metrics.PAGE_LOCAL, work, repeats).text(),
            Table.number(figures.pages(cascade, work, repeats), 2),
            Table.number(figures.pages(Metrics.PAGE_LOCAL, work, repeats), 2),
            figures.shareOfDrive(cascade, work, repeats).text());
      }
    }
    return table;
  }

  private Table filters(String work) {
    Table table =
        new Table(
            "all filters, "
                + work
                + "; times are those of "
                + (work.equals(Work.BATCHED) ? "a batch" : "an event"),
            "filter, repeats",
            "events/s",
            "pages per event",
            "of the drive",
            "p50, us",
            "p99, us",
            "p99.9, us",
            "the longest, us",
            "new taken for repeats");
    for (String filter : figures.filters()) {
      for (String repeats : figures.repeats()) {
        OptionalDouble fresh = figures.of(filter, work, repeats, "fresh");
        OptionalDouble mistaken =
            fresh.orElse(0) == 0
                ? OptionalDouble.empty()
                : Table.divided(figures.of(filter, work, repeats, "mistaken"), fresh);
        table.row(
            filter + ", " + repeats,
            Table.number(figures.perSecond(filter, work, repeats), 0),
            Table.number(figures.pages(filter, work, repeats), 2),
            Table.number(figures.shareOfDrive(filter, work, repeats).median(), 2),
            time(filter, work, repeats, Metrics.P50),
            time(filter, work, repeats, Metrics.P99),
            time(filter, work, repeats, Metrics.P999),
            time(filter, work, repeats, Metrics.MAX),
            Table.percent(mistaken, 3));
      }
    }
    return table;
  }

  private String time(String filter, String work, String repeats, String metric) {
    return Table.number(figures.of(filter, work, repeats, metric), 0);
  }

  private String byRepeats() {
    Chart chart =
        Chart.linear(
            "De-duplication: events per second, in batches",
            "share of repeats",
            "thousands of events per second",
            figures.repeats());
    for (String filter : figures.filters()) {
      chart.add(filter, thousands(filter, Work.BATCHED));
    }
    return chart.bars();
  }

  private double[] thousands(String filter, String work) {
    return figures.repeats().stream()
        .mapToDouble(repeats -> figures.perSecond(filter, work, repeats).orElse(Double.NaN) / 1e3)
        .toArray();
  }

  /** Those of the page-local filter are level lines: it has no fan-out. */
  private String byFanOut() {
    List<String> cascades = figures.cascades();
    Chart chart =
        Chart.linear(
            "De-duplication by fan-out: events per second, in batches",
            "fan-out of the cascade",
            "thousands of events per second",
            cascades.stream().map(name -> name.substring(name.lastIndexOf(' ') + 1)).toList());
    for (String filter : List.of(Metrics.CASCADE, Metrics.PAGE_LOCAL)) {
      for (int i = 0; i < figures.repeats().size(); i++) {
        double[] values = new double[cascades.size()];
        for (int c = 0; c < values.length; c++) {
          String of = filter.equals(Metrics.CASCADE) ? cascades.get(c) : filter;
          values[c] = thousands(of, Work.BATCHED)[i];
        }
        chart.add(filter + ", " + figures.repeats().get(i), values);
      }
    }
    return chart.lines();
  }

  private String latencies() {
    Chart chart =
        Chart.logarithmic(
            "De-duplication: time of one event, no repeats, one by one",
            "percentile of the events",
            "microseconds",
            PERCENTILE_NAMES);
    for (String filter : figures.filters()) {
      double[] values =
          PERCENTILES.stream()
              .mapToDouble(
                  metric ->
                      figures
                          .of(filter, Work.SINGLE, figures.repeats().get(0), metric)
                          .orElse(Double.NaN))
              .toArray();
      chart.add(filter, values);
    }
    return chart.lines();
  }
}
