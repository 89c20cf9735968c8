package io.winnow.hbase.quickstart;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.storefile.StoreFileFilter;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.IntFunction;

/**
 * Fills the tables, compacts them, and measures.
 *
 * <p>The false-positive rate is counted: the filter of the compacted store file, opened by HBase's
 * own classes, is asked for up to a million absent keys. The rates of gets are medians of rounds in
 * which the tables take turns, their ratios are taken round by round; with few rows nothing is
 * timed.
 */
final class QuickstartRun {
  private static final List<QuickstartTables.Kind> KINDS = QuickstartTables.KINDS;

  private static final int HITS_PER_ROUND = 20_000;
  private static final int MISSES_PER_ROUND = 50_000;
  private static final int ABSENT_KEYS = 1_000_000;
  private static final int FEWEST_ABSENT_KEYS = 100_000;

  /** Rows that are read back at once, and questions of which the progress is told at once. */
  private static final int SLICE = 100_000;

  private static final int STEP = 1_000;

  /** The order in which the tables take turns: each of these twice, one order per round. */
  private static final int[][] ORDERS = {
    {0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}, {1, 0, 2}
  };

  private static final int ROUNDS = 2 * ORDERS.length;

  /** With fewer, a turn is too short to be timed. */
  private static final int TIMED_ROWS = 10_000;

  private final QuickstartTables tables;
  private final RowKeys keys;
  private final PrintStream progress;

  QuickstartRun(QuickstartTables tables, RowKeys keys, PrintStream progress) {
    this.tables = tables;
    this.keys = keys;
    this.progress = progress;
  }

  /** Does it all. */
  Report measure(String command) throws IOException, InterruptedException, ExecutionException {
    long begin = System.nanoTime();
    tables.load();
    tables.compact();
    byte[][] misses =
        keys.misses((int) Math.min(ABSENT_KEYS, Math.max(FEWEST_ABSENT_KEYS, 10L * keys.size())));

    int rounds = keys.size() < TIMED_ROWS ? 0 : ROUNDS;
    double[][] hitRates = new double[KINDS.size()][rounds];
    double[][] missRates = new double[KINDS.size()][rounds];
    int hits = Math.min(HITS_PER_ROUND, keys.size());
    int absent = (int) Math.min(Math.min(MISSES_PER_ROUND, 3L * keys.size()), misses.length);
    long total = (rounds + 1L) * KINDS.size() * (hits + absent);
    try (Progress step = Progress.counting(progress, "Reading hits and misses", "gets", total)) {
      // Round -1 warms up.
      for (int round = -1; round < rounds; round++) {
        int first = Math.floorMod(round, ROUNDS);
        for (int kind : ORDERS[first % ORDERS.length]) {
          double hitRate =
              getsPerSecond(kind, round(hits, first, keys.size(), keys::hit), true, step);
          double missRate =
              getsPerSecond(kind, round(absent, first, misses.length, i -> misses[i]), false, step);
          if (round >= 0) {
            hitRates[kind][round] = hitRate;
            missRates[kind][round] = missRate;
          }
        }
      }
    }

    long[] lost = new long[KINDS.size()];
    try (Progress step =
        Progress.counting(
            progress, "Reading every row back", "rows", (long) keys.size() * KINDS.size())) {
      for (int kind = 0; kind < KINDS.size(); kind++) {
        lost[kind] = rowsLost(kind, step);
      }
    }

    List<Report.Measured> measured = new ArrayList<>();
    try (Progress step =
        Progress.counting(
            progress,
            "Asking the store files' filters for absent keys",
            "keys",
            (long) misses.length * KINDS.size())) {
      for (int kind = 0; kind < KINDS.size(); kind++) {
        try (StoreFileFilter filter = tables.filter(KINDS.get(kind))) {
          long falsePositives = 0;
          for (int i = 0; i < misses.length; i++) {
            falsePositives += filter.mightContain(misses[i]) ? 1 : 0;
            if ((i + 1) % STEP == 0) {
              step.add(STEP);
            }
          }
          measured.add(
              new Report.Measured(
                  KINDS.get(kind).name(),
                  filter.sizeInBytes(),
                  filter.chunks(),
                  8.0 * filter.sizeInBytes() / keys.size(),
                  misses.length == 0 ? null : (double) falsePositives / misses.length,
                  median(hitRates[kind]),
                  misses.length == 0 ? null : median(missRates[kind]),
                  lost[kind],
                  ratio(kind, hitRates),
                  misses.length == 0 ? null : ratio(kind, missRates)));
        }
      }
    }
    Results.Setting setting =
        Machine.setting(System.getProperty("winnow.commit", "unknown"), command);
    long seconds = Math.round((System.nanoTime() - begin) / 1e9);
    return new Report(
        new Results(setting).lasting(seconds).setting(),
        keys.size(),
        rounds,
        misses.length,
        measured);
  }

  /** The keys of one round: as many as asked, from another place in each round, around the end. */
  private static List<byte[]> round(int count, int round, int size, IntFunction<byte[]> key) {
    List<byte[]> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(key.apply((int) (((long) round * count + i) % size)));
    }
    return rows;
  }

  private double getsPerSecond(int kind, List<byte[]> rows, boolean present, Progress step)
      throws InterruptedException, ExecutionException {
    long start = System.nanoTime();
    long found = tables.gets(kind, rows, step);
    if (!present && found != 0) {
      throw new IllegalStateException("a key that was never written has a row");
    }
    return rows.size() / ((System.nanoTime() - start) / 1e9);
  }

  private long rowsLost(int kind, Progress step) throws InterruptedException, ExecutionException {
    long found = 0;
    for (int from = 0; from < keys.size(); from += SLICE) {
      List<byte[]> rows = new ArrayList<>(SLICE);
      for (int i = from; i < Math.min(from + SLICE, keys.size()); i++) {
        rows.add(keys.hit(i));
      }
      found += tables.gets(kind, rows, step);
    }
    return keys.size() - found;
  }

  private static Double median(double[] values) {
    return values.length == 0 ? null : Double.valueOf(Math.rint(Results.median(values)));
  }

  /** Over the first kind, round by round. */
  private static PairedRatio ratio(int kind, double[][] rates) {
    return kind == 0 || rates[kind].length == 0 ? null : PairedRatio.of(rates[kind], rates[0]);
  }
}
