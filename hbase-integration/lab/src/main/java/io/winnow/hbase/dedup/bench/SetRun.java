package io.winnow.hbase.dedup.bench;

import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeMix;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.contest.Case;
import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.dedup.DedupOptions;
import io.winnow.hbase.dedup.Deduplicator;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Connection;

/**
 * Measures all ways of writing rows once, on a table of one size: first with a usual share of
 * repeated rows, then with other shares.
 */
final class SetRun {
  static final String BENCHMARK = "dedup";
  static final String TABLE = "table";
  static final String SET = "set";
  static final String WAY = "way";
  static final String REPEATS = "repeats";

  static final String FITS = "fits the memory";
  static final String TEN_TIMES = "ten times the memory";

  /** The share of repeated rows in a turn for which the de-duplication benchmark has targets. */
  static final double USUAL = 0.1;

  private static final List<Double> SWEEP = List.of(0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99);

  /** Ways that store each row once, whichever rows are repeated. */
  private static final List<Way> SAFE =
      List.of(Way.CHECK_AND_MUTATE, Way.GET_THEN_PUT, Way.DEDUPLICATOR);

  /**
   * Number of newest rounds before the measured ones that are compared with as many before them, to
   * find out whether the JIT has compiled the code of HBase and Winnow.
   */
  private static final int COMPARED = 5;

  private static final int MAX_WARM_UPS = 20;

  /**
   * Approximate number of rows per second that are loaded into the de-duplication benchmark's
   * table.
   */
  private static final double LOADED_PER_SECOND = 40_000;

  private final DedupBench options;
  private final String label;

  /** Number of rows that are loaded into the de-duplication benchmark's table at the start. */
  private final long loaded;

  private final Random random = new Random(13);
  private final long[] next = new long[Way.values().length];
  private StandaloneHBase hbase;
  private Connection connection;
  private Contest contest;
  private Deduplicator deduplicator;

  private SetRun(DedupBench options, String label, long rows) {
    this.options = options;
    this.label = label;
    this.loaded = Math.max(options.batch, rows);
  }

  /**
   * Returns a run with a table whose keys fit the memory of the de-duplicator's filter, with room
   * for the rows of the turns, and one with a table that has ten times as many as fit.
   */
  static List<SetRun> all(DedupBench options, Path scratch) throws IOException {
    Path directory = scratch.resolve("size");
    long entries;
    try (CascadeFilter filter = CascadeFilter.open(directory, filter(options))) {
      entries = filter.statistics().get(CascadeCount.MEMORY_CAPACITY);
    } finally {
      ScratchDirectory.delete(directory);
    }
    return List.of(
        new SetRun(options, FITS, entries / 5), new SetRun(options, TEN_TIMES, 10 * entries));
  }

  private static CascadeOptions filter(DedupBench options) {
    return CascadeOptions.defaults()
        .memoryBudget(options.memory)
        .expectedMaximum(100_000_000)
        .rate(0.0004)
        .fanOutFor(CascadeMix.of(1));
  }

  /** Returns the expected seconds of the run. */
  double seconds() {
    int warmUps = Math.min(maxWarmUps(), Contest.expectedRounds(COMPARED));
    Case<Way> usual = writes(List.of(Way.values()), USUAL, options.rows);
    Case<Way> other = writes(SAFE, 0, options.rows / 2);
    return loaded / LOADED_PER_SECOND
        + seconds(usual, warmUps + options.rounds)
        + SWEEP.size() * seconds(other, options.sweepRounds);
  }

  private static double seconds(Case<Way> one, int rounds) {
    return one.contenders().size() * rounds * one.weight();
  }

  private int maxWarmUps() {
    return options.quick ? 1 : MAX_WARM_UPS;
  }

