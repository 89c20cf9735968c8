package io.winnow.ycsb;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.report.PairedRatio;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.WorkloadException;

/**
 * Measures reads of one workload on the tables of a set.
 *
 * <p>All tables are in the same servers and share their block caches. So before a turn the blocks
 * of all tables are evicted, and then the table whose turn it is warms the caches: each table is
 * measured with the whole cache to itself, after the same warm-up.
 */
final class Reads extends TableReads {
  /** Name of the figure in results: bytes of files that are read per row, past the page cache. */
  static final String DRIVE = "driveBytesPerRow";

  /**
   * Maximum number of rounds with a BucketCache until the interval of the measured ratio is narrow,
   * because throughput differs little there.
   */
  static final int MAX_BUCKET_ROUNDS = 36;

  /**
   * Factor by which measurements at a fixed rate of operations are longer than others, to have
   * enough operations.
   */
  private static final int ARRIVAL_DURATIONS = 5;

  /** Approximate seconds of a turn that takes as long as a flush and a compaction. */
  private static final double BUSY_SECONDS = 7;

  private final Ycsb options;
  private final Measurement measurement;
  final TableSet tables;
  final Profile profile;
  private final List<TableFilter> contenders;
  private final int rounds;
  private final CacheSize cacheSize;
  private final Map<String, String> at = new TreeMap<>();
  private long hotRows;

  /**
   * Plans the reads of a workload.
   *
   * @param contenders the filters of the tables that are read, stock's first
   * @param rounds minimum number of turns of each table
   * @param cacheSize size of the block cache
   */
  Reads(
      Ycsb options,
      Measurement measurement,
      TableSet tables,
      Profile profile,
      List<TableFilter> contenders,
      int rounds,
      CacheSize cacheSize) {
    this.options = options;
    this.measurement = measurement;
    this.tables = tables;
    this.profile = profile;
    this.contenders = contenders;
    this.rounds = rounds;
    this.cacheSize = cacheSize;
    at.put("profile", profile.name());
    at.put("keyLength", Integer.toString(tables.keys.keyLength()));
  }

  /** Returns the benchmark that has the figures of the tables' files; null for none. */
  String benchmarkOfFiles() {
    return profile.is(Profile.BUSY) ? null : measurement.files;
  }

  /** Returns whether these reads and those before them need different block caches. */
  boolean restartsAfter(Reads before) {
    return before == null
        || !profile.is(Profile.BUSY)
            && (!cacheSize.equals(before.cacheSize) || hasBucketCache() != before.hasBucketCache());
  }

  /** Returns the approximate seconds of a restart of the servers and of the rounds after it. */
  double restartSeconds() {
    int firstRounds = Contest.expectedRounds(Workbench.FIRST_ROUNDS_COMPARED);
    return Workbench.RESTART_SECONDS + contenders.size() * firstRounds * weight();
  }

  /** Returns the approximate seconds of all turns that count on a machine with two cores. */
  double seconds() {
    return contenders.size() * rounds * weight();
  }

  @Override
  public String name() {
    return "%s, %d-byte keys".formatted(profile.name(), tables.keys.keyLength());
  }

  @Override
  public Map<String, String> at() {
    return at;
  }

  @Override
  public List<TableFilter> contenders() {
    return contenders;
  }

  /**
   * Returns the approximate seconds to measure one table once, with its warm-up and the wait for
   * the servers' counters.
   */
  @Override
  public double weight() {
    return profile.is(Profile.BUSY)
        ? BUSY_SECONDS
        : (options.duration * 1.7 + 0.7) * (profile.arrivals() > 0 ? 3 : 1);
  }

  private boolean hasBucketCache() {
    return measurement == Measurement.BUCKET || profile.is(Profile.BUCKET);
  }

