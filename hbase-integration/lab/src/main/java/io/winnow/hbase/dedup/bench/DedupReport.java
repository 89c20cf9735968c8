package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** What people see of a run: tables, plots, and what was asked. */
final class DedupReport {
  private static final List<String> SETS = List.of(SetSize.FITS, SetSize.TEN_TIMES);
  private static final List<Way> SAFE =
      List.of(Way.CHECK_AND_MUTATE, Way.GET_THEN_PUT, Way.DEDUPLICATOR);
  private static final double ASKED = 2;

  /** Shares of repeats that the page shows; a file has all. */
  private static final List<Double> SHOWN = List.of(0.0, 0.5, 0.9);

  private DedupReport() {}

  static Page page(Results results) {
    Page page = new Page();
    page.add(ways(results));
    page.add(sweep(results));
    page.add(sets(results));
    return page;
  }

  /** The goals. */
  static Page goals(Results results) {
    Page page = new Page();
    page.add(asked(results));
    return page;
  }

  private static double[] rate(Results results, String set, Way way, double repeats) {
    return samples(results, SetRun.ROWS_PER_SECOND, set, way, repeats);
  }

  private static double[] samples(
      Results results, String metric, String set, Way way, double repeats) {
    return results.samples(
        SetRun.BENCHMARK,
        metric,
        SetRun.SET,
        set,
        SetRun.WAY,
        way.label(),
        SetRun.REPEATS,
        repeats);
  }

  /** The de-duplicator over another way, turn by turn. */
  static PairedRatio over(Results results, String set, Way other, double repeats) {
    return PairedRatio.of(
        rate(results, set, Way.DEDUPLICATOR, repeats), rate(results, set, other, repeats));
  }

  private static Section asked(Results results) {
    List<Bound> bounds = new ArrayList<>();
    for (Way way : List.of(Way.CHECK_AND_MUTATE, Way.GET_THEN_PUT)) {
      bounds.add(
          Bound.atLeast(
              "rows per second over " + way.label() + ", a set that fits the memory, 90 % new",
              ASKED,
              over(results, SetSize.FITS, way, SetRun.USUAL)));
    }
    for (String metric : List.of(SetRun.LOST, SetRun.DOUBLED)) {
      bounds.add(new Bound(metric, true, 0, wrong(results, metric), 0));
    }
    return new Section(
            "Asked and measured",
            "A ratio is of two turns of the same round; its interval has 95 % certainty.\n")
        .add(Bound.table(bounds));
  }

  /** Of all sets and safe ways. */
  private static OptionalDouble wrong(Results results, String metric) {
    double[] all =
        SETS.stream()
            .flatMapToDouble(
                set ->
                    results.values(SetRun.TABLE, SetRun.WAY).stream()
                        .flatMapToDouble(
                            way ->
                                Arrays.stream(
                                    results.samples(
                                        SetRun.TABLE, metric, SetRun.SET, set, SetRun.WAY, way))))
            .map(Math::abs)
            .toArray();
    return all.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(Arrays.stream(all).sum());
  }

  private static Section ways(Results results) {
    Section section =
        new Section(
            "Nine new rows in ten",
            """
            *Put, unasked* writes repeats again: it is no way to do it, and shows the cost of the asking. *Calls*
            are those of HBase's client to servers. *Server CPU* is that of the whole server process, flushes and
            compactions too.
            """);
    for (String set : SETS) {
      Table table =
          new Table(
              "the set " + set,
              "way",
              "rows/s",
              "the de-duplicator's over it",
              "calls per 1000 rows",
              "server CPU, us per row");
      for (Way way : Way.values()) {
        if (rate(results, set, way, SetRun.USUAL).length > 0) {
          table.row(
              way.label(),
              Table.number(median(results, SetRun.ROWS_PER_SECOND, set, way, SetRun.USUAL), 0),
              way == Way.DEDUPLICATOR ? "" : over(results, set, way, SetRun.USUAL).text(),
              Table.number(median(results, SetRun.CALLS_PER_1000, set, way, SetRun.USUAL), 2),
              Table.number(median(results, SetRun.SERVER_CPU, set, way, SetRun.USUAL), 1));
        }
      }
      section.add(table);
    }
    return section;
  }

  private static double median(
      Results results, String metric, String set, Way way, double repeats) {
    double[] all = samples(results, metric, set, way, repeats);
    return all.length == 0 ? Double.NaN : Results.median(all);
  }