  /**
   * Measures all ways of writing rows once, on a new table. Returns the number of rows that were
   * lost or doubled.
   *
   * @param directory the directory of the de-duplicator's filter
   */
  long run(StandaloneHBase server, Connection client, Contest on, Path directory)
      throws IOException, InterruptedException {
    hbase = server;
    connection = client;
    contest = on;
    long start = System.nanoTime();
    Progress progress = contest.progress();
    BenchTable.load(
        connection,
        loaded,
        put -> progress.part(put / LOADED_PER_SECOND, label + ": rows are loaded"));
    progress.step(
        0,
        label,
        String.format(Locale.ROOT, "%,d rows loaded in %.0f s", loaded, secondsSince(start)));
    DedupOptions dedup =
        DedupOptions.of(BenchTable.NAME, BenchTable.FAMILY, BenchTable.QUALIFIER)
            .filter(filter(options));
    start = System.nanoTime();
    try (Deduplicator open = Deduplicator.open(connection, directory, dedup)) {
      deduplicator = open;
      add(TABLE, Map.of(), "rows loaded", loaded);
      add(TABLE, Map.of(), "rows/s filled", loaded / secondsSince(start));
      Case<Way> usual = writes(List.of(Way.values()), USUAL, options.rows);
      contest.warmUp(usual, COMPARED, maxWarmUps());
      contest.run(usual, options.rounds);
      for (double repeats : SWEEP) {
        contest.run(writes(SAFE, repeats, options.rows / 2), options.sweepRounds);
      }
      describe(open.statistics().filter());
    }
    return count();
  }

  /** Returns ways of writing rows, with one share of repeated rows. */
  private Case<Way> writes(List<Way> ways, double repeats, int rows) {
    return new Case.Plain<>(
        String.format(Locale.ROOT, "%s, %.0f %% repeats", label, 100 * repeats),
        Map.of(SET, label, REPEATS, String.valueOf(repeats)),
        ways,
        rows / 10_000.0,
        (way, round) -> write(way, repeats, rows, round >= 0));
  }

  private Case.Taken write(Way way, double repeats, int rows, boolean counts)
      throws IOException, InterruptedException {
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
          "%s stored %d rows of a turn with %d new ones".formatted(way.id(), stored, turn.fresh()));
    }
    if (counts) {
      Map<String, String> its = Map.of(WAY, way.id(), REPEATS, String.valueOf(repeats));
      add(BENCHMARK, its, "rows/s", rows / seconds);
      add(BENCHMARK, its, "calls per 1000 rows", 1000.0 * (Calls.made() - calls) / rows);
      add(BENCHMARK, its, "server CPU, us per row", used.toNanos() / 1000.0 / rows);
    }
    return new Case.Taken(
        seconds / rows, String.format(Locale.ROOT, "%,.0f rows/s", rows / seconds));
  }

  private void add(String benchmark, Map<String, String> parameters, String metric, double value) {
    Map<String, String> at = new TreeMap<>(parameters);
    at.put(SET, label);
    contest.results().add(benchmark, at, metric, value);
  }

  private Duration cpu() {
    return hbase.process().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  private static double secondsSince(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private void describe(CascadeStatistics filter) {
    long keys = filter.get(CascadeCount.MEMORY_ENTRIES) + filter.get(CascadeCount.FROZEN_ENTRIES);
    add(TABLE, Map.of(), "keys in the filter", keys + filter.get(CascadeCount.FLASH_ENTRIES));
    add(TABLE, Map.of(), "keys that its memory holds", filter.get(CascadeCount.MEMORY_CAPACITY));
    add(TABLE, Map.of(), "levels on flash", filter.levels().size());
    add(TABLE, Map.of(), "pages read per lookup", filter.readsPerLookup());
  }

  /**
   * Counts the rows that each way of writing has written to the table, each of which must be there
   * once. Returns the number of wrong ones.
   */
  private long count() throws IOException {
    BenchTable.Census census = BenchTable.census(connection);
    long wrong = 0;
    for (Way way : SAFE) {
      wrong += count(census, way.id(), way.ordinal() + 1, next[way.ordinal()]);
    }
    return wrong + count(census, "loaded", BenchTable.LOADED, loaded);
  }

  private long count(BenchTable.Census census, String way, int range, long written) {
    long lost = written - census.rows()[range];
    long doubled = census.doubled()[range];
    add(TABLE, Map.of(WAY, way), "rows lost", lost);
    add(TABLE, Map.of(WAY, way), "rows doubled", doubled);
    return Math.abs(lost) + doubled;
  }
}