  /**
   * Measures the reads, unless the run that is resumed has their figures. The tables must be
   * loaded.
   */
  void run(Workbench on) throws IOException, InterruptedException {
    bench = on;
    Map<String, Double> stock = tables.stock;
    long bloomBytes = Math.round(stock.get(TableFiles.BYTES));
    long leafBytes = Math.round(stock.get(TableFiles.LEAF_INDEX));
    long all = options.cache.bytesFor(bloomBytes);
    long hot = HotRows.of(all, bloomBytes, leafBytes, tables.keys, options.blocks);
    hotRows = Math.min(Math.max(1, Math.round(hot * profile.hotSets())), tables.keys.rows());
    if (hasBucketCache()) {
      bench.setCache(HotRows.bucketCache(all, bloomBytes, leafBytes, hot, options.blocks));
    } else if (!profile.is(Profile.BUSY) || bench.cache == null) {
      bench.setCache(ServerCache.onHeap(cacheSize.bytesFor(bloomBytes)));
    }
    if (options.sweep) {
      at.put("cacheBytes", Long.toString(bench.cache.heapBytes()));
    }
    recordSetup();
    if (bench.contest.hasRun(this, measurement.reads, ARRIVALS)) {
      return;
    }
    bench.warmCode(this);
    findArrivals(profile.arrivals());
    bench.contest.run(this, rounds, hasBucketCache() ? MAX_BUCKET_ROUNDS : rounds, this::ratio);
  }

  private void recordSetup() {
    record("cacheBytes", bench.cache.heapBytes());
    record("bucketCacheBytes", bench.cache.bucketBytes());
    record("rows", tables.keys.rows());
    record("files", tables.files());
    record("absent", profile.absent());
    record("hotRows", hotRows);
    record("blockBytes", options.blocks.dataOf(tables.keys.keyLength()));
    record("indexBlockBytes", options.blocks.index());
  }

  private void record(String metric, double value) {
    bench.contest.results().add(measurement.setup, at, metric, value);
  }

  /** Returns the ratio of the last contender's throughput to that of stock's filter. */
  private PairedRatio ratio() {
    return PairedRatio.of(
        rowsPerSecond(contenders.get(contenders.size() - 1)), rowsPerSecond(contenders.get(0)));
  }

  private double[] rowsPerSecond(TableFilter contender) {
    List<Object> its = new ArrayList<>(List.of("filter", contender.id()));
    at.forEach((name, value) -> its.addAll(List.of(name, value)));
    return bench.contest.results().samples(measurement.reads, "rowsPerSecond", its.toArray());
  }

  // ==== a turn

  /**
   * Returns the number of files in which a workload queries each row: those of its store. Scans do
   * not query all of them, nor does a profile whose files change.
   */
  @Override
  int queriedFiles() {
    return measurement != Measurement.SCANS && !profile.is(Profile.BUSY) ? tables.files() : 0;
  }

  @Override
  String benchmark() {
    return measurement.reads;
  }

  @Override
  String text(Turn.Outcome outcome) {
    return "%,.0f rows/s, mean %.2f ms, hits %s %%"
        .formatted(
            outcome.rowsPerSecond(),
            outcome.latencies().getMean() / 1e6,
            Table.number(100 * outcome.counted().hitRatio(), 2));
  }

  @Override
  Turn.Outcome measure(TableFilter contender, int round, int attempt, boolean isWarmUp)
      throws IOException, InterruptedException {
    bench.tables.evict();
    Properties properties = properties(contender);
    // All tables get the same queries in the same order. Each round draws other popular rows.
    properties.setProperty(ReadWorkload.DRAW, Integer.toString(draw(round)));
    properties.setProperty(ReadWorkload.SEED, Integer.toString(draw(round)));
    List<DB> databases = new ArrayList<>();
    List<Turn.Operation> operations = new ArrayList<>();
    ReadWorkload workload = new ReadWorkload();
    try {
      workload.init(properties);
      for (int i = 0; i < threads(); i++) {
        DB database = new WinnowHBaseClient();
        database.setProperties(properties);
        database.init();
        databases.add(database);
        Object state = workload.initThread(properties, i, threads());
        operations.add(() -> workload.doTransaction(database, state));
      }
      double seconds = options.duration * (arrivals > 0 ? ARRIVAL_DURATIONS : 1);
      Turn.Manner manner =
          new Turn.Manner(seconds, arrivals, round < 0 ? null : meanwhile(contender));
      return new Turn(workload::rows, manner).run(operations, bench.deployment);
    } catch (DBException | WorkloadException e) {
      throw new IOException(e.getMessage(), e);
    } finally {
      if (profile.is(Profile.COLD)) {
        bench.deployment.setReads(0, false);
      }
      for (DB database : databases) {
        try {
          database.cleanup();
        } catch (DBException e) {
          throw new IOException(e);
        }
      }
    }
  }

