package io.winnow.hbase.dedup.bench;

import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.dedup.DedupOptions;
import io.winnow.hbase.dedup.Deduplicator;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.hbase.client.Connection;

/**
 * A measurement of all ways of writing rows once, on a table of one size: the ways take turns, in
 * balanced orders.
 */
final class SetRun {
  static final String BENCHMARK = "dedup";
  static final String SET = "set";
  static final String WAY = "way";
  static final String REPEATS = "repeats";
  static final String ROWS_PER_SECOND = "rows/s";
  static final String CALLS_PER_1000 = "calls per 1000 rows";
  static final String SERVER_CPU = "server CPU, us per row";
  static final String LOST = "rows lost";
  static final String DOUBLED = "rows doubled";
  static final String TABLE = "table";

  /** The share of repeated rows in a turn for which the de-duplication benchmark has targets. */
  static final double USUAL = 0.1;

  static final List<Double> SWEEP = List.of(0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99);

  /**
   * Number of turns before the measured ones that each way of writing rows has, so that the JIT
   * compiles the code of HBase and Winnow.
   */
  private static final int WARM_UP = 10;

  private final DedupBench options;
  private final StandaloneHBase hbase;
  private final Connection connection;
  private final SetSize set;
  private final Results results;
  private final Progress progress;
  private final Random random = new Random(13);
  private final long[] next = new long[Way.values().length];

  /** Number of rows that are loaded into the de-duplication benchmark's table at the start. */
  private final long loaded;

  SetRun(
      DedupBench options,
      StandaloneHBase hbase,
      Connection connection,
      SetSize set,
      Results results,
      Progress progress) {
    this.options = options;
    this.hbase = hbase;
    this.connection = connection;
    this.set = set;
    this.loaded = set.rows(options);
    this.results = results;
    this.progress = progress;
  }

  /**
   * Measures all ways of writing rows once, on a new table. Returns the number of rows that were
   * lost or doubled.
   */
  long run(Path directory) throws IOException {
    long start = System.nanoTime();
    BenchTable.load(connection, loaded);
    double loadSeconds = secondsSince(start);
    progress.step(
        set.loadWeight(options),
        set.label(),
        String.format(Locale.ROOT, "%,d rows loaded in %.0f s", loaded, loadSeconds));
    DedupOptions dedup =
        DedupOptions.of(BenchTable.NAME, BenchTable.FAMILY, BenchTable.QUALIFIER)
            .filter(filter(options));
    start = System.nanoTime();
    try (Deduplicator deduplicator = Deduplicator.open(connection, directory, dedup)) {
      add(Map.of(SET, set.label()), TABLE, "rows loaded", loaded);
      add(Map.of(SET, set.label()), TABLE, "rows/s filled", loaded / secondsSince(start));
      turns(deduplicator);
      describe(deduplicator.statistics().filter());
    }
    return count();
  }

  static CascadeOptions filter(DedupBench options) {
    return CascadeOptions.defaults()
        .memoryBudget(options.memory)
        .expectedMaximum(100_000_000)
        .rate(0.0004)
        .fanOutFor(CascadeMix.of(1));
  }

  private void turns(Deduplicator deduplicator) throws IOException {
    for (int round = 0; round < warmUps(options); round++) {
      for (Way way : Way.values()) {
        turn(deduplicator, way, USUAL, options.rows, false);
      }
    }
    progress.step(
        weight(Way.values().length, warmUps(options), options.rows), set.label(), "warmed up");
    rounds(deduplicator, List.of(Way.values()), USUAL, options.rounds, options.rows);
    if (options.sweepRounds > 0) {
      List<Way> safe = List.of(Way.CHECK_AND_MUTATE, Way.GET_THEN_PUT, Way.DEDUPLICATOR);
      for (double repeats : SWEEP) {
        rounds(deduplicator, safe, repeats, options.sweepRounds, options.rows / 2);
      }
    }
  }

