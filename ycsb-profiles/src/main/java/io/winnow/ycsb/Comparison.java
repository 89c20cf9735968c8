package io.winnow.ycsb;

import io.winnow.hbase.report.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Table;
import io.winnow.hbase.storefile.StoreFileFilter;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;

/**
 * A whole run: tables of each kind with the same rows; major compactions; and, with the block cache
 * that was asked for, the profiles, the tables taking turns.
 *
 * <p>All tables live in the same servers and share their block caches. So before a turn the blocks
 * of all our tables are taken out of the caches, and the table whose turn it is warms them for
 * itself: each is measured with the whole cache to itself, after the same warm-up.
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

  /** Absent keys that the filters in the files are asked for. */
  private static final int ABSENT_PROBES = 200_000;

  /** The first turn of each kind is so much longer, and not measured: code is compiled in it. */
  private static final double FIRST_WARM_UP_TURNS = 2;

  /** A block in the cache: its bytes, those of the row that it ends with, and HBase's objects. */
  private static final long CACHED_BLOCK_BYTES = (64 << 10) + 600;

  /** HBase's default for the blocks that an index is made of. */
  private static final long INDEX_BLOCK_BYTES = 128 << 10;

  /** Who begins, and who comes next: each kind has each place equally often. */
  private static final List<List<FilterKind>> ORDERS =
      List.of(
          List.of(FilterKind.BLOOM, FilterKind.RIBBON, FilterKind.BUMPED_RIBBON),
          List.of(FilterKind.BUMPED_RIBBON, FilterKind.RIBBON, FilterKind.BLOOM),
          List.of(FilterKind.RIBBON, FilterKind.BLOOM, FilterKind.BUMPED_RIBBON),
          List.of(FilterKind.BUMPED_RIBBON, FilterKind.BLOOM, FilterKind.RIBBON),
          List.of(FilterKind.RIBBON, FilterKind.BUMPED_RIBBON, FilterKind.BLOOM),
          List.of(FilterKind.BLOOM, FilterKind.BUMPED_RIBBON, FilterKind.RIBBON));

  private final YcsbOptions options;
  private final Deployment deployment;
  private final Results results;
  private final Progress progress;
  private final PrintStream out;
  private final List<TableName> made = new ArrayList<>();
  private final ExecutorService writers = Executors.newFixedThreadPool(2);

  /** The servers' block caches, summed up, as they are set; 0 before the first restart. */
  private long cacheBytes;

  private boolean codeIsWarm;

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
      PrintStream out) {
    this.options = options;
    this.deployment = deployment;
    this.results = results;
    this.progress = progress;
    this.out = out;
  }

  /** About how many seconds a run takes on two cores. */
  static double expectedSeconds(YcsbOptions options) throws IOException {
    double seconds = 0;
    for (TableSet set : plan(options)) {
      seconds += loadSeconds(options) * FilterKind.values().length;
      double turns =
          set.profiles().size()
              * options.rounds()
              * FilterKind.values().length
              * turnSeconds(options);
      seconds += options.sweep() ? SWEEP.length * (turns + restartSeconds()) : turns;
    }
    seconds += options.sweep() ? 0 : restartSeconds() + compactionSeconds(options);
    return seconds + FilterKind.values().length * firstWarmUpSeconds(options);
  }

  private static double loadSeconds(YcsbOptions options) {
    return 4 + options.rows() / 300_000.0;
  }

  private static double turnSeconds(YcsbOptions options) {
    return options.duration() * 1.5 + 1.5;
  }

  private static double firstWarmUpSeconds(YcsbOptions options) {
    return FIRST_WARM_UP_TURNS * options.duration();
  }

  private static double restartSeconds() {
    return 20;
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
    Comparison comparison = new Comparison(options, deployment, results, progress, out);
    Thread hook = new Thread(comparison::dropAll, "winnow-drop-tables");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      comparison.run();
    } finally {
      comparison.writers.shutdownNow();
      comparison.dropAll();
      forget(hook);
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
          setCache(CacheSize.ofShare(share).bytesFor(loaded.bloomBytes()));
          turns(set, set.profiles().get(0), loaded, hotRows);
        }
      } else {
        // One size for all: by the filters of the tables that come first, Lindorm's if it is run.
        if (cacheBytes == 0) {
          setCache(options.cache().bytesFor(loaded.bloomBytes()));
        }
        for (Profile profile : set.profiles()) {
          turns(set, profile, loaded, loaded.hotRows(cacheBytes));
        }
      }
      for (FilterKind kind : FilterKind.values()) {
        drop(Tables.name(set.purpose(), kind));
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
      results.add(FILTERS, at, "falsePositiveRate", falsePositiveRate(conf, keys, written));
      TableName table = Tables.name(set.purpose(), kind);
      made.add(table);
      Tables.create(deployment, table, kind, files.splits(), written);
      progress.step(
          loadSeconds(options),
          "%,d rows of %d-byte keys, %s".formatted(keys.rows(), set.keyLength(), kind.id()),
          "%d files, %,d MB, filters %,d bytes"
              .formatted(written.size(), sum.fileBytes() >> 20, sum.bytes()));
    }
    return new Loaded(keys, filters);
  }

  private List<Path> write(TableFiles files, String purpose, FilterKind kind)
      throws IOException, InterruptedException {
    AtomicLong rows = new AtomicLong();
    long start = System.nanoTime();
    AtomicLong due = new AtomicLong(start + 2_000_000_000L);
    List<Future<Path>> tasks = new ArrayList<>();
    for (Callable<Path> writer :
        files.writers(
            new Path(deployment.staging(), purpose),
            kind,
            count -> {
              long sum = rows.addAndGet(count);
              long now = System.nanoTime();
              long next = due.get();
              if (now > next && due.compareAndSet(next, now + 2_000_000_000L)) {
                out.printf(Locale.ROOT, "  %s: %,d rows written%n", kind.id(), sum);
              }
            })) {
      tasks.add(writers.submit(writer));
    }
    List<Path> written = new ArrayList<>();
    for (Future<Path> task : tasks) {
      written.add(get(task));
    }
    return written;
  }

  private static double falsePositiveRate(Configuration conf, KeySpace keys, List<Path> files)
      throws IOException {
    long positives = 0;
    int probes = (int) Math.min(ABSENT_PROBES, keys.rows());
    for (Path file : files) {
      try (StoreFileFilter filter = StoreFileFilter.open(conf, file)) {
        for (int i = 0; i < probes; i++) {
          positives += filter.mightContain(keys.key(keys.rows() + i)) ? 1 : 0;
        }
      }
    }
    return (double) positives / probes / files.size();
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
      made.add(table);
      Tables.create(deployment, table, kind, files.splits(), write(files, purpose, kind));
    }
    double weight =
        compactionSeconds(options) / FilterKind.values().length / (options.rounds() + 1);
    for (int round = -1; round < options.rounds(); round++) {
      for (FilterKind kind : order(round)) {
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
      drop(Tables.name(purpose, kind));
    }
  }

  private static List<FilterKind> order(int round) {
    return ORDERS.get(Math.floorMod(round, ORDERS.size()));
  }

  // ==== reading

  private void setCache(long bytes) throws IOException, InterruptedException {
    if (bytes == cacheBytes) {
      return;
    }
    deployment.restart(bytes / deployment.servers().size());
    cacheBytes = bytes;
    codeIsWarm = false;
    progress.step(
        restartSeconds(), "restart", "block cache of %.1f MB".formatted(bytes / 1048576.0));
  }

  private void turns(TableSet set, Profile profile, Loaded loaded, long hotRows)
      throws IOException, InterruptedException {
    results.add(RUN, at(set, profile), "cacheBytes", cacheBytes);
    results.add(RUN, at(set, profile), "hotRows", hotRows);
    results.add(RUN, at(set, profile), "rows", loaded.keys().rows());
    results.add(RUN, at(set, profile), "files", set.files());
    if (!codeIsWarm) {
      for (FilterKind kind : FilterKind.values()) {
        turn(set, profile, loaded, hotRows, kind, -1, firstWarmUpSeconds(options), 0);
        progress.step(firstWarmUpSeconds(options), "warming the code, " + kind.id(), "not counted");
      }
      codeIsWarm = true;
    }
    for (int round = 0; round < options.rounds(); round++) {
      for (FilterKind kind : order(round)) {
        Turn.Outcome outcome =
            turn(
                set,
                profile,
                loaded,
                hotRows,
                kind,
                round,
                options.duration() / 2,
                options.duration());
        record(set, profile, kind, outcome);
        progress.step(
            turnSeconds(options),
            "%s, %d-byte keys, round %d, %s"
                .formatted(profile.name(), set.keyLength(), round + 1, kind.id()),
            "%,.0f rows/s, mean %.2f ms, hits %s"
                .formatted(
                    outcome.operationsPerSecond() * profile.batch(),
                    outcome.latencies().getMean() / 1e6,
                    Table.number(100 * outcome.counted().hitRatio(), 2) + " %"));
      }
    }
  }

  private Turn.Outcome turn(
      TableSet set,
      Profile profile,
      Loaded loaded,
      long hotRows,
      FilterKind kind,
      int round,
      double warmUp,
      double seconds)
      throws IOException, InterruptedException {
    List<TableName> all = new ArrayList<>();
    for (FilterKind one : FilterKind.values()) {
      all.add(Tables.name(set.purpose(), one));
    }
    Tables.forget(deployment, all);
    Properties properties = properties(set, profile, loaded, hotRows, kind);
    // All kinds are asked for the same rows in the same order; another order in each round.
    properties.setProperty(ReadWorkload.SEED, Integer.toString(round + 2));
    List<DB> databases = new ArrayList<>();
    Workload workload = new ReadWorkload();
    try {
      workload.init(properties);
      for (int i = 0; i < options.threads(); i++) {
        DB database = new WinnowHBaseClient();
        database.setProperties(properties);
        database.init();
        databases.add(database);
      }
      return Turn.run(workload, properties, databases, warmUp, seconds, deployment);
    } catch (DBException | WorkloadException e) {
      throw new IOException(e.getMessage(), e);
    } finally {
      for (DB database : databases) {
        try {
          database.cleanup();
        } catch (DBException e) {
          throw new IOException(e);
        }
      }
    }
  }

  private Properties properties(
      TableSet set, Profile profile, Loaded loaded, long hotRows, FilterKind kind) {
    Properties properties = new Properties();
    properties.putAll(profile.properties());
    properties.setProperty("table", Tables.name(set.purpose(), kind).getNameAsString());
    properties.setProperty("recordcount", Long.toString(loaded.keys().rows()));
    properties.setProperty(ReadWorkload.KEY_LENGTH, Integer.toString(set.keyLength()));
    properties.setProperty(ReadWorkload.FILES, Integer.toString(set.files()));
    properties.setProperty(
        ReadWorkload.HOT_ROWS, Double.toString((double) hotRows / loaded.keys().rows()));
    Configuration connected = deployment.connection().getConfiguration();
    for (String name :
        List.of(
            HConstants.ZOOKEEPER_QUORUM,
            HConstants.ZOOKEEPER_CLIENT_PORT,
            HConstants.ZOOKEEPER_ZNODE_PARENT)) {
      properties.setProperty(name, connected.get(name));
    }
    return properties;
  }

  private void record(TableSet set, Profile profile, FilterKind kind, Turn.Outcome outcome) {
    Map<String, String> at = at(set, profile);
    at.put("filter", kind.id());
    Histogram latencies = outcome.latencies();
    ServerCounters counted = outcome.counted();
    double rows = (double) latencies.getTotalCount() * profile.batch();
    results.add(READS, at, "rowsPerSecond", rows / outcome.seconds());
    results.add(READS, at, "meanMicros", latencies.getMean() / 1e3);
    results.add(READS, at, "p50Micros", latencies.getValueAtPercentile(50) / 1e3);
    results.add(READS, at, "p95Micros", latencies.getValueAtPercentile(95) / 1e3);
    results.add(READS, at, "p99Micros", latencies.getValueAtPercentile(99) / 1e3);
    results.add(READS, at, "hitRatio", counted.hitRatio());
    results.add(READS, at, "dataHitRatio", counted.dataHitRatio());
    results.add(READS, at, "filterHitRatio", counted.filterHitRatio());
    results.add(READS, at, "blocksReadPerRow", counted.blocksRead() / rows);
    results.add(READS, at, "filesAskedPerRow", counted.filterRequests() / rows);
    results.add(READS, at, "filesSkippedPerRow", counted.filterNegatives() / rows);
    if (profile.showsFalsePositives()) {
      double inFile = 1 - profile.absent();
      results.add(
          READS,
          at,
          "falsePositiveRate",
          ((counted.filterRequests() - counted.filterNegatives()) / rows - inFile)
              / (counted.filterRequests() / rows - inFile));
    }
    results.add(READS, at, "serverCpuMicrosPerRow", counted.cpuNanos() / 1e3 / rows);
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
      at.put("cacheBytes", Long.toString(cacheBytes));
    }
    return at;
  }

  // ==== the end

  private void drop(TableName table) throws IOException {
    Tables.drop(deployment, table);
    made.remove(table);
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is going down and runs it.
    }
  }

  /** Whatever is left, as the run ends or is ended; not from a server that ends with us. */
  private void dropAll() {
    if (!deployment.outlivesRun()) {
      return;
    }
    for (TableName table : List.copyOf(made)) {
      try {
        drop(table);
      } catch (IOException e) {
        out.println("could not drop " + table + ": " + e.getMessage());
      }
    }
  }

  private static <T> T get(Future<T> task) throws IOException, InterruptedException {
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }
}
