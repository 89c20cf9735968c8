package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;

/**
 * The default run of {@code ./winnow ycsb}: makes tables with the same rows and different filters,
 * compacts some, and measures reads of the tables in turns.
 */
final class Comparison {
  // Names of benchmarks in the results.
  static final String READS = "reads";
  static final String FILTERS = "filters";
  static final String COMPACTION = "compaction";
  static final String RUN = "run";

  // Names of benchmarks that read through an off-heap BucketCache.
  static final String BUCKET_READS = "bucketReads";
  static final String BUCKET_RUN = "bucketRun";

  /**
   * Sizes of stock Bloom filters, as shares of the block cache, for which a sweep measures reads:
   * from a tight cache to an ample one.
   */
  private static final double[] SWEEP = {2, 1.2, 0.8, 0.6, 0.4, 0.25, 0.12};

  /** Maximum number of rows in the tables that are compacted repeatedly. */
  private static final long COMPACTED_ROWS = 500_000;

  /**
   * Maximum number of measured compactions of one table. Each takes a second or two, and they
   * differ by a tenth.
   */
  private static final int MAX_COMPACTIONS = 12;

  /** Number of store files of a table before its first measured compaction. */
  private static final int COMPACTED_FILES = 4;

  /**
   * Number of bytes that a cached block takes besides its data: HBase's objects around it, its
   * header and its checksums.
   */
  private static final long BLOCK_OVERHEAD = 700;

  /** Size of all index levels above the leaves, as a share of the leaves' size. */
  private static final double HIGHER_LEVELS = 0.01;

  /**
   * Size of the on-heap cache before a BucketCache, as a multiple of the stock Bloom filters and
   * index blocks that it holds: it needs spare room because LRU evicts before it is full.
   */
  private static final double FIRST_LEVEL_ROOM = 1.3;

  /**
   * Maximum number of rounds with a BucketCache until the interval of the measured ratio is narrow,
   * because throughput differs little there.
   */
  static final int MAX_BUCKET_ROUNDS = 36;

  private static final List<TableFilter> KINDS = List.of(TableFilter.values());

  private final Ycsb options;
  private final Deployment deployment;
  private final Results results;
  private final Progress progress;
  private final Workbench bench;
  private final BlockSizes blocks;

  /** Tables of all kinds of filters with the same rows, and the workloads that read them. */
  private record TableSet(int keyLength, int files, double rewritten, List<Profile> profiles) {
    String purpose() {
      return keyLength + "_" + files;
    }
  }

  /** The row keys of loaded tables, and sizes of the tables' filters by kind of filter. */
  private record Loaded(KeySpace keys, Map<TableFilter, TableFiles.Filters> filters) {
    long bloomBytes() {
      return filters.get(TableFilter.BLOOM).bytes();
    }

    long leafIndexBytes() {
      return filters.get(TableFilter.BLOOM).leafIndexBytes();
    }

    long hotRows(long cacheBytes, BlockSizes blocks) {
      return Comparison.hotRows(cacheBytes, bloomBytes(), leafIndexBytes(), keys, blocks);
    }
  }

  private Comparison(Workbench bench) {
    this.options = bench.options();
    this.deployment = bench.deployment();
    this.results = bench.results();
    this.progress = bench.progress();
    this.bench = bench;
    this.blocks = options.blocks;
  }

  /** Returns the approximate seconds that a run takes on a machine with two cores. */
  static double expectedSeconds(Ycsb options) throws IOException {
    double seconds = StandaloneDeployment.START_SECONDS;
    for (TableSet set : plan(options)) {
      seconds += Workbench.loadSeconds(options, set.keyLength()) * KINDS.size();
      int rounds = 0;
      for (Profile profile : set.profiles()) {
        rounds += rounds(options, profile);
      }
      if (hasBucketCache(options, set)) {
        rounds += options.otherRounds();
        seconds += restartSeconds(options);
      }
      double turns = rounds * KINDS.size() * Workbench.turnSeconds(options);
      seconds += options.sweep ? SWEEP.length * (turns + restartSeconds(options)) : turns;
    }
    return options.sweep ? seconds : seconds + restartSeconds(options) + compactionSeconds(options);
  }

  private static double restartSeconds(Ycsb options) {
    return Workbench.restartSeconds() + KINDS.size() * Workbench.firstTurnsSeconds(options);
  }

  private static double compactionSeconds(Ycsb options) {
    return KINDS.size() * (compactionRounds(options) + 2) * compactionTurnSeconds(options);
  }

  private static int compactionRounds(Ycsb options) {
    return Math.min(options.rounds, MAX_COMPACTIONS);
  }

  private static double compactionTurnSeconds(Ycsb options) {
    return 1 + Math.min(options.rows, COMPACTED_ROWS) / 400_000.0;
  }

  /** Returns the number of rounds of a workload: Lindorm's has more than the others. */
  private static int rounds(Ycsb options, Profile profile) {
    return profile.name().equals(Profile.LINDORM) && !options.sweep
        ? options.rounds
        : options.otherRounds();
  }

