package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Chart;
import io.winnow.hbase.report.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

/** What people see of a run: tables and plots. */
final class RatesReport {
  private static final int NAMED_FLUSHES = 10;

  private RatesReport() {}

  /** The policies side by side. */
  static Table outcomes(RatesResult result) {
    Table table =
        new Table(
            "Means over all moments (less is better in each column)",
            "filters",
            "bits per key",
            "over stock",
            "sum of rates, %",
            "unnecessary file reads per 1000 absent Gets",
            "over stock",
            "over file",
            "per 1000 present Gets",
            "over stock",
            "over file",
            "rows lost");
    for (RatesResult.Outcome outcome : result.policies()) {
      table.row(
          outcome.policy(),
          Table.number(outcome.bitsPerKey(), 2),
          ratio(result, outcome, Policy.STOCK, RatesResult.Outcome::bitsPerKey),
          Table.number(100 * outcome.sumOfRates(), 2),
          Table.number(1000 * outcome.falseReadsPerAbsentGet(), 1),
          ratio(result, outcome, Policy.STOCK, RatesResult.Outcome::falseReadsPerAbsentGet),
          ratio(result, outcome, Policy.FILE, RatesResult.Outcome::falseReadsPerAbsentGet),
          Table.number(1000 * outcome.falseReadsPerPresentGet(), 1),
          ratio(result, outcome, Policy.STOCK, RatesResult.Outcome::falseReadsPerPresentGet),
          ratio(result, outcome, Policy.FILE, RatesResult.Outcome::falseReadsPerPresentGet),
          String.valueOf(outcome.rowsLost()));
    }
    return table;
  }

  /** What the default gains: three figures over HBase's own, which are 1. */
  static String gains(RatesResult result) {
    Chart chart =
        Chart.linear(
            "A region under ingest: what Winnow's filters take, over HBase's Bloom filters",
            "means of " + result.workload().flushes() + " flushes and their compactions",
            "over HBase's Bloom filters",
            List.of("filter memory", "unnecessary reads, absent rows", "the same, present rows"));
    chart.add("bloom", new double[] {1, 1, 1});
    RatesResult.Outcome store = result.of(Policy.STORE).orElseThrow();
    chart.add(
        "bumped-ribbon",
        new double[] {
          overStock(result, store, RatesResult.Outcome::bitsPerKey),
          overStock(result, store, RatesResult.Outcome::falseReadsPerAbsentGet),
          overStock(result, store, RatesResult.Outcome::falseReadsPerPresentGet)
        });
    return chart.bars();
  }

  static double overStock(
      RatesResult result,
      RatesResult.Outcome outcome,
      ToDoubleFunction<RatesResult.Outcome> figure) {
    return over(result, outcome, Policy.STOCK, figure).orElseThrow();
  }

  private static String ratio(
      RatesResult result,
      RatesResult.Outcome outcome,
      String base,
      ToDoubleFunction<RatesResult.Outcome> figure) {
    return Table.number(over(result, outcome, base, figure), 2);
  }

  private static OptionalDouble over(
      RatesResult result,
      RatesResult.Outcome outcome,
      String base,
      ToDoubleFunction<RatesResult.Outcome> figure) {
    return result.of(base).stream()
        .mapToDouble(other -> figure.applyAsDouble(outcome) / figure.applyAsDouble(other))
        .filter(Double::isFinite)
        .findFirst();
  }

  /**
   * What memory costs, and what it gives: means of the run, over stock. In one table with others.
   *
   * @param what of which run
   */
  static void memoryAndReads(RatesResult result, String what, Table table) {
    for (RatesResult.Outcome outcome : result.policies()) {
      if (!outcome.policy().startsWith(Policy.STORE)) {
        continue;
      }
      table.row(
          outcome.memory() == null ? "default" : Table.exact(outcome.memory()),
          what,
          ratio(result, outcome, Policy.STOCK, RatesResult.Outcome::bitsPerKey),
          ratio(result, outcome, Policy.STOCK, RatesResult.Outcome::falseReadsPerAbsentGet),
          ratio(result, outcome, Policy.STOCK, RatesResult.Outcome::falseReadsPerPresentGet),
          String.valueOf(outcome.rowsLost()));
    }
  }

