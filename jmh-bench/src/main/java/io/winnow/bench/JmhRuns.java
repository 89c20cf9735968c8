package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A runner of JMH benchmarks that are compared: it runs one fork after the other, contenders in
 * turn.
 */
final class JmhRuns {
  static final String NS_PER_KEY = "nsPerKey";
  static final String BITS_PER_KEY = "bitsPerKey";
  static final String RATE = "falsePositiveRate";

  /**
   * Seconds that a JMH fork takes besides its iterations: to start the JVM, and to make keys and
   * filters.
   */
  private static final double SECONDS_PER_FORK = 2;

  private final Effort effort;
  private final Results results;
  private final Progress progress;

  JmhRuns(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  static double weight(Effort effort, HeatPlan.Heat heat) {
    return heat.rounds() * heat.runs().size() * weight(effort);
  }

  private static double weight(Effort effort) {
    return SECONDS_PER_FORK
        + effort.warmups() * effort.warmupMillis() / 1e3
        + effort.iterations() * effort.iterationMillis() / 1e3;
  }

  void run(HeatPlan.Heat heat) throws RunnerException {
    for (int round = 0; round < heat.rounds(); round++) {
      List<HeatPlan.Run> order = new ArrayList<>(heat.runs());
      if (round % 2 == 1) {
        Collections.reverse(order); // no contender always comes after the same one
      }
      for (HeatPlan.Run run : order) {
        double[] times = fork(run);
        progress.step(
            weight(effort),
            run.benchmark() + " " + describe(run.parameters()),
            String.format(Locale.ROOT, "%.1f ns per key", Results.median(times)));
      }
    }
  }

  private static String describe(Map<String, String> parameters) {
    return String.join(
        ", ", parameters.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).toList());
  }

  private double[] fork(HeatPlan.Run run) throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(run.pattern())
            .forks(1)
            .warmupIterations(effort.warmups())
            .warmupTime(TimeValue.milliseconds(effort.warmupMillis()))
            .measurementIterations(effort.iterations())
            .measurementTime(TimeValue.milliseconds(effort.iterationMillis()))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    run.parameters().forEach(options::param);
    Collection<RunResult> ran = new Runner(options.build()).run();
    return addTo(results, ran);
  }

  /**
   * Adds the samples of every iteration of every JMH fork to the results. Returns the times per key
   * of the last benchmark.
   */
  static double[] addTo(Results results, Collection<RunResult> ran) {
    double[] times = {};
    for (RunResult run : ran) {
      String name = run.getParams().getBenchmark();
      String benchmark = name.substring(HeatPlan.class.getPackageName().length() + 1);
      Map<String, String> parameters = new TreeMap<>();
      for (String key : run.getParams().getParamsKeys()) {
        parameters.put(key, run.getParams().getParam(key));
      }
      List<Double> found = new ArrayList<>();
      Map<String, Double> last = Map.of();
      for (BenchmarkResult fork : run.getBenchmarkResults()) {
        for (IterationResult iteration : fork.getIterationResults()) {
          last = counters(iteration);
          found.add(last.get("key"));
        }
      }
      times = found.stream().mapToDouble(Double::doubleValue).toArray();
      results.add(benchmark, parameters, NS_PER_KEY, times);
      addRatio(results, benchmark, parameters, BITS_PER_KEY, last, "filterBits", "filterKeys");
      addRatio(results, benchmark, parameters, RATE, last, "falsePositives", "absentProbes");
    }
    return times;
  }

  private static void addRatio(
      Results results,
      String benchmark,
      Map<String, String> parameters,
      String metric,
      Map<String, Double> counters,
      String dividend,
      String divisor) {
    double whole = counters.getOrDefault(divisor, 0.0);
    if (whole > 0) {
      results.add(benchmark, parameters, metric, counters.get(dividend) / whole);
    }
  }

  private static Map<String, Double> counters(IterationResult iteration) {
    Map<String, Double> counters = new TreeMap<>();
    iteration
        .getSecondaryResults()
        .forEach((label, result) -> counters.put(label, result.getScore()));
    return counters;
  }
}
