package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.contest.Case;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads of tables that differ in their filters, in a closed loop or at a fixed rate. Turns that do
 * not count are made again.
 */
abstract class TableReads implements Case<TableFilter> {
  /** Name that the fixed rate of operations has in the results. */
  static final String ARRIVALS = "arrivals";

  /**
   * Number of threads for operations at a fixed rate, which is the maximum number of operations
   * that wait for their results at once.
   */
  static final int ARRIVAL_THREADS = 8;

  private static final double[] PERCENTILES = {50, 95, 97, 99, 99.9};

  Workbench bench;

  /** Number of operations that are due in a second; 0 for a closed loop. */
  double arrivals;

  /**
   * Measures a table.
   *
   * @param attempt number of turns of this round before it, which did not count
   * @param isWarmUp whether its figures are used for nothing
   */
  abstract Turn.Outcome measure(TableFilter contender, int round, int attempt, boolean isWarmUp)
      throws IOException, InterruptedException;

  /** Returns the number of files in which a turn queries each row; 0 if that is not counted. */
  abstract int queriedFiles();

  /** Returns the name of the benchmark in results. */
  abstract String benchmark();

  /** Returns the figures of a turn that not all reads have, by name. */
  abstract Map<String, Double> figures(Turn.Outcome outcome);

  /** Returns the main figures of a turn in words. */
  abstract String text(Turn.Outcome outcome);

  final int threads() {
    return arrivals > 0 ? ARRIVAL_THREADS : bench.options.threads;
  }

  /**
   * Finds the rate of operations that arrive at a share of the rate of the slowest table in a
   * closed loop.
   *
   * @param share 0 if there is no fixed rate
   */
  final void findArrivals(double share) throws IOException, InterruptedException {
    if (share == 0) {
      return;
    }
    double slowest = Double.POSITIVE_INFINITY;
    for (TableFilter contender : contenders()) {
      Turn.Outcome outcome = measure(contender, -Workbench.MAX_FIRST_ROUNDS, 0, false);
      slowest = Math.min(slowest, outcome.latencies().getTotalCount() / outcome.seconds());
    }
    arrivals = share * slowest;
    bench.contest.results().add(ARRIVALS, at(), "perSecond", arrivals);
  }

  @Override
  public final Taken turn(TableFilter contender, int round)
      throws IOException, InterruptedException {
    if (round < 0) {
      return taken(measure(contender, round, 0, true));
    }
    AtomicInteger attempts = new AtomicInteger();
    CountingTurn counting =
        CountingTurn.of(
            "%s, round %d, %s".formatted(name(), round + 1, contender.id()),
            queriedFiles(),
            () -> measure(contender, round, attempts.getAndIncrement(), false),
            flaw -> bench.out.println("  " + flaw));
    Turn.Outcome outcome = counting.outcome();
    Map<String, Double> figures = new TreeMap<>(figures(outcome));
    figures.put("repeats", (double) counting.repeats());
    figures.put("warmUpSeconds", outcome.warmUpSeconds());
    figures.put("warmUpStood", outcome.warmUpStood() ? 1.0 : 0);
    figures.put("meanMicros", outcome.latencies().getMean() / 1e3);
    for (double percentile : PERCENTILES) {
      String name = "p" + Table.exact(percentile).replace(".", "") + "Micros";
      figures.put(name, outcome.latencies().getValueAtPercentile(percentile) / 1e3);
    }
    figures.put("hitRatio", outcome.counted().hitRatio());
    Map<String, String> its = new TreeMap<>(at());
    its.put("filter", contender.id());
    figures.forEach(
        (metric, value) -> bench.contest.results().add(benchmark(), its, metric, value));
    return taken(outcome);
  }

  private Taken taken(Turn.Outcome outcome) {
    return new Taken((double) outcome.counted().cpuNanos() / outcome.rows(), text(outcome));
  }
}
