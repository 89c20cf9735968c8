package io.winnow.ycsb;

import io.winnow.hbase.report.Progress;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;

/**
 * A whole run: tables of each kind with the same rows; major compactions; and, with the block cache
 * that was asked for, the profiles, the tables taking turns.
 */
final class Comparison {
  // The results' cases.
  static final String READS = "reads";
  static final String FILTERS = "filters";
  static final String COMPACTION = "compaction";
  static final String RUN = "run";

  /**
   * Shares of the cache that stock Bloom filters take in a sweep: from a tight cache to an ample.
   */
  private static final double[] SWEEP = {2, 1.2, 0.8, 0.6, 0.4, 0.25, 0.12};

  /** Rows that are compacted, over and over again. */
  private static final long COMPACTED_ROWS = 1_000_000;

  /** Files of a table before its compaction. */
  private static final int COMPACTED_FILES = 4;

  /** A block in the cache: its bytes, those of the row that it ends with, and HBase's objects. */
  private static final long CACHED_BLOCK_BYTES = (64 << 10) + 600;

  /** HBase's default for the blocks that an index is made of. */
  private static final long INDEX_BLOCK_BYTES = 128 << 10;

  private static final List<FilterKind> KINDS = List.of(FilterKind.values());

  private final YcsbOptions options;
  private final Deployment deployment;
  private final Results results;
  private final Progress progress;
  private final Workbench bench;

  /** Tables of all kinds with the same rows, and what is read from them. */
  private record TableSet(int keyLength, int files, double rewritten, List<Profile> profiles) {
    String purpose() {
      return keyLength + "_" + files;
    }
  }

  /** Tables as they were loaded. */
  private record Loaded(KeySpace keys, Map<FilterKind, TableFiles.Filters> filters) {
    long bloomBytes() {
      return filters.get(FilterKind.BLOOM).bytes();
    }

    long hotRows(long cacheBytes) {
      return Comparison.hotRows(
          cacheBytes, bloomBytes(), filters.get(FilterKind.BLOOM).leafIndexBytes(), keys.rows());
    }
  }

  private Comparison(
      YcsbOptions options,
      Deployment deployment,
      Results results,
      Progress progress,
      Workbench bench) {
    this.options = options;
    this.deployment = deployment;
    this.results = results;
    this.progress = progress;
    this.bench = bench;
  }

  /** About how many seconds a run takes on two cores. */
  static double expectedSeconds(YcsbOptions options) throws IOException {
    double seconds = 0;
    for (TableSet set : plan(options)) {
      seconds += Workbench.loadSeconds(options) * FilterKind.values().length;
      double turns =
          set.profiles().size()
              * options.rounds()
              * FilterKind.values().length
              * Workbench.turnSeconds(options);
      seconds += options.sweep() ? SWEEP.length * (turns + Workbench.restartSeconds()) : turns;
    }
    seconds += options.sweep() ? 0 : Workbench.restartSeconds() + compactionSeconds(options);
    return seconds + FilterKind.values().length * Workbench.firstWarmUpSeconds(options);
  }

  private static double compactionSeconds(YcsbOptions options) {
    double rows = Math.min(options.rows(), COMPACTED_ROWS);
    return FilterKind.values().length * (options.rounds() + 2) * (1 + rows / 250_000);
  }

  private static List<TableSet> plan(YcsbOptions options) throws IOException {
    List<TableSet> sets = new ArrayList<>();
    List<String> names = options.profiles();
    for (int keyLength :
        options.sweep() ? List.of(options.usualKeyLength()) : options.keyLengths()) {
      for (String name : Profile.NAMES) {
        boolean wanted =
            options.sweep()
                ? name.equals(Profile.LINDORM)
                : names.isEmpty()
                    ? name.equals(Profile.LINDORM) || keyLength == options.usualKeyLength()
                    : names.contains(name);
        if (wanted) {
          add(sets, keyLength, Profile.of(name), options.files());
        }
      }
    }
    return sets;
  }

  /** Profiles whose tables are loaded in the same way share them. */
  private static void add(List<TableSet> sets, int keyLength, Profile profile, int files) {
    for (TableSet set : sets) {
      if (set.keyLength() == keyLength
          && set.files() == profile.files(files)
          && set.rewritten() == profile.rewritten()) {
        set.profiles().add(profile);
        return;
      }
    }
    sets.add(
        new TableSet(
            keyLength,
            profile.files(files),
            profile.rewritten(),
            new ArrayList<>(List.of(profile))));
  }

