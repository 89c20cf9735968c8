package io.winnow.hbase.soak;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.LocalCluster;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow soak}: uses and alters a table of a small cluster for hours, checks
 * each row, and measures whether the servers grow. A thread writes and reads at a steady pace
 * ({@link SoakRows}); meanwhile come the actions of an operator, and a server is killed ({@link
 * Deeds}); between two actions, about once a minute, the servers are measured ({@link Servers}). At
 * the end it reports whether they grew ({@link Growth}).
 */
@Command(name = "winnow soak")
public final class Soak extends Program {
  private static final int ROWS_LOST = 2;
  private static final int GREW = 3;

  private static final Map<String, String> SETTINGS =
      Map.of(
          // Ten MB, and no pool of the memory stores' chunks: both would fill for an hour, as if
          // there were a leak.
          "hfile.block.cache.size", "0.01",
          "hbase.hregion.memstore.chunkpool.maxsize", "0",
          "hbase.hfile.compaction.discharger.interval", "1000",
          // Files of the soak's size have some chunks.
          "io.storefile.bloom.block.size", "4096",
          "zookeeper.session.timeout", "40000");

  /** Names of the agent's counters that the report shows: counters of work, and of failures. */
  private static final List<String> WINNOW_COUNTS =
      List.of(
          "chunksBuilt",
          "filterRequests",
          "scanFilterRequests",
          "segmentSkips",
          "fallbacksFailure",
          "filtersAbandoned",
          "chunksGivenUp",
          "loadFailures",
          "probeFailures",
          "openFailures",
          "storeFailures");

  /**
   * Pause between two steps of reading and writing rows, in milliseconds. With it a run takes about
   * half of a core.
   */
  private static final long STEP_MILLIS = 250;

  private static final double MAX_SECONDS_BETWEEN_SAMPLES = 60;
  private static final double MAX_SECONDS_BETWEEN_DEEDS = 20;
  private static final int MIN_SAMPLES = 10;
  private static final int MIN_DEEDS = 40;

  @Option(names = "--hours")
  @Range(min = 0.01, max = 1000)
  private double hours = 2;

  @Option(names = "--seed")
  @Range(min = 0, max = 1e15)
  private long seed = 32;

  @Option(names = "--json")
  private Path json;

  @Option(names = "--report")
  private boolean report;

  private final Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();
  private final Path directory = home.resolve("target").resolve("soak");
  private Results results;
  private Progress progress;
  private double begin;
  private double reported;

  /** Is true once the servers of the cluster may end: the test is over or was stopped. */
  private volatile boolean isOver;

  public static void main(String[] args) {
    main(Soak::new, args);
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    if (report) {
      SoakReport.renew(home);
      return DONE;
    }
    UserFiles.requireWritable(json);
    String command = commandLine() + (has("seed") ? "" : " --seed " + seed);
    results = new Results(Machine.setting(command));
    out.println("seed " + seed + "; the servers and their logs are in " + directory);
    progress = new Progress(err, seconds());
    LocalCluster cluster = start();
    try {
      soak(cluster);
      cluster.stop(message -> {});
    } finally {
      cluster.kill();
      if (json != null) {
        Files.writeString(json, resultsSoFar().json());
      }
      out.print(SoakReport.page(resultsSoFar()).text());
    }
    return verdict();
  }

  private double seconds() {
    return hours * TimeUnit.HOURS.toSeconds(1);
  }

  private Results resultsSoFar() {
    return results.withSeconds(Math.round(progress.seconds()));
  }

