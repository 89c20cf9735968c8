package io.winnow.bench;

import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A part of the plan of JMH benchmarks ({@link HeatPlan}): it runs one fork after the other,
 * contenders in turn.
 */
record JmhRuns(String part, Effort effort, Run run) implements Part {
  /**
   * Seconds that a JMH fork takes besides its iterations: to start the JVM, and to make keys and
   * filters.
   */
  private static final double SECONDS_PER_FORK = 2;

  private List<HeatPlan.Heat> heats() {
    return HeatPlan.of(effort).stream().filter(heat -> heat.part().equals(part)).toList();
  }

  @Override
  public double weight() {
    return weightOfFork()
        * heats().stream().mapToInt(heat -> heat.rounds() * heat.runs().size()).sum();
  }

  private double weightOfFork() {
    return SECONDS_PER_FORK
        + effort.warmups * effort.warmupMillis / 1e3
        + effort.iterations * effort.iterationMillis / 1e3;
  }

  @Override
  public void measure() throws IOException {
    for (HeatPlan.Heat heat : heats()) {
      // Results, and so the rows of pages, have the order of the plan.
      heat.runs().forEach(one -> run.results.add(one.benchmark(), one.parameters(), NS_PER_KEY));
      for (int round = 0; round < heat.rounds(); round++) {
        for (HeatPlan.Run one : Orders.of(heat.runs(), round)) {
          String what = one.benchmark() + " " + one.parameters();
          run.step(weightOfFork(), what, "%.1f ns per key", fork(one));
        }
      }
    }
  }

  private double fork(HeatPlan.Run one) throws IOException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(one.pattern())
            .forks(1)
            .warmupIterations(effort.warmups)
            .warmupTime(TimeValue.milliseconds(effort.warmupMillis))
            .measurementIterations(effort.iterations)
            .measurementTime(TimeValue.milliseconds(effort.iterationMillis))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    one.parameters().forEach(options::param);
    try {
      return addTo(run.results, new Runner(options.build()).runSingle());
    } catch (RunnerException e) {
      e.printStackTrace();
      throw new IOException("a benchmark failed", e);
    }
  }

  /**
   * Adds the samples of every iteration of every JMH fork to the results. Returns the median time
   * per key.
   */
  static double addTo(Results results, RunResult run) {
    String name = run.getParams().getBenchmark();
    String benchmark = name.substring(HeatPlan.class.getPackageName().length() + 1);
    Map<String, String> parameters = new TreeMap<>();
    for (String key : run.getParams().getParamsKeys()) {
      parameters.put(key, run.getParams().getParam(key));
    }
    List<IterationResult> iterations =
        run.getBenchmarkResults().stream()
            .flatMap(fork -> fork.getIterationResults().stream())
            .toList();
    double[] times = iterations.stream().mapToDouble(one -> counter(one, "key")).toArray();
    results.add(benchmark, parameters, NS_PER_KEY, times);
    IterationResult last = iterations.get(iterations.size() - 1);
    for (String figure : List.of(BITS_PER_KEY, FALSE_POSITIVE_RATE)) {
      double value = counter(last, figure);
      if (value > 0) {
        results.add(benchmark, parameters, figure, value);
      }
    }
    return Results.median(times);
  }

  private static double counter(IterationResult iteration, String label) {
    Result<?> counter = iteration.getSecondaryResults().get(label);
    return counter == null ? 0 : counter.getScore();
  }
}
