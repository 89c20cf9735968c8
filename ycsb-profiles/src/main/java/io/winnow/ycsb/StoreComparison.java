package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.PageCacheLimit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * A run of {@code ./winnow ycsb} with {@code --stores} or {@code --scans}: it measures reads of
 * tables whose stores have one large file and several small ones. With {@code --stores} a filter's
 * rate is the same for all files or depends on each file's share, and the profiles {@link
 * Profile#STORES} read the tables. With {@code --scans} the filters have the prefixes of groups or
 * not, and {@link Profile#SCANS} read the tables.
 *
 * <p>The servers write all files: a bulk load and a major compaction make the large one; only then
 * rows are written and flushed for each small one, so that a file's share is known when it is
 * written. No compaction follows, except for {@code store-busy}: it has tables of its own, which
 * are compacted in each turn.
 */
final class StoreComparison {
  // Names of benchmarks in the results.
  static final String READS = "storeReads";
  static final String FILES = "storeFiles";
  static final String RUN = "storeRun";

  static final String SCANS = "scanReads";
  static final String SCAN_FILES = "scanFiles";
  static final String SCAN_RUN = "scanRun";

  /**
   * Name of the figure in results: bytes read from the drive per row, while files are kept out of
   * the page cache.
   */
  static final String DRIVE = "driveBytesPerRow";

  /**
   * Maximum number of rows in the tables of the workload {@code store-busy}, which are compacted in
   * seconds.
   */
  private static final long BUSY_ROWS = 400_000;

  /**
   * Approximate length in seconds of a turn of the workload {@code store-busy}, which takes as long
   * as a flush and a compaction.
   */
  private static final double BUSY_SECONDS = 7;

  /**
   * Part of the names of the tables of the workload {@code store-busy} that tells them from other
   * tables.
   */
  private static final String BUSY_TABLES = "busy";

  /** Directory of the tables' store files, below the directory of a standalone HBase. */
  private static final String FILES_OF_TABLES = "hbase/data/default";

  /** Maximum time in seconds until compacted store files are archived. */
  private static final int PATIENCE_SECONDS = 300;

  private final Ycsb options;
  private final Deployment deployment;
  private final Results results;
  private final Progress progress;
  private final Workbench bench;
  private final List<StorePolicy> policies;

  /**
   * Number of bytes that were read from the drive while a table was last read with its files kept
   * out of the page cache.
   */
  private long driveBytes;

  private StoreComparison(Workbench bench) {
    this.options = bench.options();
    this.deployment = bench.deployment();
    this.results = bench.results();
    this.progress = bench.progress();
    this.bench = bench;
    this.policies = policies(options);
  }

  private static List<StorePolicy> policies(Ycsb options) {
    return options.scans ? StorePolicy.OF_SCANS : StorePolicy.OF_STORES;
  }

  /**
   * Returns the filter settings of the tables that a workload compares. Policies with one rate for
   * all files are compared only by some profiles.
   */
  private static List<StorePolicy> policies(Ycsb options, Profile profile) {
    return options.scans || Profile.RATES.contains(profile.name())
        ? policies(options)
        : StorePolicy.DEFAULTS;
  }

  /**
   * Returns the number of times that each table is measured with a workload. It is higher for
   * profiles with popular rows, which each round draws anew.
   */
  private static int rounds(Ycsb options, Profile profile) {
    if (options.scans || profile.hasPopularRows() && !profile.is(Profile.BUCKET)) {
      return options.rounds;
    }
    return Profile.RATES.contains(profile.name())
        ? Math.min(options.rounds, Ycsb.RATES_ROUNDS)
        : options.otherRounds();
  }

  /** Returns the approximate seconds that the run takes on a machine with two cores. */
  static double expectedSeconds(Ycsb options) throws IOException {
    int policies = policies(options).size();
    double seconds = policies * loadSeconds(options) + restartSeconds(options, policies);
    for (String name : profiles(options)) {
      Profile profile = Profile.of(name);
      int its = policies(options, profile).size();
      double turn = profile.is(Profile.BUSY) ? BUSY_SECONDS : Workbench.turnSeconds(options);
      seconds += its * rounds(options, profile) * turn * (profile.arrivals() > 0 ? 3 : 1);
      seconds += profile.is(Profile.BUCKET) ? restartSeconds(options, its) : 0;
    }
    return seconds;
  }

  private static double restartSeconds(Ycsb options, int policies) {
    return Workbench.restartSeconds() + policies * Workbench.firstTurnsSeconds(options);
  }

  private static double loadSeconds(Ycsb options) {
    return Workbench.loadSeconds(options, options.usualKeyLength()) + 4 + options.rows / 150_000.0;
  }

  private static List<String> profiles(Ycsb options) {
    List<String> all = options.scans ? Profile.SCANS : Profile.STORES;
    return options.profiles.isEmpty() ? all : options.profiles;
  }

  /** Runs the comparison of stores of several files, and drops the tables that it made. */
  static void run(Workbench bench) throws IOException, InterruptedException {
    new StoreComparison(bench).run();
  }

  private void run() throws IOException, InterruptedException {
    List<Profile> profiles = new ArrayList<>();
    for (String name : profiles(options)) {
      profiles.add(Profile.of(name));
    }
    int group = profiles.get(0).group();
    KeySpace keys = KeySpace.of(options.usualKeyLength(), options.rows / group * group, group);
    // They differ in their reads, not in the tables.
    Optional<Profile> usual = profiles.stream().filter(one -> !one.is(Profile.BUSY)).findFirst();
    TableFiles.Filters stock = null;
    if (usual.isPresent()) {
      stock = load(keys, plan(usual.get()));
    }
    for (Profile profile : profiles) {
      if (profile.is(Profile.BUSY)) {
        busy(profile);
      } else if (profile.is(Profile.COLD) && deployment.localFiles().isEmpty()) {
        bench.print("%s is left out: the files are not on this machine".formatted(profile.name()));
      } else {
        read(profile, keys, stock);
      }
    }
    if (usual.isEmpty()) {
      return;
    }
    for (StorePolicy policy : policies) {
      bench.drop(table(policy));
    }
  }

  private LoadPlan plan(Profile profile) {
    Properties plan = new Properties();
    plan.putAll(profile.properties());
    plan.setProperty(ReadWorkload.FILES, Integer.toString(profile.files(options.files)));
    return ReadWorkload.plan(plan);
  }

  /**
   * Measures a workload of reads on all compared tables.
   *
   * @param stock the filters of stock's table
   */
  private void read(Profile profile, KeySpace keys, TableFiles.Filters stock)
      throws IOException, InterruptedException {
    long all = options.cache.bytesFor(stock.bytes());
    long hotRows =
        Comparison.hotRows(all, stock.bytes(), stock.leafIndexBytes(), keys, options.blocks);
    bench.setCache(
        profile.is(Profile.BUCKET)
            ? Comparison.bucketCache(
                all, stock.bytes(), stock.leafIndexBytes(), hotRows, options.blocks)
            : ServerCache.onHeap(all));
    Map<String, String> settings =
        profile.isHot()
            ? Map.of(ReadWorkload.HOT_ROWS, Double.toString((double) hotRows / keys.rows()))
            : Map.of();
    int files = profile.files(options.files);
    Map<String, String> at = recordSetup(profile, keys, files);
    if (profile.isHot()) {
      results.add(setup(), at, "hotRows", hotRows);
    }
    bench.turns(
        new Workbench.Contest<>(
            policies(options, profile),
            this::table,
            profile,
            keys,
            files,
            rounds(options, profile),
            profile.is(Profile.BUCKET) ? Comparison.MAX_BUCKET_ROUNDS : 0,
            settings,
            reads(),
            at,
            policy -> profile.is(Profile.COLD) ? this::readCold : null),
        (policy, its, outcome) -> record(profile, its, outcome));
  }

  /**
   * Adds to the results the sizes of caches and blocks, and the numbers of rows and files, with
   * which a workload is measured. Returns the parameters of its results.
   */
  private Map<String, String> recordSetup(Profile profile, KeySpace keys, int files) {
    Map<String, String> at =
        new TreeMap<>(
            Map.of("profile", profile.name(), "keyLength", Integer.toString(keys.keyLength())));
    results.add(setup(), at, "cacheBytes", bench.cache().heapBytes());
    results.add(setup(), at, "bucketCacheBytes", bench.cache().bucketBytes());
    results.add(setup(), at, "rows", keys.rows());
    results.add(setup(), at, "files", files);
    results.add(setup(), at, "absent", profile.absent());
    results.add(setup(), at, "blockBytes", options.blocks.dataOf(keys.keyLength()));
    results.add(setup(), at, "indexBlockBytes", options.blocks.index());
    return at;
  }

  private void record(Profile profile, Map<String, String> its, Turn.Outcome outcome) {
    if (options.scans) {
      double scans = outcome.latencies().getTotalCount();
      results.add(SCANS, its, "scansPerSecond", scans / outcome.seconds());
      results.add(SCANS, its, "serverCpuMicrosPerScan", outcome.counted().cpuNanos() / 1e3 / scans);
      results.add(SCANS, its, "blocksReadPerScan", outcome.counted().blocksRead() / scans);
      return;
    }
    double rows = outcome.rows();
    ServerCounters counted = outcome.counted();
    results.add(READS, its, "falseReadsPerRow", counted.falseReads() / rows);
    results.add(READS, its, "dataBlocksReadPerRow", counted.dataMisses() / rows);
    results.add(READS, its, "filterBlocksReadPerRow", counted.filterMisses() / rows);
    if (profile.is(Profile.COLD)) {
      results.add(READS, its, DRIVE, driveBytes / rows);
    }
    if (profile.is(Profile.BUSY)) {
      results.add(READS, its, "busySeconds", outcome.seconds());
    }
  }

  private void readCold() throws IOException, InterruptedException {
    try (PageCacheLimit limit =
        PageCacheLimit.of(deployment.localFiles().orElseThrow().resolve(FILES_OF_TABLES), "")) {
      limit.drop();
      long before = deployment.bytesFromDrive();
      TimeUnit.MILLISECONDS.sleep(Math.round(options.duration * 1e3));
      driveBytes = deployment.bytesFromDrive() - before;
    }
  }

  /** Measures a workload whose tables are flushed and compacted while they are read. */
  private void busy(Profile profile) throws IOException, InterruptedException {
    KeySpace keys = KeySpace.of(options.usualKeyLength(), Math.min(options.rows, BUSY_ROWS));
    LoadPlan plan = ReadWorkload.plan(profile.properties());
    Configuration conf = deployment.connection().getConfiguration();
    TableFiles files = TableFiles.of(conf, keys, plan, deployment.servers().size(), options.blocks);
    long stockBytes = 0;
    for (StorePolicy policy : StorePolicy.DEFAULTS) {
      List<Path> loaded =
          bench.write(files.writers(bench.staging(BUSY_TABLES), policy, bench.rowsWritten(policy)));
      if (policy == StorePolicy.STOCK) {
        stockBytes = TableFiles.filters(conf, loaded).bytes();
      }
      bench.create(busyTable(policy), policy, keys.keyLength(), files.splits(), loaded);
    }
    if (bench.cache() == null) { // else the cache of the profiles before
      bench.setCache(ServerCache.onHeap(options.cache.bytesFor(stockBytes)));
    }
    for (StorePolicy policy : StorePolicy.DEFAULTS) {
      flushAndCompact(busyTable(policy), files);
    }
    bench.turns(
        new Workbench.Contest<>(
            StorePolicy.DEFAULTS,
            this::busyTable,
            profile,
            keys,
            plan.files(),
            rounds(options, profile),
            0,
            Map.of(),
            reads(),
            recordSetup(profile, keys, plan.files()),
            policy -> () -> flushAndCompact(busyTable(policy), files)),
        (policy, its, outcome) -> record(profile, its, outcome));
    for (StorePolicy policy : StorePolicy.DEFAULTS) {
      bench.drop(busyTable(policy));
    }
  }

  /** Writes the rows of a table's small file again, flushes them and compacts the table. */
  private void flushAndCompact(TableName table, TableFiles files)
      throws IOException, InterruptedException {
    RunTables.touch(deployment, table, files.rowsOf(1));
    Compaction.run(deployment, table);
  }

  private TableName busyTable(StorePolicy policy) {
    return RunTables.name(BUSY_TABLES, policy);
  }

  private String reads() {
    return options.scans ? SCANS : READS;
  }

  private String setup() {
    return options.scans ? SCAN_RUN : RUN;
  }

  private TableName table(StorePolicy policy) {
    return RunTables.name(purpose(), policy);
  }

  private String purpose() {
    return options.scans ? "scans" : "stores";
  }

  // ==== loading

  /**
   * Loads rows into all tables that are compared. Returns the facts about the filters of stock's
   * table.
   */
  private TableFiles.Filters load(KeySpace keys, LoadPlan plan)
      throws IOException, InterruptedException {
    Configuration conf = deployment.connection().getConfiguration();
    int regions = deployment.servers().size();
    TableFiles files = TableFiles.of(conf, keys, plan, regions, options.blocks);
    TableFiles.Filters stock = null;
    for (StorePolicy policy : policies) {
      TableName table = table(policy);
      List<Path> large =
          bench.write(
              files.writers(bench.staging(purpose()), policy, 1, bench.rowsWritten(policy)));
      bench.create(table, policy, keys.keyLength(), files.splits(), large);
      // Adds a second file, of one row: a compaction of a single file would be over before it is
      // seen.
      RunTables.touch(deployment, table, files.firstRows());
      Compaction.run(deployment, table);
      for (int small = 1; small < plan.files(); small++) {
        RunTables.touch(deployment, table, files.rowsOf(small));
      }
      long bytes = 0;
      List<List<Path>> written = stores(table, regions, plan.files());
      for (int file = 0; file < plan.files(); file++) {
        List<Path> paths = new ArrayList<>();
        for (List<Path> store : written) {
          paths.add(store.get(file));
        }
        TableFiles.Filters sum = TableFiles.filters(conf, paths);
        Map<String, String> at = Map.of("filter", policy.id(), "file", Integer.toString(file));
        String ofFiles = options.scans ? SCAN_FILES : FILES;
        results.add(ofFiles, at, "keys", sum.keys());
        results.add(ofFiles, at, "bytes", sum.bytes());
        results.add(
            ofFiles, at, "falsePositiveRate", TableFiles.falsePositiveRate(conf, keys, paths));
        bytes += sum.bytes();
      }
      if (policy == StorePolicy.STOCK) {
        stock = TableFiles.filters(conf, written.stream().flatMap(List::stream).toList());
      }
      progress.step(
          loadSeconds(options),
          "%,d rows of %d-byte keys, %s".formatted(keys.rows(), keys.keyLength(), policy.id()),
          "%d files in a store, filters %,d bytes".formatted(plan.files(), bytes));
    }
    return stock;
  }

  /**
   * Returns the store files of each region of a table, oldest first, after waiting until their
   * number is the expected one.
   */
  private List<List<Path>> stores(TableName table, int regions, int files)
      throws IOException, InterruptedException {
    for (int second = 0; ; second++) {
      List<List<Path>> stores = stores(table);
      if (stores.size() == regions && stores.stream().allMatch(store -> store.size() == files)) {
        return stores;
      }
      if (second == PATIENCE_SECONDS) {
        throw new IOException(
            "the stores of %s have %s files, not %d each: were there flushes by HBase itself? Try fewer --rows"
                .formatted(table, stores.stream().map(List::size).toList(), files));
      }
      TimeUnit.SECONDS.sleep(1);
    }
  }

  private List<List<Path>> stores(TableName table) throws IOException {
    Configuration conf = deployment.connection().getConfiguration();
    Path root = new Path(conf.get(HConstants.HBASE_DIR));
    FileSystem system = root.getFileSystem(conf);
    List<List<Path>> stores = new ArrayList<>();
    for (FileStatus region : system.listStatus(CommonFSUtils.getTableDir(root, table))) {
      Path store = new Path(region.getPath(), Bytes.toString(RunTables.FAMILY));
      if (!region.getPath().getName().startsWith(".") && system.exists(store)) {
        stores.add(
            Arrays.stream(system.listStatus(store))
                .filter(file -> !file.getPath().getName().startsWith("."))
                .sorted(Comparator.comparingLong(FileStatus::getModificationTime))
                .map(FileStatus::getPath)
                .toList());
      }
    }
    return stores;
  }
}