  private void rounds(
      Deduplicator deduplicator, List<Way> ways, double repeats, int rounds, int rows)
      throws IOException {
    for (int round = 0; round < rounds; round++) {
      for (Way way : Orders.of(ways, round)) {
        turn(deduplicator, way, repeats, rows, true);
      }
    }
    StringBuilder outcome = new StringBuilder();
    for (Way way : ways) {
      outcome.append(
          String.format(
              Locale.ROOT,
              "%s%s %,.0f rows/s",
              outcome.isEmpty() ? "" : ", ",
              way.label(),
              results
                  .median(BENCHMARK, ROWS_PER_SECOND, parameters(way, repeats))
                  .orElse(Double.NaN)));
    }
    progress.step(
        weight(ways.size(), rounds, rows),
        String.format(Locale.ROOT, "%s, %.0f %% repeats", set.label(), 100 * repeats),
        outcome.toString());
  }

  static int warmUps(DedupBench options) {
    return options.quick ? 1 : WARM_UP;
  }

  /**
   * Returns the expected time that some ways of writing rows need for all their turns, in units of
   * about a second.
   */
  static double weight(int ways, int rounds, int rows) {
    return ways * rounds * rows / 10_000.0;
  }

  private Object[] parameters(Way way, double repeats) {
    return new Object[] {SET, set.label(), WAY, way.label(), REPEATS, repeats};
  }

  private void turn(Deduplicator deduplicator, Way way, double repeats, int rows, boolean counts)
      throws IOException {
    WriteTurn turn =
        WriteTurn.draw(way, rows, repeats, options.batch, next[way.ordinal()], loaded, random);
    next[way.ordinal()] += turn.fresh();
    long calls = Calls.made();
    Duration cpu = cpu();
    long start = System.nanoTime();
    int stored = turn.write(connection, way, deduplicator, options.threads);
    double seconds = secondsSince(start);
    Duration used = cpu().minus(cpu);
    if (way != Way.PUT && stored != turn.fresh()) {
      throw new IOException(
          "%s stored %d rows of a turn with %d new ones"
              .formatted(way.label(), stored, turn.fresh()));
    }
    if (counts) {
      Map<String, String> parameters =
          Map.of(SET, set.label(), WAY, way.label(), REPEATS, String.valueOf(repeats));
      add(parameters, BENCHMARK, ROWS_PER_SECOND, rows / seconds);
      add(parameters, BENCHMARK, CALLS_PER_1000, 1000.0 * (Calls.made() - calls) / rows);
      add(parameters, BENCHMARK, SERVER_CPU, used.toNanos() / 1000.0 / rows);
    }
  }

  private void add(Map<String, String> parameters, String benchmark, String metric, double value) {
    results.add(benchmark, parameters, metric, value);
  }

  private Duration cpu() {
    return hbase.process().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static double secondsSince(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private void describe(CascadeStatistics filter) {
    Map<String, String> parameters = Map.of(SET, set.label());
    long keys = filter.get(CascadeCount.MEMORY_ENTRIES) + filter.get(CascadeCount.FROZEN_ENTRIES);
    add(parameters, TABLE, "keys in the filter", keys + filter.get(CascadeCount.FLASH_ENTRIES));
    add(parameters, TABLE, "keys that its memory holds", filter.get(CascadeCount.MEMORY_CAPACITY));
    add(parameters, TABLE, "levels on flash", filter.levels().size());
    add(parameters, TABLE, "pages read per lookup", filter.readsPerLookup());
  }

  /**
   * Counts the rows that each way of writing has written to the table, each of which must be there
   * once. Returns the number of wrong ones.
   */
  private long count() throws IOException {
    BenchTable.Census census = BenchTable.census(connection);
    long wrong = 0;
    for (Way way : Way.values()) {
      if (way == Way.PUT) {
        continue; // its repeats are doubled by design
      }
      int range = way.ordinal() + 1;
      long lost = next[way.ordinal()] - census.rows()[range];
      Map<String, String> parameters = Map.of(SET, set.label(), WAY, way.label());
      add(parameters, TABLE, LOST, lost);
      add(parameters, TABLE, DOUBLED, census.doubled()[range]);
      wrong += Math.abs(lost) + census.doubled()[range];
    }
    long lost = loaded - census.rows()[BenchTable.LOADED];
    long doubled = census.doubled()[BenchTable.LOADED];
    add(Map.of(SET, set.label(), WAY, "loaded"), TABLE, LOST, lost);
    add(Map.of(SET, set.label(), WAY, "loaded"), TABLE, DOUBLED, doubled);
    return wrong + Math.abs(lost) + doubled;
  }
}