  private LocalCluster start() throws IOException, InterruptedException {
    if (LocalCluster.in(directory).filter(LocalCluster::runs).isPresent()) {
      throw new IOException("a soak runs in " + directory + " already");
    }
    if (Files.exists(directory)) {
      ScratchDirectory.delete(directory);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::killAll, "winnow-soak-end"));
    return LocalCluster.start(
        directory, agent(), 1, SETTINGS, false, message -> progress.step(0, "cluster", message));
  }

  /** Kills all servers of the cluster, which would outlive this JVM. */
  private void killAll() {
    isOver = true;
    try {
      LocalCluster.in(directory).ifPresent(LocalCluster::kill);
    } catch (IOException e) {
      // There is none.
    }
  }

  /**
   * Ends this JVM when a server that the test does not kill has ended. HBase's client would wait
   * for ever for a master that aborted.
   */
  private void watch(LocalCluster cluster, String server) {
    Runnable fail =
        () -> {
          if (!isOver) {
            err.println("winnow soak: " + server + " ended by itself; logs: " + cluster.logs());
            System.exit(FAILED);
          }
        };
    cluster.process(server).orElseThrow().onExit().thenRun(fail);
  }

  private void soak(LocalCluster cluster) throws IOException, InterruptedException {
    watch(cluster, Deeds.SPARED);
    watch(cluster, Servers.MASTER);
    Configuration client = cluster.configuration();
    // HBase's client makes a directory for itself, which must not stay in /tmp.
    client.set("hbase.tmp.dir", directory.resolve("client").toString());
    client.setInt("hbase.rpc.timeout", 10_000);
    client.setInt("hbase.client.operation.timeout", 150_000);
    client.setInt("hbase.client.retries.number", 100);
    ScheduledExecutorService threads = Executors.newSingleThreadScheduledExecutor();
    try (Connection connection = ConnectionFactory.createConnection(client);
        Admin admin = connection.getAdmin();
        Servers servers = new Servers(cluster, results)) {
      Random random = new Random(seed);
      SoakRows rows =
          new SoakRows(
              client, connection, Deeds.TABLE, Deeds.FAMILIES, new Random(random.nextLong()));
      Deeds deeds = new Deeds(cluster, admin, rows, random);
      Deeds.createTable(admin);
      deeds.spread();
      rows.fill();
      ScheduledFuture<?> traffic =
          threads.scheduleWithFixedDelay(
              () -> {
                try {
                  rows.step();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              },
              STEP_MILLIS,
              STEP_MILLIS,
              TimeUnit.MILLISECONDS);
      try {
        go(deeds, rows, servers, traffic);
        traffic.cancel(false);
        deeds.compact(true);
        rows.checkAll();
        sample(deeds, rows, servers, "the end");
        if (rows.wrong().isEmpty()) { // otherwise the run ended early
          requireAll(deeds);
        }
      } finally {
        deeds.done().forEach((what, times) -> count(what, times));
        rows.counts().forEach((what, times) -> count(what, times));
        count("cores taken on average", servers.cores());
        rows.wrong().forEach(err::println);
      }
      winnowCounts(servers);
    } finally {
      isOver = true;
      threads.shutdownNow();
    }
  }

  /**
   * Checks that each action on the cluster was done at least once: a run without merges, for
   * example, would prove nothing about them.
   */
  private static void requireAll(Deeds deeds) throws IOException {
    for (Map.Entry<String, Integer> deed : deeds.done().entrySet()) {
      if (deed.getValue() == 0) {
        throw new IOException("HBase refused this action each time: " + deed.getKey());
      }
    }
  }

  private void count(String what, double count) {
    results.add(SoakReport.WORK, Map.of(SoakReport.WHAT, what), SoakReport.COUNT, count);
  }

  /**
   * Runs at least one round of actions on the cluster, and goes on until the time is over or HBase
   * returns a wrong result.
   */
  private void go(Deeds deeds, SoakRows rows, Servers servers, ScheduledFuture<?> traffic)
      throws IOException, InterruptedException {
    begin = progress.seconds();
    double end = begin + seconds();
    double betweenSamples = Math.min(MAX_SECONDS_BETWEEN_SAMPLES, seconds() / MIN_SAMPLES);
    double betweenDeeds = Math.min(MAX_SECONDS_BETWEEN_DEEDS, seconds() / MIN_DEEDS);
    double nextSample = begin;
    for (boolean isFirst = true; isFirst || progress.seconds() < end; isFirst = false) {
      for (Deeds.Deed deed : deeds.round()) {
        if (!isFirst && progress.seconds() >= end) {
          return;
        }
        boolean isDone = deeds.isDone(deed);
        if (progress.seconds() >= nextSample) {
          sample(deeds, rows, servers, deed.name() + (isDone ? "" : " refused"));
          nextSample = Math.max(nextSample + betweenSamples, progress.seconds());
        }
        if (traffic.isDone()) {
          failed(traffic);
        }
        if (!rows.wrong().isEmpty()) {
          return;
        }
        TimeUnit.MILLISECONDS.sleep((long) (1000 * betweenDeeds));
      }
    }
  }

  /**
   * Takes a sample of the servers' resources while memory stores and block caches are empty and no
   * thread writes or reads.
   */
  private void sample(Deeds deeds, SoakRows rows, Servers servers, String after)
      throws IOException, InterruptedException {
    String words;
    synchronized (rows) {
      deeds.emptyMemory();
      words = servers.sample();
    }
    double now = Math.min(progress.seconds() - begin, seconds());
    progress.step(now - reported, after, words);
    reported = now;
  }

  private static void failed(ScheduledFuture<?> traffic) throws IOException, InterruptedException {
    try {
      traffic.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof UncheckedIOException failure
          ? failure.getCause()
          : new IOException(e.getCause());
    }
  }

  /** Returns the jar of the agent that the launcher names; null for none. */
  private static Path agent() {
    String agent = System.getProperty("winnow.agent.jar");
    return agent == null ? null : Path.of(agent);
  }

  private void winnowCounts(Servers servers) throws InterruptedException {
    if (agent() == null) {
      return; // there are none
    }
    Map<String, Long> counts = Map.of();
    try {
      counts = servers.winnowCounts();
    } catch (IOException e) { // the verdict matters more
      err.println("winnow soak: no counters of the agent: " + e.getMessage());
    }
    for (String name : WINNOW_COUNTS) {
      if (counts.containsKey(name)) {
        count(Deeds.SPARED + ": " + name, counts.get(name));
      }
    }
  }

  private int verdict() throws IOException {
    double wrong =
        results
            .median(SoakReport.WORK, SoakReport.COUNT, SoakReport.WHAT, SoakRows.WRONG)
            .orElse(0);
    if (wrong > 0) {
      err.println("winnow soak: ROWS WERE LOST or have old values; logs: " + directory);
      return ROWS_LOST;
    }
    if (SoakReport.bounds(results).stream().anyMatch(Bound::isMissed)) {
      err.println("winnow soak: a server grew; logs: " + directory);
      return GREW;
    }
    ScratchDirectory.delete(directory);
    return DONE;
  }
}
