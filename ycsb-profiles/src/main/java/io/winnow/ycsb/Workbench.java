package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.contest.WarmUp;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.WorkloadException;

/**
 * The tools that every kind of run of {@code ./winnow ycsb} needs: writing store files, making and
 * dropping tables, setting the block cache, and measuring reads of the compared tables in turns.
 *
 * <p>All tables are in the same servers and share their block caches. So before a turn the blocks
 * of all tables of the contest are evicted, and then the table whose turn it is warms the caches:
 * each table is measured with the whole cache to itself, after the same warm-up.
 */
final class Workbench implements Closeable {
  /**
   * Number of rounds that are compared with as many earlier ones, to detect that the JIT has
   * compiled the servers' code. After a restart rounds do not count until rows per second of the
   * servers' CPU time no longer rise.
   */
  private static final int FIRST_ROUNDS_COMPARED = 2;

  /**
   * Maximum number of rounds after a restart of the servers that do not count; the results record
   * whether it was reached.
   */
  static final int MAX_FIRST_ROUNDS = 12;

  /** Maximum width of a narrow interval of a ratio, as a share of the ratio. */
  private static final double NARROW = 0.1;

  /**
   * Number of threads for operations at a fixed rate, which is the maximum number of operations
   * that wait for their results at once.
   */
  private static final int ARRIVAL_THREADS = 8;

  /**
   * Factor by which measurements at a fixed rate of operations are longer than others, to have
   * enough operations.
   */
  private static final int ARRIVAL_DURATIONS = 5;

  /** Name that the fixed rate of operations has in the results. */
  static final String ARRIVALS = "arrivals";

  /** Name that the number of rounds that did not count has in the results. */
  static final String FIRST_ROUNDS = "firstRounds";

  private final Ycsb options;
  private final Deployment deployment;
  private final Results results;
  private final Progress progress;
  private final PrintStream out;
  private final Optional<Results> earlier;
  private final Consumer<Results> unfinished;
  private final List<TableName> made = new ArrayList<>();
  private final ExecutorService writers = Executors.newFixedThreadPool(2);
  private final Thread hook = new Thread(this::dropAll, "winnow-drop-tables");

  /** The current sizes of the servers' block caches; {@code null} before the first restart. */
  private ServerCache cache;

  private boolean codeIsWarm;

  /**
   * A comparison of tables that have the same rows, by one workload that reads them.
   *
   * @param contenders two or three contenders, stock's first
   * @param table the table of a contender
   * @param rounds minimum number of turns of each table
   * @param mostRounds maximum number of turns of each table, until the interval of the ratio of the
   *     last contender's throughput to the first's is within 10 %; 0 to run exactly {@code rounds}
   * @param benchmark the benchmark of the results, whose parameters are {@code at} and the filter
   * @param settings settings of the workload, beside the profile's
   * @param meanwhile a task that runs in a contender's turns; null for none
   */
  record Contest<C extends TableContender>(
      List<C> contenders,
      Function<C, TableName> table,
      Profile profile,
      KeySpace keys,
      int files,
      int rounds,
      int mostRounds,
      Map<String, String> settings,
      String benchmark,
      Map<String, String> at,
      Function<C, Turn.Meanwhile> meanwhile) {}

  /** A function that adds further figures of a measured table to the results. */
  interface Recorder<C extends TableContender> {
    void record(C contender, Map<String, String> at, Turn.Outcome outcome);
  }

  private Workbench(
      Ycsb options,
      Deployment deployment,
      Results results,
      Progress progress,
      PrintStream out,
      Optional<Results> earlier,
      Consumer<Results> unfinished) {
    this.options = options;
    this.deployment = deployment;
    this.results = results;
    this.progress = progress;
    this.out = out;
    this.earlier = earlier;
    this.unfinished = unfinished;
  }