  /**
   * Returns the sets of tables that a run makes, one set for each key length and number of files.
   * Sets with the usual key length come first, because most profiles read them.
   */
  private static List<TableSet> plan(Ycsb options) throws IOException {
    List<TableSet> sets = new ArrayList<>();
    List<Integer> lengths = new ArrayList<>(List.of(options.usualKeyLength()));
    if (!options.sweep) {
      options.keyLengths.stream().filter(one -> one != lengths.get(0)).forEach(lengths::add);
    }
    for (int keyLength : lengths) {
      for (String name : wanted(options, keyLength == options.usualKeyLength())) {
        add(sets, keyLength, Profile.of(name), options.files);
      }
    }
    return sets;
  }

  private static List<String> wanted(Ycsb options, boolean isUsualLength) {
    if (!options.sweep && !options.profiles.isEmpty()) {
      // in the order of the run
      return Profile.ALL.stream().filter(options.profiles::contains).toList();
    }
    return options.sweep || !isUsualLength ? List.of(Profile.LINDORM) : Profile.NAMES;
  }

  /**
   * Adds a workload to the set of tables with the key length and the files that it needs, and makes
   * the set if there is none.
   */
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

  /**
   * Returns whether a set of tables is also read through an off-heap BucketCache: only the set of
   * Lindorm's workload is, and only in a run of all workloads.
   */
  private static boolean hasBucketCache(Ycsb options, TableSet set) {
    return !options.sweep
        && options.profiles.isEmpty()
        && set.keyLength() == options.usualKeyLength()
        && set.profiles().get(0).name().equals(Profile.LINDORM);
  }

  /** Runs the comparison of tables with different filters, and drops the tables that it made. */
  static void run(Workbench bench) throws IOException, InterruptedException {
    new Comparison(bench).run();
  }

  private void run() throws IOException, InterruptedException {
    boolean compacted = options.sweep;
    for (TableSet set : plan(options)) {
      Loaded loaded = load(set);
      if (!compacted) {
        compactions(set.keyLength());
        compacted = true;
      }
      if (options.sweep) {
        sweep(set, loaded);
      } else {
        if (hasBucketCache(options, set)) {
          bucketCache(set, loaded);
        }
        for (Profile profile : set.profiles()) {
          bench.setCache(ServerCache.onHeap(options.cache.bytesFor(loaded.bloomBytes())));
          long hot =
              Math.round(loaded.hotRows(bench.cache().heapBytes(), blocks) * profile.hotSets());
          turns(set, profile, loaded, Math.min(Math.max(1, hot), loaded.keys().rows()), Map.of());
        }
      }
      for (TableFilter kind : KINDS) {
        bench.drop(RunTables.name(set.purpose(), kind));
      }
    }
  }

  /** Measures reads of the same hot rows with block caches of many sizes. */
  private void sweep(TableSet set, Loaded loaded) throws IOException, InterruptedException {
    long hotRows = loaded.hotRows(options.cache.bytesFor(loaded.bloomBytes()), blocks);
    for (double share : SWEEP) {
      long bytes = CacheSize.ofShare(share).bytesFor(loaded.bloomBytes());
      bench.setCache(ServerCache.onHeap(bytes));
      turns(set, set.profiles().get(0), loaded, hotRows, Map.of("cacheBytes", "" + bytes));
    }
  }

  /**
   * Measures Lindorm's workload with an off-heap BucketCache that has the same total size as the
   * usual cache. Filters and indexes are in the first level, which has room for all of them.
   */
  private void bucketCache(TableSet set, Loaded loaded) throws IOException, InterruptedException {
    long all = options.cache.bytesFor(loaded.bloomBytes());
    long hotRows = loaded.hotRows(all, blocks);
    bench.setCache(bucketCache(all, loaded.bloomBytes(), loaded.leafIndexBytes(), hotRows, blocks));
    turns(set, set.profiles().get(0), loaded, hotRows, Map.of());
  }

  /**
   * Returns a block cache of a given total size whose BucketCache has the room that stock filters
   * and the index leave.
   */
  static ServerCache bucketCache(
      long all, long bloomBytes, long leafIndexBytes, long hotRows, BlockSizes blocks) {
    long index = Math.min(leafIndexBytes, hotRows * (blocks.index() + BLOCK_OVERHEAD));
    return new ServerCache(
        Math.round(FIRST_LEVEL_ROOM * (bloomBytes + index)),
        Math.max(1 << 20, all - bloomBytes - index),
        blocks.data());
  }

  /**
   * Returns the number of hot rows whose blocks fill the block cache together with stock Bloom
   * filters. Hot rows lie anywhere in the table, so each has a data block of its own and shares its
   * leaf of the block index with few others. All share the index's higher levels.
   */
  static long hotRows(
      long cacheBytes, long bloomBytes, long leafIndexBytes, KeySpace keys, BlockSizes blocks) {
    double perRow = blocks.dataOf(keys.keyLength()) + BLOCK_OVERHEAD;
    double perLeaf = blocks.index() + BLOCK_OVERHEAD;
    double leaves = Math.ceil((double) leafIndexBytes / blocks.index());
    double shared = bloomBytes + HIGHER_LEVELS * leafIndexBytes;
    long hot = 1;
    while (hot < keys.rows()) {
      double touched = leaves == 0 ? 0 : leaves * (1 - Math.pow(1 - 1 / leaves, hot + 1));
      if (shared + (hot + 1) * perRow + touched * perLeaf > cacheBytes) {
        break;
      }
      hot++;
    }
    return hot;
  }