  /** Runs it, and drops the tables that it made. */
  static void run(
      YcsbOptions options,
      Deployment deployment,
      Results results,
      Progress progress,
      PrintStream out)
      throws IOException, InterruptedException {
    try (Workbench bench = Workbench.open(options, deployment, results, progress, out)) {
      new Comparison(options, deployment, results, progress, bench).run();
    }
  }

  private void run() throws IOException, InterruptedException {
    boolean compacted = options.sweep();
    for (TableSet set : plan(options)) {
      Loaded loaded = load(set);
      if (!compacted) {
        compactions(set.keyLength());
        compacted = true;
      }
      if (options.sweep()) {
        long hotRows = loaded.hotRows(options.cache().bytesFor(loaded.bloomBytes()));
        for (double share : SWEEP) {
          bench.setCache(CacheSize.ofShare(share).bytesFor(loaded.bloomBytes()));
          turns(set, set.profiles().get(0), loaded, hotRows);
        }
      } else {
        // One size for all: by the filters of the tables that come first, Lindorm's if it is run.
        if (bench.cacheBytes() == 0) {
          bench.setCache(options.cache().bytesFor(loaded.bloomBytes()));
        }
        for (Profile profile : set.profiles()) {
          turns(set, profile, loaded, loaded.hotRows(bench.cacheBytes()));
        }
      }
      for (FilterKind kind : FilterKind.values()) {
        bench.drop(Tables.name(set.purpose(), kind));
      }
    }
  }

  /**
   * How many rows, anywhere in the table, fill the cache together with stock Bloom filters: each
   * has a data block to itself, and what it needs of the block index it shares with few others.
   */
  static long hotRows(long cacheBytes, long bloomBytes, long leafIndexBytes, long rows) {
    double leaves = Math.ceil((double) leafIndexBytes / INDEX_BLOCK_BYTES);
    long hot = 1;
    while (hot < rows) {
      double touched = leaves == 0 ? 0 : leaves * (1 - Math.pow(1 - 1 / leaves, hot + 1));
      if (bloomBytes + (hot + 1) * CACHED_BLOCK_BYTES + touched * INDEX_BLOCK_BYTES > cacheBytes) {
        break;
      }
      hot++;
    }
    return hot;
  }

  // ==== loading

  private Loaded load(TableSet set) throws IOException, InterruptedException {
    KeySpace keys = KeySpace.of(set.keyLength(), options.rows());
    Map<FilterKind, TableFiles.Filters> filters = new EnumMap<>(FilterKind.class);
    TableFiles files =
        TableFiles.of(
            deployment.connection().getConfiguration(),
            keys,
            LoadPlan.of(set.files(), set.rewritten()),
            deployment.servers().size());
    for (FilterKind kind : FilterKind.values()) {
      List<Path> written = write(files, set.purpose(), kind);
      Configuration conf = deployment.connection().getConfiguration();
      filters.put(kind, TableFiles.filters(conf, written));
      Map<String, String> at = at(set, kind);
      TableFiles.Filters sum = filters.get(kind);
      results.add(FILTERS, at, "bytes", sum.bytes());
      results.add(FILTERS, at, "keys", sum.keys());
      results.add(FILTERS, at, "maxKeys", sum.maxKeys());
      results.add(FILTERS, at, "chunks", sum.chunks());
      results.add(FILTERS, at, "leafIndexBytes", sum.leafIndexBytes());
      results.add(FILTERS, at, "fileBytes", sum.fileBytes());
      results.add(
          FILTERS, at, "falsePositiveRate", TableFiles.falsePositiveRate(conf, keys, written));
      TableName table = Tables.name(set.purpose(), kind);
      bench.create(table, kind, files.splits(), written);
      progress.step(
          Workbench.loadSeconds(options),
          "%,d rows of %d-byte keys, %s".formatted(keys.rows(), set.keyLength(), kind.id()),
          "%d files, %,d MB, filters %,d bytes"
              .formatted(written.size(), sum.fileBytes() >> 20, sum.bytes()));
    }
    return new Loaded(keys, filters);
  }