  /**
   * Opens the tools with which a run of {@code ./winnow ycsb} measures tables; the run must close
   * them at its end.
   *
   * @param earlier results of an interrupted run that is resumed
   * @param unfinished receives the results after each contest
   */
  static Workbench open(
      Ycsb options,
      Deployment deployment,
      Results results,
      Progress progress,
      PrintStream out,
      Optional<Results> earlier,
      Consumer<Results> unfinished) {
    Workbench bench =
        new Workbench(options, deployment, results, progress, out, earlier, unfinished);
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

  /** Prints an indented line for the user. */
  void print(String line) {
    out.println("  " + line);
  }

  Progress progress() {
    return progress;
  }

  // ==== how long it takes, in seconds

  /**
   * Returns the approximate seconds to load one table, which mostly depend on the length of row
   * keys.
   */
  static double loadSeconds(Ycsb options, int keyLength) {
    return 4 + options.rows / 300_000.0 * (1 + keyLength / 300.0);
  }

  /**
   * Returns the approximate seconds to measure one table once, with its warm-up and the wait for
   * the servers' counters.
   */
  static double turnSeconds(Ycsb options) {
    return options.duration * 1.7 + 0.7;
  }

  /**
   * Returns the approximate seconds of those measurements of one table, after each restart of the
   * servers, that do not count.
   */
  static double firstTurnsSeconds(Ycsb options) {
    return (2 * FIRST_ROUNDS_COMPARED + 1) * turnSeconds(options);
  }

  static double restartSeconds() {
    return 20;
  }

  // ==== tables

  /** Runs tasks that write store files, two at a time. */
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

  /** Returns the directory into which the store files of a set of tables are written. */
  Path staging(String purpose) {
    return new Path(deployment.staging(), purpose);
  }

  /**
   * Returns a listener that adds up numbers of written rows and prints their sum every other
   * second.
   */
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

  /** Makes a table from store files; the table is dropped when the run ends, or earlier. */
  void create(
      TableName table, TableContender contender, int keyLength, byte[][] splits, List<Path> files)
      throws IOException {
    made.add(table);
    RunTables.create(deployment, table, contender, keyLength, options.blocks, splits, files);
  }

  void drop(TableName table) throws IOException {
    RunTables.drop(deployment, table);
    made.remove(table);
  }

  // ==== reading

  /**
   * Returns the sizes of the servers' block caches, summed up; {@code null} before they were set.
   */
  ServerCache cache() {
    return cache;
  }

  /**
   * Sets the sizes of the servers' block caches; restarts the servers if the sizes differ from
   * before.
   */
  void setCache(ServerCache wanted) throws IOException, InterruptedException {
    if (wanted.equals(cache)) {
      return;
    }
    deployment.restart(wanted.of(deployment.servers().size()));
    cache = wanted;
    codeIsWarm = false;
    progress.step(restartSeconds(), "restart", wanted.text());
  }

  /**
   * Measures reads of all compared tables, round by round, unless the results of the resumed run
   * have the figures.
   */
  <C extends TableContender> void turns(Contest<C> contest, Recorder<C> recorder)
      throws IOException, InterruptedException {
    if (earlier.isPresent() && isIn(earlier.get(), contest)) {
      for (String benchmark : List.of(contest.benchmark(), ARRIVALS, FIRST_ROUNDS)) {
        results.copyCases(earlier.get(), benchmark, contest.at());
      }
      out.printf("  %s: copied from the interrupted run%n", contest.profile().name());
      return;
    }
    if (!codeIsWarm) {
      warmCode(contest);
    }
    double arrivals = contest.profile().arrivals() * slowestOperations(contest);
    if (arrivals > 0) {
      results.add(ARRIVALS, contest.at(), "perSecond", arrivals);
    }
    int round = 0;
    while (round < contest.rounds()
        || (round >= Ycsb.ORDERS // fewer are a trial
            && round < contest.mostRounds()
            && (round % Ycsb.ORDERS != 0 || !isNarrow(contest)))) {
      for (C contender : Orders.of(contest.contenders(), round)) {
        counted(contest, contender, round, arrivals, recorder);
      }
      round++;
    }
    unfinished.accept(results);
  }

  /**
   * Returns whether the results of an interrupted run have all figures of a comparison of tables; a
   * run keeps whole comparisons only.
   */
  private static boolean isIn(Results earlier, Contest<?> contest) {
    return earlier.hasCases(contest.benchmark(), contest.at());
  }

  private <C extends TableContender> boolean isNarrow(Contest<C> contest) {
    List<double[]> rows = new ArrayList<>();
    for (C contender : contest.contenders()) {
      rows.add(
          results.samples(
              contest.benchmark(),
              "rowsPerSecond",
              Stream.concat(
                      contest.at().entrySet().stream(),
                      Map.of("filter", contender.id()).entrySet().stream())
                  .flatMap(one -> Stream.of(one.getKey(), one.getValue()))
                  .toArray()));
    }
    return isNarrow(PairedRatio.of(rows.get(rows.size() - 1), rows.get(0)));
  }

  static boolean isNarrow(PairedRatio ratio) {
    return ratio.hasInterval() && ratio.high() - ratio.low() <= NARROW * ratio.median();
  }

  /**
   * Runs rounds of measurements that do not count, until the JIT has compiled the servers' code.
   */
  private <C extends TableContender> void warmCode(Contest<C> contest)
      throws IOException, InterruptedException {
    WarmUp warmUp = new WarmUp(FIRST_ROUNDS_COMPARED);
    boolean stands = false;
    int round = 0;
    while (round < MAX_FIRST_ROUNDS && !stands) {
      round++;
      double nanosPerRow = 0;
      for (C contender : contest.contenders()) {
        Turn.Outcome outcome = turn(contest, contender, -round, 0);
        nanosPerRow += (double) outcome.counted().cpuNanos() / outcome.rows();
      }
      stands = warmUp.stands(contest.contenders().size() * 1e9 / nanosPerRow);
      out.printf(
          Locale.ROOT,
          "  warming the code, not counted: %.1f µs of CPU a row%n",
          nanosPerRow / 1e3 / contest.contenders().size());
    }
    results.add(FIRST_ROUNDS, contest.at(), "rounds", round);
    results.add(FIRST_ROUNDS, contest.at(), "stood", stands ? 1 : 0);
    progress.step(
        contest.contenders().size() * firstTurnsSeconds(options),
        "warming the code",
        "%d rounds not counted".formatted(round));
    codeIsWarm = true;
  }

  /**
   * Returns the operations per second of the slowest table in a closed loop; 0 if the workload's
   * rate does not depend on it.
   */
  private <C extends TableContender> double slowestOperations(Contest<C> contest)
      throws IOException, InterruptedException {
    double slowest = Double.POSITIVE_INFINITY;
    if (contest.profile().arrivals() > 0) {
      for (C contender : contest.contenders()) {
        Turn.Outcome outcome = turn(contest, contender, -MAX_FIRST_ROUNDS, 0);
        slowest = Math.min(slowest, outcome.latencies().getTotalCount() / outcome.seconds());
      }
    }
    return Double.isInfinite(slowest) ? 0 : slowest;
  }

  private <C extends TableContender> void counted(
      Contest<C> contest, C contender, int round, double arrivals, Recorder<C> recorder)
      throws IOException, InterruptedException {
    Map<String, String> at = new TreeMap<>(contest.at());
    at.put("filter", contender.id());
    CountingTurn counting =
        CountingTurn.of(
            "%s, round %d, %s".formatted(contest.profile().name(), round + 1, contender.id()),
            isQueriedInAllFiles(contest.profile()) ? contest.files() : 0,
            () -> turn(contest, contender, round, arrivals),
            flaw -> out.println("  " + flaw));
    Turn.Outcome outcome = counting.outcome();
    results.add(contest.benchmark(), at, "repeats", counting.repeats());
    record(contest.benchmark(), at, outcome);
    recorder.record(contender, at, outcome);
    progress.step(
        turnSeconds(options),
        "%s, %d-byte keys, round %d, %s"
            .formatted(
                contest.profile().name(), contest.keys().keyLength(), round + 1, contender.id()),
        "%,.0f rows/s, mean %.2f ms, hits %s"
            .formatted(
                outcome.rowsPerSecond(),
                outcome.latencies().getMean() / 1e6,
                Table.number(100 * outcome.counted().hitRatio(), 2) + " %"));
  }

  /**
   * Returns whether a workload queries each row in all files of its store. Scans do not, nor does a
   * profile whose files change.
   */
  private static boolean isQueriedInAllFiles(Profile profile) {
    return !Profile.SCANS.contains(profile.name()) && !profile.is(Profile.BUSY);
  }

  private <C extends TableContender> Turn.Outcome turn(
      Contest<C> contest, C contender, int round, double arrivals)
      throws IOException, InterruptedException {
    RunTables.evict(deployment, made);
    Properties properties = properties(contest, contender);
    // All tables get the same queries in the same order. Each round draws other popular rows.
    properties.setProperty(ReadWorkload.DRAW, Integer.toString(draw(round)));
    properties.setProperty(ReadWorkload.SEED, Integer.toString(draw(round)));
    List<DB> databases = new ArrayList<>();
    ReadWorkload workload = new ReadWorkload();
    try {
      workload.init(properties);
      for (int i = 0; i < (arrivals > 0 ? ARRIVAL_THREADS : options.threads); i++) {
        DB database = new WinnowHBaseClient();
        database.setProperties(properties);
        database.init();
        databases.add(database);
      }
      double seconds = options.duration * (arrivals > 0 ? ARRIVAL_DURATIONS : 1);
      Turn.Manner manner =
          new Turn.Manner(
              seconds, arrivals, round < 0 ? null : contest.meanwhile().apply(contender));
      return Turn.run(workload, properties, databases, manner, deployment);
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

  /**
   * Returns the number that determines the popular rows of a round and is the seed of its reads. It
   * is never 0, which draws none.
   */
  static int draw(int round) {
    return round + MAX_FIRST_ROUNDS + 1;
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
    results.add(benchmark, at, "p999Micros", latencies.getValueAtPercentile(99.9) / 1e3);
    results.add(benchmark, at, "hitRatio", counted.hitRatio());
    results.add(benchmark, at, "dataHitRatio", counted.dataHitRatio());
    results.add(benchmark, at, "filterHitRatio", counted.filterHitRatio());
    results.add(benchmark, at, "blocksReadPerRow", counted.blocksRead() / rows);
    results.add(benchmark, at, "filesAskedPerRow", outcome.filesQueriedPerRow());
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
      // The JVM is going down and runs the hook.
    }
  }

  /**
   * Drops all tables of the run that are left, when it ends or is interrupted, unless the servers
   * end with the run.
   */
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
