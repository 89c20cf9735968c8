package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
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
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.WorkloadException;

/**
 * What every kind of run needs: files written, tables made and in the end dropped, the block cache
 * set, and the contenders' tables read in turns.
 *
 * <p>All tables live in the same servers and share their block caches. So before a turn the blocks
 * of all tables of the contest are taken out of the caches, and the table whose turn it is warms
 * them for itself: each is measured with the whole cache to itself, after the same warm-up.
 */
final class Workbench implements Closeable {
  /** So many turns of each kind come first and do not count: code is compiled in them. */
  private static final int FIRST_TURNS = 2;

  /** Who begins, and who comes next: each has each place equally often. */
  private static final int[][] ORDERS = {
    {0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {0, 2, 1}
  };

  private final Ycsb options;
  private final Deployment deployment;
  private final Results results;
  private final Progress progress;
  private final PrintStream out;
  private final List<TableName> made = new ArrayList<>();
  private final ExecutorService writers = Executors.newFixedThreadPool(2);
  private final Thread hook = new Thread(this::dropAll, "winnow-drop-tables");

  /** As it is set; {@code null} before the first restart. */
  private ServerCache cache;

  private boolean codeIsWarm;

  /**
   * Tables with the same rows, and one way to read them.
   *
   * @param contenders three
   * @param table of a contender
   * @param rounds turns of each table
   * @param benchmark under which results are kept, with the parameters {@code at} and the filter
   * @param settings of the workload, beside the profile's
   */
  record Contest<C extends TableContender>(
      List<C> contenders,
      Function<C, TableName> table,
      Profile profile,
      KeySpace keys,
      int files,
      int rounds,
      Map<String, String> settings,
      String benchmark,
      Map<String, String> at) {}

  /** Told more of a turn than {@link #record} keeps. */
  interface Recorder<C extends TableContender> {
    void record(C contender, Map<String, String> at, Turn.Outcome outcome);
  }

  private Workbench(
      Ycsb options, Deployment deployment, Results results, Progress progress, PrintStream out) {
    this.options = options;
    this.deployment = deployment;
    this.results = results;
    this.progress = progress;
    this.out = out;
  }

  /** One for a run; to be closed at its end. */
  static Workbench open(
      Ycsb options, Deployment deployment, Results results, Progress progress, PrintStream out) {
    Workbench bench = new Workbench(options, deployment, results, progress, out);
    Runtime.getRuntime().addShutdownHook(bench.hook);
    return bench;
  }

  Ycsb options() {
    return options;
  }

  Deployment deployment() {
    return deployment;
  }

  Results results() {
    return results;
  }

  Progress progress() {
    return progress;
  }

  // ==== how long it takes, in seconds

  /** Of one table, long keys being most of what is written. */
  static double loadSeconds(Ycsb options, int keyLength) {
    return 4 + options.rows / 300_000.0 * (1 + keyLength / 300.0);
  }

  /** With its warm-up, and what the counters take to stand still. */
  static double turnSeconds(Ycsb options) {
    return options.duration * 1.7 + 0.7;
  }

  /** Of one table, after each restart. */
  static double firstTurnsSeconds(Ycsb options) {
    return FIRST_TURNS * turnSeconds(options);
  }

  static double restartSeconds() {
    return 20;
  }

  /** The contenders in the order in which they have their turns in a round. */
  static <C> List<C> order(List<C> contenders, int round) {
    List<C> order = new ArrayList<>();
    for (int place : ORDERS[Math.floorMod(round, ORDERS.length)]) {
      order.add(contenders.get(place));
    }
    return order;
  }

  // ==== tables

  /** Writes files, two at once. */
  List<Path> write(List<Callable<Path>> tasks) throws IOException, InterruptedException {
    List<Future<Path>> futures = new ArrayList<>();
    tasks.forEach(task -> futures.add(writers.submit(task)));
    List<Path> written = new ArrayList<>();
    for (Future<Path> future : futures) {
      try {
        written.add(future.get());
      } catch (ExecutionException e) {
        throw new IOException(e.getCause().getMessage(), e.getCause());
      }
    }
    return written;
  }

  /** The directory for the files of tables of one purpose. */
  Path staging(String purpose) {
    return new Path(deployment.staging(), purpose);
  }

  /** To be told of rows written; says every other second how many they are. */
  LongConsumer rowsWritten(TableContender contender) {
    AtomicLong rows = new AtomicLong();
    AtomicLong due = new AtomicLong(System.nanoTime() + 2_000_000_000L);
    return count -> {
      long sum = rows.addAndGet(count);
      long now = System.nanoTime();
      long next = due.get();
      if (now > next && due.compareAndSet(next, now + 2_000_000_000L)) {
        out.printf(Locale.ROOT, "  %s: %,d rows written%n", contender.id(), sum);
      }
    };
  }

  /** Makes a table of files, to be dropped at the end at the latest. */
  void create(
      TableName table, TableContender contender, int keyLength, byte[][] splits, List<Path> files)
      throws IOException {
    made.add(table);
    RunTables.create(deployment, table, contender, keyLength, splits, files);
  }

  void drop(TableName table) throws IOException {
    RunTables.drop(deployment, table);
    made.remove(table);
  }

  // ==== reading

  /** The servers' block caches, summed up; {@code null} before they were set. */
  ServerCache cache() {
    return cache;
  }

  /** Restarts the servers if it must. */
  void setCache(ServerCache wanted) throws IOException, InterruptedException {
    if (wanted.equals(cache)) {
      return;
    }
    deployment.restart(wanted.of(deployment.servers().size()));
    cache = wanted;
    codeIsWarm = false;
    progress.step(restartSeconds(), "restart", wanted.text());
  }

  /** All turns of a contest, round by round; the first after a restart are for the code's sake. */
  <C extends TableContender> void turns(Contest<C> contest, Recorder<C> recorder)
      throws IOException, InterruptedException {
    if (!codeIsWarm) {
      for (C contender : contest.contenders()) {
        for (int first = 1; first <= FIRST_TURNS; first++) {
          turn(contest, contender, -first);
        }
        progress.step(
            firstTurnsSeconds(options), "warming the code, " + contender.id(), "not counted");
      }
      codeIsWarm = true;
    }
    for (int round = 0; round < contest.rounds(); round++) {
      for (C contender : order(contest.contenders(), round)) {
        Map<String, String> at = new TreeMap<>(contest.at());
        at.put("filter", contender.id());
        int number = round;
        CountingTurn counting =
            CountingTurn.of(
                "%s, round %d, %s".formatted(contest.profile().name(), round + 1, contender.id()),
                Profile.SCANS.contains(contest.profile().name()) ? 0 : contest.files(),
                () -> turn(contest, contender, number),
                flaw -> out.println("  " + flaw));
        Turn.Outcome outcome = counting.outcome();
        results.add(contest.benchmark(), at, "repeats", counting.repeats());
        record(contest.benchmark(), at, outcome);
        recorder.record(contender, at, outcome);
        progress.step(
            turnSeconds(options),
            "%s, %d-byte keys, round %d, %s"
                .formatted(
                    contest.profile().name(),
                    contest.keys().keyLength(),
                    round + 1,
                    contender.id()),
            "%,.0f rows/s, mean %.2f ms, hits %s"
                .formatted(
                    outcome.rowsPerSecond(),
                    outcome.latencies().getMean() / 1e6,
                    Table.number(100 * outcome.counted().hitRatio(), 2) + " %"));
      }
    }
  }

  private <C extends TableContender> Turn.Outcome turn(Contest<C> contest, C contender, int round)
      throws IOException, InterruptedException {
    RunTables.forget(deployment, contest.contenders().stream().map(contest.table()).toList());
    Properties properties = properties(contest, contender);
    // All are asked for the same rows in the same order. Each round draws other popular rows.
    properties.setProperty(ReadWorkload.DRAW, Integer.toString(draw(round)));
    properties.setProperty(ReadWorkload.SEED, Integer.toString(draw(round)));
    List<DB> databases = new ArrayList<>();
    ReadWorkload workload = new ReadWorkload();
    try {
      workload.init(properties);
      for (int i = 0; i < options.threads; i++) {
        DB database = new WinnowHBaseClient();
        database.setProperties(properties);
        database.init();
        databases.add(database);
      }
      return Turn.run(workload, properties, databases, options.duration, deployment);
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

  /** The draw of a round's popular rows, and the seed of its reads: never 0, which draws none. */
  static int draw(int round) {
    return round + FIRST_TURNS + 1;
  }

  private <C extends TableContender> Properties properties(Contest<C> contest, C contender) {
    Properties properties = new Properties();
    properties.putAll(contest.profile().properties());
    properties.setProperty("table", contest.table().apply(contender).getNameAsString());
    properties.setProperty("recordcount", Long.toString(contest.keys().rows()));
    properties.setProperty(ReadWorkload.KEY_LENGTH, Integer.toString(contest.keys().keyLength()));
    properties.setProperty(ReadWorkload.FILES, Integer.toString(contest.files()));
    contest.settings().forEach(properties::setProperty);
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

  private void record(String benchmark, Map<String, String> at, Turn.Outcome outcome) {
    Histogram latencies = outcome.latencies();
    ServerCounters counted = outcome.counted();
    double rows = outcome.rows();
    results.add(benchmark, at, "rowsPerSecond", outcome.rowsPerSecond());
    results.add(benchmark, at, "warmUpSeconds", outcome.warmth().seconds());
    results.add(benchmark, at, "warmUpStood", outcome.warmth().stood() ? 1 : 0);
    results.add(benchmark, at, "meanMicros", latencies.getMean() / 1e3);
    results.add(benchmark, at, "p50Micros", latencies.getValueAtPercentile(50) / 1e3);
    results.add(benchmark, at, "p95Micros", latencies.getValueAtPercentile(95) / 1e3);
    results.add(benchmark, at, "p99Micros", latencies.getValueAtPercentile(99) / 1e3);
    results.add(benchmark, at, "hitRatio", counted.hitRatio());
    results.add(benchmark, at, "dataHitRatio", counted.dataHitRatio());
    results.add(benchmark, at, "filterHitRatio", counted.filterHitRatio());
    results.add(benchmark, at, "blocksReadPerRow", counted.blocksRead() / rows);
    results.add(benchmark, at, "filesAskedPerRow", outcome.filesAskedPerRow());
    results.add(benchmark, at, "filesSkippedPerRow", counted.filterNegatives() / rows);
    results.add(benchmark, at, "serverCpuMicrosPerRow", counted.cpuNanos() / 1e3 / rows);
  }

  // ==== the end

  @Override
  public void close() {
    writers.shutdownNow();
    dropAll();
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
}
