package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
 * The run of {@code --stores}, and of {@code --scans}: tables whose stores have one large file and
 * several small ones, with a filter's rate the same for all files or by each file's share, read by
 * the profiles {@link Profile#STORES}; or with the prefixes of groups in the filters or not, and
 * read by {@link Profile#SCANS}.
 *
 * <p>The servers write all files: a bulk load and a major compaction make the large one, and only
 * then rows are written and flushed for each small one, so that the share of each is known when it
 * is written. No compaction follows.
 */
final class StoreComparison {
  // The results' cases.
  static final String READS = "storeReads";
  static final String FILES = "storeFiles";
  static final String RUN = "storeRun";

  static final String SCANS = "scanReads";
  static final String SCAN_FILES = "scanFiles";
  static final String SCAN_RUN = "scanRun";

  /** Files that were compacted away stay for a moment. */
  private static final int PATIENCE_SECONDS = 120;

  private final Ycsb options;
  private final Deployment deployment;
  private final Results results;
  private final Progress progress;
  private final Workbench bench;
  private final List<StorePolicy> policies;

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

  /** About how many seconds a run takes on two cores. */
  static double expectedSeconds(Ycsb options) {
    return policies(options).size()
            * (loadSeconds(options)
                + Workbench.firstTurnsSeconds(options)
                + profiles(options).size() * options.rounds * Workbench.turnSeconds(options))
        + Workbench.restartSeconds();
  }

  private static double loadSeconds(Ycsb options) {
    return Workbench.loadSeconds(options, options.usualKeyLength()) + 4 + options.rows / 150_000.0;
  }

  private static List<String> profiles(Ycsb options) {
    List<String> all = options.scans ? Profile.SCANS : Profile.STORES;
    return options.profiles.isEmpty() ? all : options.profiles;
  }

  /** Runs it, and drops the tables that it made. */
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
    // They differ in what is read, not in the tables.
    Properties plan = new Properties();
    plan.putAll(profiles.get(0).properties());
    int files = profiles.get(0).files(options.files);
    plan.setProperty(ReadWorkload.FILES, Integer.toString(files));
    long stockBytes = load(keys, ReadWorkload.plan(plan));
    bench.setCache(ServerCache.onHeap(options.cache.bytesFor(stockBytes)));
    for (Profile profile : profiles) {
      Map<String, String> at =
          new TreeMap<>(
              Map.of("profile", profile.name(), "keyLength", Integer.toString(keys.keyLength())));
      String run = options.scans ? SCAN_RUN : RUN;
      results.add(run, at, "cacheBytes", bench.cache().heapBytes());
      results.add(run, at, "rows", keys.rows());
      results.add(run, at, "files", files);
      results.add(run, at, "absent", profile.absent());
      bench.turns(
          new Workbench.Contest<>(
              policies,
              this::table,
              profile,
              keys,
              files,
              options.rounds,
              Map.of(),
              options.scans ? SCANS : READS,
              at),
          (policy, its, outcome) -> {
            if (options.scans) {
              double scans = outcome.latencies().getTotalCount();
              results.add(SCANS, its, "scansPerSecond", scans / outcome.seconds());
              results.add(
                  SCANS, its, "serverCpuMicrosPerScan", outcome.counted().cpuNanos() / 1e3 / scans);
              results.add(SCANS, its, "blocksReadPerScan", outcome.counted().blocksRead() / scans);
              return;
            }
            double rows = outcome.rows();
            ServerCounters counted = outcome.counted();
            results.add(READS, its, "falseReadsPerRow", counted.falseReads() / rows);
            results.add(READS, its, "dataBlocksReadPerRow", counted.dataMisses() / rows);
            results.add(READS, its, "filterBlocksReadPerRow", counted.filterMisses() / rows);
          });
    }
    for (StorePolicy policy : policies) {
      bench.drop(table(policy));
    }
  }

  private TableName table(StorePolicy policy) {
    return RunTables.name(purpose(), policy);
  }

  private String purpose() {
    return options.scans ? "scans" : "stores";
  }

  // ==== loading

  /** Loads all tables; the bytes of the stock filters. */
  private long load(KeySpace keys, LoadPlan plan) throws IOException, InterruptedException {
    Configuration conf = deployment.connection().getConfiguration();
    int regions = deployment.servers().size();
    TableFiles files = TableFiles.of(conf, keys, plan, regions);
    long stockBytes = 0;
    for (StorePolicy policy : policies) {
      TableName table = table(policy);
      List<Path> large =
          bench.write(
              files.writers(bench.staging(purpose()), policy, 1, bench.rowsWritten(policy)));
      bench.create(table, policy, keys.keyLength(), files.splits(), large);
      // A second file, of a row: a compaction of one alone would be over before it is seen.
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
      stockBytes = policy == StorePolicy.STOCK ? bytes : stockBytes;
      progress.step(
          loadSeconds(options),
          "%,d rows of %d-byte keys, %s".formatted(keys.rows(), keys.keyLength(), policy.id()),
          "%d files in a store, filters %,d bytes".formatted(plan.files(), bytes));
    }
    return stockBytes;
  }

  /** The files of each region, oldest first, when there are as many as there should be. */
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
