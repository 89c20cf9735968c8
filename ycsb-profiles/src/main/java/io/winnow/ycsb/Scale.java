package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Unfinished;
import io.winnow.hbase.settings.Setting;
import io.winnow.ycsb.ScaleReads.Storage;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;

/**
 * The run of {@code --scale}: a large store on storage that is slower than memory.
 *
 * <p><b>The primary figures</b> are operations per second over HBase's in the cases of {@link
 * ScaleCase#PRIMARY}, with 2 ms for each positional read. Each comes from seven launches of server
 * and client; the ratio of a launch is the median of its rounds' ratios. The interval is from the
 * smallest to the largest of the seven (sign test): it misses the true median with a chance of 2 in
 * 128, which is below 5 % divided by three figures (Bonferroni). All other figures come from one
 * launch and are secondary.
 */
record Scale(
    Ycsb options,
    List<String> words,
    Path directory,
    ScaleStore store,
    Results.Setting setting,
    Unfinished unfinished,
    PrintStream out) {
  private static final int LAUNCHES = 7;

  private static final String OTHER = "other";
  private static final String PLAIN = "plain";
  private static final String SMALL_CACHE = "small";
  private static final String BUCKET_CACHE = "bucket";
  private static final String PUTS = "puts";

  /** The names of all launches, in the order of the run. */
  static final List<String> NAMES =
      Stream.concat(
              IntStream.rangeClosed(1, LAUNCHES).mapToObj(String::valueOf),
              Stream.of(OTHER, PLAIN, SMALL_CACHE, BUCKET_CACHE, PUTS))
          .toList();

  private static final String HEAP = "6g";
  private static final String SESSION_MILLIS = "60000";
  private static final String LOADING_MILLIS = "1800000";

  /** Size of the large block cache, as a multiple of HBase's filters. */
  private static final double LARGE = 3;

  /** Size of the small block cache, as a multiple of HBase's filters. */
  private static final double SMALL = 0.5;

  /** Share of the rate of a closed loop at which operations at a fixed rate arrive. */
  private static final double ARRIVAL_SHARE = 0.5;

  /** Bytes of HBase's filters for a row, before there are any. */
  private static final double STOCK_BYTES_PER_ROW = 1.2;

  /** The disk must have room for the tables, and for a copy of one while it is made. */
  private static final double SPARE = 1.4;

  /** Approximate seconds until a launch has started and its code is warm. */
  private static final double LAUNCH_SECONDS = 75;

  /** The block cache of a launch. */
  private enum Cache {
    LARGE_HEAP,
    SMALL_HEAP,
    BUCKET
  }

  /** A case on a storage. */
  private record Task(ScaleCase reads, Storage storage) {
    static List<Task> on(Storage storage, List<ScaleCase> cases) {
      return cases.stream().map(one -> new Task(one, storage)).toList();
    }
  }

  /**
   * A launch of server and client, with all that they measure.
   *
   * @param name the name in results
   * @param rounds number of rounds of each task
   * @param isPlain whether Winnow's short cut past the block cache is off
   * @param isWriting whether rows are written, to copies of the tables
   */
  private record Launch(
      String name, Cache cache, int rounds, boolean isPlain, boolean isWriting, List<Task> tasks) {
    double seconds(double duration) {
      int turns = tasks.size() * rounds * ScaleReads.CONTENDERS;
      return LAUNCH_SECONDS + turns * ScaleReads.weight(duration);
    }
  }

  private List<Launch> launches() {
    List<Launch> all = new ArrayList<>();
    List<Task> primary = Task.on(Storage.MS_2, ScaleCase.PRIMARY);
    for (int i = 1; i <= LAUNCHES; i++) {
      all.add(new Launch("" + i, Cache.LARGE_HEAP, options.rounds, false, false, primary));
    }
    // Enough for an interval of the rounds, unless the run is a trial.
    int rounds = Math.min(Ycsb.OTHER_ROUNDS, 3 * options.rounds);
    List<ScaleCase> gets =
        List.of(ScaleCase.PRESENT, ScaleCase.MOSTLY_ABSENT, ScaleCase.ABSENT_BATCH);
    List<Task> others = new ArrayList<>(Task.on(Storage.MS_20, ScaleCase.PRIMARY));
    others.addAll(
        Task.on(
            Storage.MS_2,
            List.of(
                ScaleCase.PRESENT,
                ScaleCase.HALF,
                ScaleCase.ZIPF,
                ScaleCase.ARRIVALS,
                ScaleCase.PREFIX)));
    others.addAll(Task.on(Storage.DIRECT, ScaleCase.PRIMARY));
    others.addAll(Task.on(Storage.DIRECT, List.of(ScaleCase.PRESENT)));
    List<ScaleCase> puts = List.of(ScaleCase.PUT_NEW, ScaleCase.PUT_PRESENT);
    all.add(new Launch(OTHER, Cache.LARGE_HEAP, rounds, false, false, others));
    all.add(new Launch(PLAIN, Cache.LARGE_HEAP, rounds, true, false, primary));
    all.add(
        new Launch(
            SMALL_CACHE, Cache.SMALL_HEAP, rounds, false, false, Task.on(Storage.MS_2, gets)));
    all.add(
        new Launch(BUCKET_CACHE, Cache.BUCKET, rounds, false, false, Task.on(Storage.MS_2, gets)));
    all.add(new Launch(PUTS, Cache.LARGE_HEAP, rounds, false, true, Task.on(Storage.MS_2, puts)));
    if (!options.launches.isEmpty()) {
      all.removeIf(launch -> !options.launches.contains(launch.name()));
    }
    return all;
  }

  // ==== the whole run

  /** Makes the tables if they are missing, runs each launch in a JVM of its own. */
  Results run() throws IOException, InterruptedException {
    if (!options.resume) {
      unfinished.delete();
      unfinished.write(new Results(setting), 0);
    }
    Results begun = results();
    if (!begun.has(ScaleStore.FILES)) {
      prepare(begun);
    }
    List<Launch> left = launches().stream().filter(launch -> !isDone(begun, launch)).toList();
    double seconds = left.stream().mapToDouble(one -> one.seconds(options.duration)).sum();
    for (Launch launch : left) {
      out.printf(
          "Launch %s, %d figures; about %s minutes for this and all further ones%n",
          launch.name(), launch.tasks().size(), Progress.clock(seconds));
      launch(launch);
      seconds -= launch.seconds(options.duration);
    }
    return results();
  }

  /** Returns the results so far, which the processes of a run share in a file. */
  private Results results() throws IOException {
    return unfinished.read(new Results(setting));
  }

  private static boolean isDone(Results results, Launch launch) {
    return launch.tasks().stream().allMatch(task -> isDone(results, launch, task));
  }

  private static boolean isDone(Results results, Launch launch, Task task) {
    return results.hasCases(
        ScaleReads.READS, ScaleReads.at(task.reads(), task.storage(), launch.name()));
  }

  /** Makes the tables, unless they are there, and records the figures of their filters. */
  private void prepare(Results results) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Files.createDirectories(directory);
    double written = ScaleStore.written(directory); // before a server changes it
    ServerCache cache = ServerCache.onHeap((long) (LARGE * STOCK_BYTES_PER_ROW * options.rows));
    try (Progress progress = new Progress(out, 0);
        Deployment deployment = deployment(cache);
        RunTables tables = new RunTables(deployment, progress, out)) {
      if (!store.isMade()) {
        announce(
            store.estimate(
                deployment.connection.getConfiguration(), deployment.staging(), progress),
            written);
        store.make(deployment, tables, progress);
      }
      store.record(deployment, tables, results);
    }
    unfinished.write(results, Math.round((System.nanoTime() - start) / 1e9));
  }

  /**
   * Prints what the tables will cost, and refuses to make them if the disk is too small.
   *
   * @param written bytes that an interrupted run has written already
   */
  void announce(ScaleStore.Cost cost, double written) throws IOException {
    double measuring = launches().stream().mapToDouble(one -> one.seconds(options.duration)).sum();
    double room = Files.getFileStore(directory).getUsableSpace() + written;
    out.printf(
        "Three tables of %,d rows: about %.1f GB in %s, where %.1f GB are free. About %s minutes to make them, then %s to measure.%n",
        options.rows,
        cost.bytes() / 1e9,
        directory,
        room / 1e9,
        Progress.clock(cost.seconds()),
        Progress.clock(measuring));
    if (room < SPARE * cost.bytes()) {
      throw new IOException(
          "%.1f GB are not free in %s: take another --dir, or fewer --rows"
              .formatted(SPARE * cost.bytes() / 1e9, directory));
    }
  }

  /** Runs one launch in a new JVM with the options of this one. */
  private void launch(Launch launch) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    for (String name : List.of("winnow.home", "winnow.commit", "winnow.agent.jar")) {
      String value = System.getProperty(name);
      if (value != null) {
        command.add("-D" + name + "=" + value);
      }
    }
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Ycsb.class.getName()));
    command.addAll(words);
    command.add("--launch=" + launch.name());
    Process process = new ProcessBuilder(command).inheritIO().start();
    try {
      int code = process.waitFor();
      if (code == Ycsb.WRONG_READ) {
        throw new WrongReadException("in launch " + launch.name());
      }
      if (code != 0) {
        throw new IOException(
            "launch %s ended with code %d; --resume goes on with it"
                .formatted(launch.name(), code));
      }
    } finally {
      process.destroyForcibly();
    }
  }

  // ==== one launch

  /** Measures all that is left of a launch. */
  void measure(String name) throws IOException, InterruptedException {
    Launch launch =
        launches().stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("there is no launch " + name));
    Results results = results();
    long before = results.setting().seconds();
    List<Task> tasks =
        launch.tasks().stream().filter(task -> !isDone(results, launch, task)).toList();
    Progress progress = new Progress(out, launch.seconds(options.duration));
    Contest contest =
        new Contest(
            results,
            progress,
            Optional.empty(),
            all -> unfinished.write(all, before + Math.round(progress.seconds())));
    ServerCache cache = cache(launch.cache(), ScaleStore.stockBytes(results));
    try (Deployment deployment = deployment(cache);
        Workbench bench = new Workbench(options, deployment, contest, out)) {
      results.add("scaleRun", Map.of("launch", name), "cacheBytes", cache.heapBytes());
      results.add("scaleRun", Map.of("launch", name), "bucketCacheBytes", cache.bucketBytes());
      for (TableFilter ours : List.of(ScaleStore.WINNOW, ScaleStore.WINNOW_SCANS)) {
        String shortCut = launch.isPlain() ? "false" : null;
        ScaleStore.configure(deployment, ours, Setting.READ_SHORTCUT.key, shortCut);
      }
      Map<TableFilter, TableName> tables = tables(bench, launch.isWriting());
      tables.values().forEach(bench.tables::use);
      // The blocks of copies are cached under the names of the files that they share.
      ScaleStore.CONTENDERS.forEach(one -> bench.tables.use(ScaleStore.table(one)));
      for (Task task : tasks) {
        ScaleReads reads =
            new ScaleReads(bench, store.rows(), task.reads(), task.storage(), name, tables);
        bench.warmCode(reads);
        reads.findArrivals(task.reads() == ScaleCase.ARRIVALS ? ARRIVAL_SHARE : 0);
        contest.run(reads, launch.rounds());
      }
      if (launch.isWriting()) {
        for (TableName table : tables.values()) {
          bench.tables.drop(table);
        }
      }
    }
  }

  private static ServerCache cache(Cache cache, long stock) {
    return switch (cache) {
      case LARGE_HEAP -> ServerCache.onHeap((long) (LARGE * stock));
      case SMALL_HEAP -> ServerCache.onHeap((long) (SMALL * stock));
      case BUCKET ->
          new ServerCache(
              (long) (LARGE / 2 * stock), (long) (LARGE * stock), BlockSizes.DEFAULT.dataOf(0));
    };
  }

  /** Returns the tables of a launch: copies that share their files, if it writes. */
  private static Map<TableFilter, TableName> tables(Workbench bench, boolean areCopies)
      throws IOException {
    Map<TableFilter, TableName> tables = new HashMap<>();
    try (Admin admin = bench.deployment.connection.getAdmin()) {
      for (TableFilter contender : ScaleStore.CONTENDERS) {
        TableName table = ScaleStore.table(contender);
        if (areCopies) {
          TableName copy = TableName.valueOf(table.getNameAsString() + "_copy");
          String snapshot = copy.getNameAsString();
          bench.tables.drop(copy);
          admin.deleteSnapshots(Pattern.compile(snapshot));
          admin.snapshot(snapshot, table);
          admin.cloneSnapshot(snapshot, copy);
          admin.deleteSnapshot(snapshot);
          table = copy;
        }
        tables.put(contender, table);
      }
    }
    return tables;
  }

  private Deployment deployment(ServerCache cache) throws IOException, InterruptedException {
    Map<String, String> site =
        Map.of(
            "hbase.regionserver.global.memstore.size",
            "0.5",
            "hfile.block.cache.size",
            "0.2",
            // A busy machine makes a server slow, not dead; a killed one is followed in a minute.
            "zookeeper.session.timeout",
            SESSION_MILLIS,
            "zookeeper.session.timeout.localHBaseCluster",
            SESSION_MILLIS,
            // HBase copies a large file when it is loaded in bulk from local files.
            HConstants.HBASE_RPC_TIMEOUT_KEY,
            LOADING_MILLIS,
            HConstants.HBASE_CLIENT_OPERATION_TIMEOUT,
            LOADING_MILLIS);
    return new StandaloneDeployment(
        directory,
        Path.of(System.getProperty("winnow.agent.jar")),
        true,
        HEAP,
        site,
        cache,
        message -> out.println("  " + message));
  }
}