  /** What was asked for of the default, and whether it is reached. */
  static List<Bound> bounds(RatesResult result) {
    boolean isFromEmpty = result.workload().large() == 0;
    List<Bound> bounds = new ArrayList<>();
    result
        .of(Policy.STORE)
        .ifPresent(
            store -> {
              bounds.add(
                  bound(
                      "absent Gets, over stock",
                      isFromEmpty ? 0.37 : 0.30,
                      result,
                      store,
                      RatesResult.Outcome::falseReadsPerAbsentGet));
              bounds.add(
                  bound(
                      "present Gets, over stock",
                      isFromEmpty ? 0.23 : 0.15,
                      result,
                      store,
                      RatesResult.Outcome::falseReadsPerPresentGet));
              bounds.add(
                  bound(
                      "bytes, over stock",
                      isFromEmpty ? 0.82 : 0.81,
                      result,
                      store,
                      RatesResult.Outcome::bitsPerKey));
            });
    return bounds;
  }

  private static Bound bound(
      String what,
      double asked,
      RatesResult result,
      RatesResult.Outcome outcome,
      ToDoubleFunction<RatesResult.Outcome> figure) {
    return new Bound(what, true, asked, over(result, outcome, Policy.STOCK, figure), 2);
  }

  /** The plots, and the figures that they are made from. */
  static Section overTime(RatesResult result, Map<String, List<Moment>> moments) {
    int flushes = result.workload().flushes();
    Section section = new Section("Over time", "");
    section.add(outcomes(result));
    section.plot(
        "store-rates-bits",
        chart("Filter memory under ingest", "bits per key", moments, flushes, Moment::bitsPerKey));
    section.plot(
        "store-rates-sum",
        chart(
            "A Get of an absent row: the sum of the files' rates",
            "unnecessary file reads per 100 Gets",
            moments,
            flushes,
            moment -> 100 * moment.sumOfRates()));
    section.file("store-rates.csv", csv(moments));
    return section;
  }

  private static String chart(
      String title,
      String unit,
      Map<String, List<Moment>> moments,
      int flushes,
      ToDoubleFunction<Moment> figure) {
    List<String> categories = new ArrayList<>();
    int step = Math.max(1, flushes / NAMED_FLUSHES);
    for (int flush = 0; flush <= flushes; flush++) {
      categories.add(flush % step == 0 ? String.valueOf(flush) : "");
    }
    Chart chart = Chart.linear(title, "flush", unit, categories);
    ToDoubleBiFunction<List<Moment>, Integer> ofFlush =
        (all, flush) ->
            all.stream()
                .filter(moment -> moment.flush() == flush)
                .mapToDouble(figure)
                .average()
                .orElse(Double.NaN);
    moments.forEach(
        (policy, all) -> {
          double[] values = new double[flushes + 1];
          for (int flush = 0; flush <= flushes; flush++) {
            values[flush] = ofFlush.applyAsDouble(all, flush);
          }
          chart.add(policy, values);
        });
    return chart.curves();
  }

  static String csv(Map<String, List<Moment>> moments) {
    StringBuilder csv =
        new StringBuilder(
            "policy,flush,after,files,keys,filterBytes,sumOfRates,gets,falseAbsent,falsePresent,"
                + "rowsLost\n");
    moments.forEach(
        (policy, all) ->
            all.forEach(
                m ->
                    csv.append(
                        String.format(
                            Locale.ROOT,
                            "%s,%d,%s,%d,%d,%d,%.6f,%d,%d,%d,%d\n",
                            policy,
                            m.flush(),
                            m.after(),
                            m.files(),
                            m.keys(),
                            m.filterBytes(),
                            m.sumOfRates(),
                            m.gets(),
                            m.falseAbsent(),
                            m.falsePresent(),
                            m.rowsLost()))));
    return csv.toString();
  }
}