  // ==== loading

  private Loaded load(TableSet set) throws IOException, InterruptedException {
    KeySpace keys = KeySpace.of(set.keyLength(), options.rows);
    Map<TableFilter, TableFiles.Filters> filters = new EnumMap<>(TableFilter.class);
    TableFiles files =
        TableFiles.of(
            deployment.connection().getConfiguration(),
            keys,
            LoadPlan.of(set.files(), set.rewritten()),
            deployment.servers().size(),
            blocks);
    for (TableFilter kind : KINDS) {
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
      TableName table = RunTables.name(set.purpose(), kind);
      bench.create(table, kind, keys.keyLength(), files.splits(), written);
      progress.step(
          Workbench.loadSeconds(options, set.keyLength()),
          "%,d rows of %d-byte keys, %s".formatted(keys.rows(), set.keyLength(), kind.id()),
          "%d files, %,d MB, filters %,d bytes"
              .formatted(written.size(), sum.fileBytes() >> 20, sum.bytes()));
    }
    return new Loaded(keys, filters);
  }

  private List<Path> write(TableFiles files, String purpose, TableFilter kind)
      throws IOException, InterruptedException {
    return bench.write(files.writers(bench.staging(purpose), kind, bench.rowsWritten(kind)));
  }

  // ==== compaction

  /**
   * Measures repeated compactions of tables of moderate size that are made only for this
   * measurement. After the first compaction, one loaded file of a few rows makes HBase compact such
   * a table again and rewrite all of it.
   */
  private void compactions(int keyLength) throws IOException, InterruptedException {
    String purpose = "compaction";
    Configuration conf = deployment.connection().getConfiguration();
    LoadPlan plan = LoadPlan.of(COMPACTED_FILES, 0);
    KeySpace keys = KeySpace.of(keyLength, Math.min(options.rows, COMPACTED_ROWS));
    int regions = deployment.servers().size();
    TableFiles files = TableFiles.of(conf, keys, plan, regions, blocks);
    for (TableFilter kind : KINDS) {
      TableName table = RunTables.name(purpose, kind);
      bench.create(table, kind, keys.keyLength(), files.splits(), write(files, purpose, kind));
    }
    double weight = compactionTurnSeconds(options);
    for (int round = -2; round < compactionRounds(options); round++) {
      for (TableFilter kind : Orders.of(KINDS, round)) {
        TableName table = RunTables.name(purpose, kind);
        if (round > -2) {
          // Writes the same rows again; a compaction keeps one of each.
          RunTables.touch(deployment, table, files.firstRows());
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
    for (TableFilter kind : KINDS) {
      bench.drop(RunTables.name(purpose, kind));
    }
  }

  // ==== reading

  private void turns(
      TableSet set, Profile profile, Loaded loaded, long hotRows, Map<String, String> more)
      throws IOException, InterruptedException {
    Map<String, String> at =
        new TreeMap<>(
            Map.of("profile", profile.name(), "keyLength", Integer.toString(set.keyLength())));
    at.putAll(more);
    boolean bucket = bench.cache().bucketBytes() > 0;
    String run = bucket ? BUCKET_RUN : RUN;
    results.add(run, at, "cacheBytes", bench.cache().heapBytes());
    results.add(run, at, "bucketCacheBytes", bench.cache().bucketBytes());
    results.add(run, at, "hotRows", hotRows);
    results.add(run, at, "rows", loaded.keys().rows());
    results.add(run, at, "files", set.files());
    results.add(run, at, "blockBytes", blocks.dataOf(set.keyLength()));
    results.add(run, at, "indexBlockBytes", blocks.index());
    bench.turns(
        new Workbench.Contest<>(
            KINDS,
            kind -> RunTables.name(set.purpose(), kind),
            profile,
            loaded.keys(),
            set.files(),
            bucket ? options.otherRounds() : rounds(options, profile),
            bucket ? MAX_BUCKET_ROUNDS : 0,
            Map.of(ReadWorkload.HOT_ROWS, Double.toString((double) hotRows / loaded.keys().rows())),
            bucket ? BUCKET_READS : READS,
            at,
            kind -> null),
        (kind, its, outcome) -> {
          if (profile.showsFalsePositives()) {
            double inFile = 1 - profile.absent();
            double queried = outcome.filesQueriedPerRow();
            double skipped = (double) outcome.counted().filterNegatives() / outcome.rows();
            results.add(
                READS, its, "falsePositiveRate", (queried - skipped - inFile) / (queried - inFile));
          }
        });
  }

  private Map<String, String> at(TableSet set, TableFilter kind) {
    return new TreeMap<>(
        Map.of(
            "keyLength",
            Integer.toString(set.keyLength()),
            "files",
            Integer.toString(set.files()),
            "filter",
            kind.id()));
  }
}
