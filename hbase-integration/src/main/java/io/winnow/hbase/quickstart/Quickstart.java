package io.winnow.hbase.quickstart;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import io.winnow.hbase.storefile.StoreFileFilter;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * {@code ./winnow quickstart}: one table per kind of filter, the same rows in each, in a real HBase
 * that is started for it; load, flush, major compaction, reads of hits and misses through HBase's
 * client, and at the end every row once more.
 *
 * <p>The false-positive rate is counted: the filter of the compacted store file, opened by HBase's
 * own classes, is asked for up to a million absent keys. The rates of gets are medians of rounds in
 * which the tables take turns, their ratios are taken round by round; with few rows nothing is
 * timed.
 */
public final class Quickstart {

  /** A table's filter: its name in the report, and the family's CONFIGURATION. */
  record Kind(String name, Map<String, String> configuration) {
    TableName table() {
      return TableName.valueOf("quickstart_" + name.replace('-', '_'));
    }
  }

  static final List<Kind> KINDS =
      List.of(
          new Kind("bloom", Map.of()),
          new Kind("ribbon", Map.of("winnow.filter", "ribbon")),
          new Kind("bumped-ribbon", Map.of("winnow.filter", "bumped-ribbon")));

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("v");
  private static final int BATCH = 1_000;
  private static final int THREADS = 2;
  private static final int HITS_PER_ROUND = 20_000;
  private static final int MISSES_PER_ROUND = 50_000;
  private static final int ABSENT_KEYS = 1_000_000;
  private static final int FEWEST_ABSENT_KEYS = 100_000;

  /** The order in which the tables take turns: each of these twice, one order per round. */
  private static final int[][] ORDERS = {
    {0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}, {1, 0, 2}
  };

  private static final int ROUNDS = 2 * ORDERS.length;

  /** With fewer, a turn is too short to be timed. */
  private static final int TIMED_ROWS = 10_000;

  private static final long COMPACTION_SECONDS = 600;
  private static final long COMPACTION_RETRY_SECONDS = 20;

  private static final int EXIT_FAILED = 1;
  private static final int EXIT_ROWS_LOST = 2;
  private static final int EXIT_USAGE = 64;