  private static Section sweep(Results results) {
    Section section =
        new Section(
            "Where it stops paying",
            """
            The same with other shares of repeats, in turns half as long. Each way asks about repeats, so more of
            them leave less to save; a set larger than the memory adds the filter's own reads. It pays as long as
            the interval lies above 1.
            """);
    List<Double> shares = new ArrayList<>(SetRun.SWEEP);
    shares.add(1, SetRun.USUAL);
    for (String set : SETS) {
      if (rate(results, set, Way.DEDUPLICATOR, SetRun.SWEEP.get(0)).length == 0) {
        continue; // a run without a sweep
      }
      String name = set.equals(SetSize.FITS) ? "dedup-fits" : "dedup-ten-times";
      section.add(byRepeats(results, set, shares), name + ".csv", byRepeats(results, set, SHOWN));
      if (set.equals(SetSize.FITS)) {
        section.plot(name, chart(results, set, shares));
      }
    }
    return section;
  }

  private static Table byRepeats(Results results, String set, List<Double> shares) {
    Table table =
        new Table(
            "the set " + set,
            "repeats, %",
            "checkAndMutate, rows/s",
            "Get, then Put, rows/s",
            "de-duplicator, rows/s",
            "over checkAndMutate",
            "over Get, then Put",
            "calls per 1000 rows");
    for (double repeats : shares) {
      table.row(
          percent(repeats),
          Table.number(
              median(results, SetRun.ROWS_PER_SECOND, set, Way.CHECK_AND_MUTATE, repeats), 0),
          Table.number(median(results, SetRun.ROWS_PER_SECOND, set, Way.GET_THEN_PUT, repeats), 0),
          Table.number(median(results, SetRun.ROWS_PER_SECOND, set, Way.DEDUPLICATOR, repeats), 0),
          over(results, set, Way.CHECK_AND_MUTATE, repeats).text(),
          over(results, set, Way.GET_THEN_PUT, repeats).text(),
          Table.number(median(results, SetRun.CALLS_PER_1000, set, Way.DEDUPLICATOR, repeats), 2));
    }
    return table;
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.0f", 100 * share);
  }

  private static String chart(Results results, String set, List<Double> shares) {
    Chart chart =
        Chart.linear(
            "Rows per second, a set that is " + words(set),
            "repeats, %",
            "rows per second",
            shares.stream().map(DedupReport::percent).toList());
    for (Way way : SAFE) {
      double[] middle = new double[shares.size()];
      double[] low = new double[shares.size()];
      double[] high = new double[shares.size()];
      for (int i = 0; i < middle.length; i++) {
        double[] all = rate(results, set, way, shares.get(i));
        middle[i] = all.length == 0 ? Double.NaN : Results.median(all);
        low[i] = Arrays.stream(all).min().orElse(Double.NaN);
        high[i] = Arrays.stream(all).max().orElse(Double.NaN);
      }
      chart.add(way.label(), middle, low, high);
    }
    return chart.lines();
  }

  private static String words(String set) {
    return set.equals(SetSize.FITS)
        ? "within the filter's memory"
        : "ten times the filter's memory";
  }

  private static Section sets(Results results) {
    Table table =
        new Table(
            "The sets",
            "",
            "rows loaded",
            "rows/s filled",
            "keys in the filter at the end",
            "keys that its memory holds",
            "levels on flash",
            "pages read per lookup");
    for (String set : SETS) {
      if (results.samples(SetRun.TABLE, "rows loaded", SetRun.SET, set).length > 0) {
        table.row(
            set,
            of(results, set, "rows loaded", 0),
            of(results, set, "rows/s filled", 0),
            of(results, set, "keys in the filter", 0),
            of(results, set, "keys that its memory holds", 0),
            of(results, set, "levels on flash", 0),
            of(results, set, "pages read per lookup", 2));
      }
    }
    Section section =
        new Section(
            "The sets",
            """
            *Filled* is the speed with which an opening took the table's rows into a new filter. The memory is
            small, so that a set ten times as large is loaded soon: compare the two sets with each other.
            """);
    section.add(table, "dedup-sets.csv", new Table(table.title()));
    return section;
  }

  private static String of(Results results, String set, String metric, int decimals) {
    double[] all = results.samples(SetRun.TABLE, metric, SetRun.SET, set);
    return all.length == 0 ? "-" : Table.number(all[0], decimals);
  }
}