  private List<Path> write(TableFiles files, String purpose, FilterKind kind)
      throws IOException, InterruptedException {
    return bench.write(files.writers(bench.staging(purpose), kind, bench.rowsWritten(kind)));
  }

  // ==== compaction

  /**
   * Tables of their own, of moderate size. Loading one file of a few rows makes a table that was
   * compacted one to be compacted again, and all of it is rewritten.
   */
  private void compactions(int keyLength) throws IOException, InterruptedException {
    String purpose = "compaction";
    Configuration conf = deployment.connection().getConfiguration();
    LoadPlan plan = LoadPlan.of(COMPACTED_FILES, 0);
    KeySpace keys = KeySpace.of(keyLength, Math.min(options.rows(), COMPACTED_ROWS));
    int regions = deployment.servers().size();
    TableFiles files = TableFiles.of(conf, keys, plan, regions);
    for (FilterKind kind : FilterKind.values()) {
      TableName table = Tables.name(purpose, kind);
      bench.create(table, kind, files.splits(), write(files, purpose, kind));
    }
    double weight =
        compactionSeconds(options) / FilterKind.values().length / (options.rounds() + 1);
    for (int round = -1; round < options.rounds(); round++) {
      for (FilterKind kind : Workbench.order(KINDS, round)) {
        TableName table = Tables.name(purpose, kind);
        if (round >= 0) {
          // The same rows once more, of which a compaction keeps one of each.
          Tables.touch(deployment, table, files.firstRows());
        }
        Compaction compaction = Compaction.run(deployment, table);
        if (round >= 0) {
          Map<String, String> at =
              Map.of("filter", kind.id(), "keyLength", Integer.toString(keyLength));
          results.add(COMPACTION, at, "rows", keys.rows());
          results.add(COMPACTION, at, "wallSeconds", compaction.wallNanos() / 1e9);
          results.add(COMPACTION, at, "cpuSeconds", compaction.cpuNanos() / 1e9);
        }
        progress.step(
            weight,
            "major compaction, " + kind.id(),
            "%.2f s, CPU %.2f s%s"
                .formatted(
                    compaction.wallNanos() / 1e9,
                    compaction.cpuNanos() / 1e9,
                    round < 0 ? ", not counted" : ""));
      }
    }
    for (FilterKind kind : FilterKind.values()) {
      bench.drop(Tables.name(purpose, kind));
    }
  }

  // ==== reading

  private void turns(TableSet set, Profile profile, Loaded loaded, long hotRows)
      throws IOException, InterruptedException {
    Map<String, String> at = at(set, profile);
    results.add(RUN, at, "cacheBytes", bench.cacheBytes());
    results.add(RUN, at, "hotRows", hotRows);
    results.add(RUN, at, "rows", loaded.keys().rows());
    results.add(RUN, at, "files", set.files());
    bench.turns(
        new Workbench.Contest<>(
            KINDS,
            kind -> Tables.name(set.purpose(), kind),
            profile,
            loaded.keys(),
            set.files(),
            Map.of(ReadWorkload.HOT_ROWS, Double.toString((double) hotRows / loaded.keys().rows())),
            READS,
            at),
        (kind, its, outcome, rows) -> {
          if (profile.showsFalsePositives()) {
            double inFile = 1 - profile.absent();
            ServerCounters counted = outcome.counted();
            results.add(
                READS,
                its,
                "falsePositiveRate",
                ((counted.filterRequests() - counted.filterNegatives()) / rows - inFile)
                    / (counted.filterRequests() / rows - inFile));
          }
        });
  }

  private Map<String, String> at(TableSet set, FilterKind kind) {
    return new TreeMap<>(
        Map.of(
            "keyLength",
            Integer.toString(set.keyLength()),
            "files",
            Integer.toString(set.files()),
            "filter",
            kind.id()));
  }

  private Map<String, String> at(TableSet set, Profile profile) {
    Map<String, String> at =
        new TreeMap<>(
            Map.of("profile", profile.name(), "keyLength", Integer.toString(set.keyLength())));
    if (options.sweep()) {
      at.put("cacheBytes", Long.toString(bench.cacheBytes()));
    }
    return at;
  }
}