  /**
   * Returns the number that determines the popular rows of a round and is the seed of its reads. It
   * is never 0, which draws none.
   */
  static int draw(int round) {
    return round + Workbench.MAX_FIRST_ROUNDS + 1;
  }

  private Properties properties(TableFilter contender) {
    Properties properties = new Properties();
    properties.putAll(profile.properties());
    properties.setProperty("table", tables.table(contender).getNameAsString());
    properties.setProperty("recordcount", Long.toString(tables.keys.rows()));
    properties.setProperty(ReadWorkload.KEY_LENGTH, Integer.toString(tables.keys.keyLength()));
    properties.setProperty(ReadWorkload.FILES, Integer.toString(tables.files()));
    properties.setProperty(
        ReadWorkload.HOT_ROWS, Double.toString((double) hotRows / tables.keys.rows()));
    Configuration connected = bench.deployment.connection.getConfiguration();
    for (String name :
        List.of(
            HConstants.ZOOKEEPER_QUORUM,
            HConstants.ZOOKEEPER_CLIENT_PORT,
            HConstants.ZOOKEEPER_ZNODE_PARENT)) {
      properties.setProperty(name, connected.get(name));
    }
    return properties;
  }

  /** Returns the task that runs while a table is read in special conditions; null for none. */
  private Turn.Meanwhile meanwhile(TableFilter contender) {
    return profile.is(Profile.COLD)
        ? this::readDirect
        : profile.is(Profile.BUSY) ? () -> tables.merge(bench, contender) : null;
  }

  private void readDirect() throws IOException, InterruptedException {
    bench.deployment.setReads(0, true);
    TimeUnit.MILLISECONDS.sleep(Math.round(options.duration * 1e3));
  }

  // ==== its figures

  @Override
  Map<String, Double> figures(Turn.Outcome outcome) {
    Map<String, Double> figures = new TreeMap<>();
    ServerCounters counted = outcome.counted();
    double rows = outcome.rows();
    figures.put("rowsPerSecond", outcome.rowsPerSecond());
    figures.put("dataHitRatio", counted.dataHitRatio());
    figures.put("filterHitRatio", counted.filterHitRatio());
    figures.put("blocksReadPerRow", counted.blocksRead() / rows);
    figures.put("filesAskedPerRow", outcome.filesQueriedPerRow());
    figures.put("filesSkippedPerRow", counted.filterNegatives() / rows);
    figures.put("serverCpuMicrosPerRow", counted.cpuNanos() / 1e3 / rows);
    if (measurement == Measurement.SCANS) {
      double scans = outcome.latencies().getTotalCount();
      figures.put("scansPerSecond", scans / outcome.seconds());
      figures.put("serverCpuMicrosPerScan", counted.cpuNanos() / 1e3 / scans);
      figures.put("blocksReadPerScan", counted.blocksRead() / scans);
    } else if (measurement == Measurement.STORES) {
      figures.put("falseReadsPerRow", counted.falseReads() / rows);
      figures.put("dataBlocksReadPerRow", counted.dataMisses() / rows);
      figures.put("filterBlocksReadPerRow", counted.filterMisses() / rows);
      if (profile.is(Profile.COLD)) {
        figures.put(DRIVE, counted.fileBytes() / rows);
      } else if (profile.is(Profile.BUSY)) {
        figures.put("busySeconds", outcome.seconds());
      }
    } else if (profile.showsFalsePositives()) {
      double inFile = 1 - profile.absent();
      double queried = outcome.filesQueriedPerRow();
      double skipped = counted.filterNegatives() / rows;
      figures.put("falsePositiveRate", (queried - skipped - inFile) / (queried - inFile));
    }
    return figures;
  }
}