  private final QuickstartOptions options;
  private final PrintStream progress;
  private final RowKeys keys;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS,
          task -> {
            Thread thread = new Thread(task, "quickstart");
            thread.setDaemon(true);
            return thread;
          });

  private Quickstart(QuickstartOptions options, PrintStream progress, RowKeys keys) {
    this.options = options;
    this.progress = progress;
    this.keys = keys;
  }

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(run(args));
  }

  private static int run(String[] args) {
    QuickstartOptions options;
    try {
      options = QuickstartOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("winnow quickstart: " + e.getMessage() + "\n" + QuickstartOptions.USAGE);
      return EXIT_USAGE;
    }
    if (options.help()) {
      System.out.println(QuickstartOptions.USAGE);
      return 0;
    }
    try {
      UserFiles.requireWritable(options.json());
      RowKeys keys =
          options.keys() == null ? RowKeys.generate(options.rows()) : RowKeys.read(options.keys());
      Report report =
          new Quickstart(options, System.err, keys).runIn(directory(options), command(args));
      System.out.print("\n" + report.text());
      if (options.json() != null) {
        Files.writeString(options.json(), report.json());
      }
      if (options.keep() != null) {
        System.out.printf(
            "%nThe data is in %s. To start HBase on it again, and how to connect:%n"
                + "  ./winnow hbase '%s' --port 2181%n"
                + "  hbase.zookeeper.quorum=127.0.0.1, hbase.zookeeper.property.clientPort=2181,"
                + " tables %s%n",
            options.keep(),
            options.keep(),
            String.join(", ", KINDS.stream().map(kind -> kind.table().getNameAsString()).toList()));
      }
      if (report.rowsLost() != 0) {
        System.err.println("winnow quickstart: " + report.rowsLost() + " ROWS WERE LOST");
        return EXIT_ROWS_LOST;
      }
      return 0;
    } catch (InterruptedException e) {
      System.err.println("winnow quickstart: interrupted");
      return EXIT_FAILED;
    } catch (IOException | ExecutionException | RuntimeException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      System.err.println(
          "winnow quickstart: "
              + (cause instanceof IOException io ? UserFiles.sentence(io) : cause));
      return EXIT_FAILED;
    }
  }

  /** As it is told in the result: without names of files. */
  private static String command(String... args) {
    StringBuilder command = new StringBuilder("./winnow quickstart");
    for (int i = 0; i < args.length; i++) {
      String name = args[i].split("=", 2)[0];
      if (name.equals("--rows")) {
        command.append(' ').append(args[i]);
        command.append(args[i].contains("=") ? "" : " " + args[++i]);
      } else if (name.equals("--keys")) {
        command.append(" --keys FILE");
      }
    }
    return command.toString();
  }

  /** Where the data goes: the user's directory, or one that is deleted whatever happens. */
  private static Path directory(QuickstartOptions options) throws IOException {
    if (options.keep() == null) {
      return ScratchDirectory.create(null, "winnow-quickstart-");
    }
    Path directory = options.keep();
    if (Files.exists(directory)) {
      if (!Files.isDirectory(directory)) {
        throw new IOException(directory + " is taken: not a directory");
      }
      try (var entries = Files.list(directory)) {
        if (entries.findAny().isPresent()) {
          throw new IOException("the directory " + directory + " is taken: not empty");
        }
      }
    }
    return directory;
  }

  private Report runIn(Path directory, String command)
      throws IOException, InterruptedException, ExecutionException {
    progress.printf("%,d rows%s%n", keys.size(), leftOut());
    StandaloneHBase.Builder builder =
        StandaloneHBase.builder(directory)
            .zooKeeperPort(options.port())
            // Compacted files are put away at once: what is left is what is measured.
            .property("hbase.hfile.compaction.discharger.interval", "1000")
            .progress(message -> progress.println("  " + message));
    // HBase's client makes a directory for itself: not one that stays in /tmp.
    System.setProperty("hbase.tmp.dir", directory.resolve("tmp").toString());
    String agent = System.getProperty("winnow.agent.jar");
    if (agent != null) {
      builder.agent(Path.of(agent));
    }
    if (options.keep() == null) {
      builder.throwaway();
    }
    Progress starting = Progress.counting(progress, "Starting HBase in " + directory, "", 0);
    StandaloneHBase hbase = builder.start();
    starting.close();
    Thread watcher = watch(hbase);
    try (Connection connection = ConnectionFactory.createConnection(hbase.configuration())) {
      return measure(hbase, connection, command);
    } catch (IOException | ExecutionException | InterruptedException e) {
      if (hbase.isLost()) {
        throw new IOException("HBase ended while it was being used\n" + hbase.tail(), e);
      }
      throw e;
    } finally {
      threads.shutdownNow();
      end(watcher);
      if (options.keep() == null) {
        hbase.kill();
      } else {
        Progress stopping = Progress.counting(progress, "Stopping HBase", "", 0);
        hbase.close();
        stopping.close();
      }
    }
  }

  /** Interrupts this thread if HBase is lost: its client would try again for many minutes. */
  private static Thread watch(StandaloneHBase hbase) {
    Thread user = Thread.currentThread();
    Thread watcher =
        new Thread(
            () -> {
              try {
                while (!hbase.isLost()) {
                  TimeUnit.SECONDS.sleep(2);
                }
                user.interrupt();
              } catch (InterruptedException e) {
                // HBase is not used any more.
              }
            },
            "quickstart-watch");
    watcher.setDaemon(true);
    watcher.start();
    return watcher;
  }

  /**
   * Before HBase is ended: that is no loss. A watcher that found one in this moment may interrupt
   * this thread once more, which must not keep it from ending HBase.
   */
  private static void end(Thread watcher) {
    watcher.interrupt();
    while (watcher.isAlive()) {
      try {
        watcher.join();
      } catch (InterruptedException e) {
        // by the watcher: what it found is told already
      }
    }
    Thread.interrupted();
  }

  private String leftOut() {
    List<String> counts = new ArrayList<>();
    if (keys.duplicates() > 0) {
      counts.add(String.format(Locale.ROOT, "%,d repeated", keys.duplicates()));
    }
    if (keys.emptyLines() > 0) {
      counts.add(String.format(Locale.ROOT, "%,d empty", keys.emptyLines()));
    }
    return counts.isEmpty() ? "" : " (lines left out: " + String.join(", ", counts) + ")";
  }

  private Report measure(StandaloneHBase hbase, Connection connection, String command)
      throws IOException, InterruptedException, ExecutionException {
    long begin = System.nanoTime();
    load(connection);
    compact(hbase, connection);
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
              getsPerSecond(
                  connection, kind, round(hits, first, keys.size(), keys::hit), true, step);
          double missRate =
              getsPerSecond(
                  connection,
                  kind,
                  round(absent, first, misses.length, i -> misses[i]),
                  false,
                  step);
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
        lost[kind] = rowsLost(connection, kind, step);
      }
    }

    List<Report.Measured> tables = new ArrayList<>();
    try (Progress step =
        Progress.counting(
            progress,
            "Asking the store files' filters for absent keys",
            "keys",
            (long) misses.length * KINDS.size())) {
      for (int kind = 0; kind < KINDS.size(); kind++) {
        try (StoreFileFilter filter =
            StoreFileFilter.open(hbase.configuration(), onlyFile(hbase, KINDS.get(kind)))) {
          long falsePositives = 0;
          for (int i = 0; i < misses.length; i++) {
            falsePositives += filter.mightContain(misses[i]) ? 1 : 0;
            if ((i + 1) % BATCH == 0) {
              step.add(BATCH);
            }
          }
          tables.add(
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
        tables);
  }

  private void load(Connection connection)
      throws IOException, InterruptedException, ExecutionException {
    try (Admin admin = connection.getAdmin()) {
      for (Kind kind : KINDS) {
        ColumnFamilyDescriptorBuilder family =
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBloomFilterType(BloomType.ROW);
        kind.configuration().forEach(family::setConfiguration);
        admin.createTable(
            TableDescriptorBuilder.newBuilder(kind.table())
                .setColumnFamily(family.build())
                .build());
      }
    }
    try (Progress step =
        Progress.counting(progress, "Loading", "rows", (long) keys.size() * KINDS.size())) {
      List<Callable<Long>> tasks = new ArrayList<>();
      for (Kind kind : KINDS) {
        tasks.add(
            () -> {
              try (Table table = connection.getTable(kind.table())) {
                for (int from = 0; from < keys.size(); from += BATCH) {
                  List<Put> batch = new ArrayList<>(BATCH);
                  for (int i = from; i < Math.min(from + BATCH, keys.size()); i++) {
                    byte[] key = keys.hit(i);
                    batch.add(new Put(key).addColumn(FAMILY, QUALIFIER, RowKeys.value(key)));
                  }
                  int size = batch.size();
                  table.put(batch);
                  step.add(size);
                }
                return 0L;
              }
            });
      }
      sum(tasks);
    }
  }

  /** Flushes and major-compacts: each table is one store file then. */
  private void compact(StandaloneHBase hbase, Connection connection)
      throws IOException, InterruptedException {
    try (Admin admin = connection.getAdmin();
        Progress step =
            Progress.counting(progress, "Flushing and major-compacting", "tables", KINDS.size())) {
      long start = System.nanoTime();
      for (Kind kind : KINDS) {
        flush(hbase, admin, kind, start, step);
        admin.majorCompact(kind.table());
      }
      for (Kind kind : KINDS) {
        long asked = System.nanoTime();
        while (admin.getCompactionState(kind.table()) != CompactionState.NONE
            || compactedFile(hbase, kind) == null) {
          TimeUnit.MILLISECONDS.sleep(250);
          step.add(0);
          requireInTime(hbase, kind, start);
          // A request may have met a minor compaction and be lost.
          if (System.nanoTime() - asked > TimeUnit.SECONDS.toNanos(COMPACTION_RETRY_SECONDS)
              && admin.getCompactionState(kind.table()) == CompactionState.NONE) {
            admin.majorCompact(kind.table());
            asked = System.nanoTime();
          }
        }
        step.add(1);
      }
    }
  }

  /**
   * Flushes till the memory stores are empty. Region by region: HBase's procedure that flushes a
   * table may wait forever when it meets a flush that began by itself.
   */
  private static void flush(
      StandaloneHBase hbase, Admin admin, Kind kind, long start, Progress step)
      throws IOException, InterruptedException {
    while (true) {
      boolean empty = true;
      for (ServerName server : admin.getRegionServers()) {
        for (RegionMetrics region : admin.getRegionMetrics(server, kind.table())) {
          if (region.getMemStoreSize().getLongValue() > 0) {
            empty = false;
            admin.flushRegion(region.getRegionName());
          }
        }
      }
      if (empty) {
        return;
      }
      requireInTime(hbase, kind, start);
      step.add(0);
      TimeUnit.MILLISECONDS.sleep(250);
    }
  }

  private static void requireInTime(StandaloneHBase hbase, Kind kind, long start)
      throws IOException {
    if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(COMPACTION_SECONDS)) {
      throw new IOException(
          kind.table()
              + " was not flushed and compacted within "
              + COMPACTION_SECONDS
              + " s\n"
              + hbase.tail());
    }
  }

  private static Path onlyFile(StandaloneHBase hbase, Kind kind) throws IOException {
    Path file = compactedFile(hbase, kind);
    if (file == null) {
      throw new IOException(kind.table() + " is no longer one major-compacted store file");
    }
    return file;
  }

  /** The one store file of the table, or {@code null} while the compaction is not done. */
  private static Path compactedFile(StandaloneHBase hbase, Kind kind) throws IOException {
    Path table =
        hbase
            .directory()
            .resolve("hbase")
            .resolve("data")
            .resolve("default")
            .resolve(kind.table().getNameAsString());
    try {
      List<Path> files = StoreFileFilter.filesOf(table, Bytes.toString(FAMILY));
      if (files.size() != 1) {
        return null;
      }
      try (StoreFileFilter filter = StoreFileFilter.open(hbase.configuration(), files.get(0))) {
        return filter.majorCompacted() ? files.get(0) : null;
      }
    } catch (FileNotFoundException | NoSuchFileException e) {
      // Compacted and put away in this very moment.
      return null;
    }
  }

  /** The keys of one round: as many as asked, from another place in each round, around the end. */
  private static List<byte[]> round(int count, int round, int size, IntFunction<byte[]> key) {
    List<byte[]> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      rows.add(key.apply((int) (((long) round * count + i) % size)));
    }
    return rows;
  }

  private double getsPerSecond(
      Connection connection, int kind, List<byte[]> rows, boolean present, Progress step)
      throws InterruptedException, ExecutionException {
    long start = System.nanoTime();
    long found = gets(connection, kind, rows, step);
    if (!present && found != 0) {
      throw new IllegalStateException("a key that was never written has a row");
    }
    return rows.size() / ((System.nanoTime() - start) / 1e9);
  }

  private long rowsLost(Connection connection, int kind, Progress step)
      throws InterruptedException, ExecutionException {
    long found = 0;
    int slice = 100 * BATCH;
    for (int from = 0; from < keys.size(); from += slice) {
      List<byte[]> rows = new ArrayList<>(slice);
      for (int i = from; i < Math.min(from + slice, keys.size()); i++) {
        rows.add(keys.hit(i));
      }
      found += gets(connection, kind, rows, step);
    }
    return keys.size() - found;
  }

  /** Multi-gets from all threads; returns how many rows were there with their value. */
  private long gets(Connection connection, int kind, List<byte[]> rows, Progress step)
      throws InterruptedException, ExecutionException {
    TableName name = KINDS.get(kind).table();
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      List<byte[]> part =
          rows.subList(
              (int) ((long) rows.size() * thread / THREADS),
              (int) ((long) rows.size() * (thread + 1) / THREADS));
      tasks.add(
          () -> {
            long found = 0;
            try (Table table = connection.getTable(name)) {
              for (int from = 0; from < part.size(); from += BATCH) {
                List<byte[]> batch = part.subList(from, Math.min(from + BATCH, part.size()));
                Result[] results =
                    table.get(
                        batch.stream()
                            .map(row -> new Get(row).addColumn(FAMILY, QUALIFIER))
                            .toList());
                for (int i = 0; i < results.length; i++) {
                  byte[] value = results[i].getValue(FAMILY, QUALIFIER);
                  found +=
                      value != null && Arrays.equals(value, RowKeys.value(batch.get(i))) ? 1 : 0;
                }
                step.add(batch.size());
              }
            }
            return found;
          });
    }
    return sum(tasks);
  }

  private long sum(List<Callable<Long>> tasks) throws InterruptedException, ExecutionException {
    long sum = 0;
    for (Future<Long> result : threads.invokeAll(tasks)) {
      sum += result.get();
    }
    return sum;
  }

  private static Double median(double[] values) {
    return values.length == 0 ? null : Double.valueOf(Math.rint(Results.median(values)));
  }

  /** Over the first kind, round by round. */
  private static PairedRatio ratio(int kind, double[][] rates) {
    return kind == 0 || rates[kind].length == 0 ? null : PairedRatio.of(rates[kind], rates[0]);
  }
}
