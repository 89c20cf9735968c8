package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.ycsb.FilterKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The costs that a {@link CostRun} measured, each with its interval: they are fitted to each round
 * alone, and the interval has the median with 95 % certainty. Immutable.
 */
final class MeasuredCosts {
  private final Results.Setting setting;

  /** Of clients' time, and of the server's CPU: round by round, the costs in their order. */
  private final Map<String, double[][]> costs;

  /** How far the fit is from what was measured, of the medians: the largest, as a share. */
  private final Map<String, Double> errors;

  private MeasuredCosts(
      Results.Setting setting, Map<String, double[][]> costs, Map<String, Double> errors) {
    this.setting = setting;
    this.costs = costs;
    this.errors = errors;
  }

  /**
   * The costs.
   *
   * @throws IllegalArgumentException if these are not the results of a {@link CostRun}
   */
  static MeasuredCosts of(Results results) {
    if (!results.has(CostRun.NAME) || !results.has(CostRun.RUN)) {
      throw new IllegalArgumentException("these are not results of ./winnow model --measure");
    }
    int rows = (int) results.median(CostRun.RUN, "rows").orElseThrow();
    List<CostRun.Situation> situations = CostRun.situations(new CostRun.Effort(rows, 1, 1));
    Map<String, double[][]> costs = new TreeMap<>();
    Map<String, Double> errors = new TreeMap<>();
    for (String metric : List.of(CostRun.MICROS, CostRun.CPU)) {
      List<double[]> samples = new ArrayList<>();
      for (CostRun.Situation situation : situations) {
        samples.add(samples(results, metric, situation));
      }
      int rounds = samples.stream().mapToInt(s -> s.length).min().orElse(0);
      if (rounds == 0) {
        throw new IllegalArgumentException("the run has no " + metric + " of some situation");
      }
      double[][] fitted = new double[rounds][];
      for (int round = 0; round < rounds; round++) {
        int its = round;
        fitted[round] = CostFit.of(fit(situations, samples, all -> all[its]));
      }
      costs.put(metric, fitted);
      double[] medians = medians(fitted);
      errors.put(
          metric,
          fit(situations, samples, Results::median).stream()
              .mapToDouble(
                  sample -> Math.abs(CostFit.micros(sample, medians) / sample.micros() - 1))
              .max()
              .orElseThrow());
    }
    return new MeasuredCosts(results.setting(), costs, errors);
  }

  private static double[] samples(Results results, String metric, CostRun.Situation situation) {
    List<Object> at = new ArrayList<>();
    situation
        .parameters()
        .forEach(
            (name, value) -> {
              at.add(name);
              at.add(value);
            });
    return results.samples(CostRun.NAME, metric, at.toArray());
  }

  private interface Choice {
    double of(double[] samples);
  }

  private static List<CostFit.Sample> fit(
      List<CostRun.Situation> situations, List<double[]> samples, Choice choice) {
    List<CostFit.Sample> fit = new ArrayList<>();
    for (int i = 0; i < situations.size(); i++) {
      fit.add(new CostFit.Sample(choice.of(samples.get(i)), CostTerm.counts(situations.get(i))));
    }
    return fit;
  }

  private static double[] medians(double[][] rounds) {
    double[] medians = new double[CostTerm.values().length];
    for (CostTerm term : CostTerm.values()) {
      medians[term.ordinal()] = Results.median(ofTerm(rounds, term));
    }
    return medians;
  }

  private static double[] ofTerm(double[][] rounds, CostTerm term) {
    return Arrays.stream(rounds).mapToDouble(round -> round[term.ordinal()]).toArray();
  }

  /** With its interval, in microseconds. */
  PairedRatio cost(String metric, CostTerm term) {
    double[] its = ofTerm(costs.get(metric), term);
    double[] ones = new double[its.length];
    Arrays.fill(ones, 1);
    return PairedRatio.of(its, ones);
  }

  private double micros(CostTerm term) {
    return cost(CostRun.MICROS, term).median();
  }

  /** As clients see them, where data blocks have this size. */
  Costs costs(int blockBytes) {
    Map<FilterKind, Double> questions = new EnumMap<>(FilterKind.class);
    for (FilterKind kind : FilterKind.values()) {
      questions.put(kind, 1000 * micros(CostTerm.question(kind)));
    }
    return new Costs(
        micros(CostTerm.ROW),
        micros(CostTerm.FOUND),
        micros(CostTerm.lookUp(blockBytes)),
        micros(CostTerm.read(blockBytes)),
        0,
        questions);
  }

  String text() {
    return table().text()
        + "\n%s, %d cores, %s, commit %s.\n"
            .formatted(setting.machine(), setting.cores(), setting.jdk(), setting.commit())
        + "The fit is within %.0f %% of each situation's median for clients, %.0f %% for the server.\n"
            .formatted(100 * errors.get(CostRun.MICROS), 100 * errors.get(CostRun.CPU));
  }

  Table table() {
    Table table =
        new Table("what a read costs, microseconds", "", "for clients", "of the server's CPU");
    for (CostTerm term : CostTerm.values()) {
      table.row(term.text(), cost(CostRun.MICROS, term).text(), cost(CostRun.CPU, term).text());
    }
    return table;
  }
}
