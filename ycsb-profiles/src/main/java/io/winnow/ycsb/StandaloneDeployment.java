package io.winnow.ycsb;

import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/** An HBase of our own in one JVM, on a directory that is deleted by whoever made it. */
final class StandaloneDeployment implements Deployment {

  /** While files are loaded and compacted: it does not matter then. */
  private static final long LOADING_CACHE_BYTES = 64 << 20;

  /** Filters' counters are gathered so often. */
  private static final long COUNTER_PERIOD_MILLIS = 200;

  private static final long COUNTER_LAG_NANOS =
      TimeUnit.MILLISECONDS.toNanos(3 * COUNTER_PERIOD_MILLIS / 2);

  /** What was read stays so long, as hadoop-metrics2-hbase.properties says, and a little more. */
  private static final long COUNTERS_KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_100);

  private final java.nio.file.Path directory;
  private final java.nio.file.Path agent;
  private final Consumer<String> progress;
  private StandaloneHBase hbase;
  private Connection connection;
  private ServerBeans beans;
  private long countersRead = System.nanoTime();

  private StandaloneDeployment(
      java.nio.file.Path directory, java.nio.file.Path agent, Consumer<String> progress) {
    this.directory = directory;
    this.agent = agent;
    this.progress = progress;
  }

  static StandaloneDeployment start(
      java.nio.file.Path directory, java.nio.file.Path agent, Consumer<String> progress)
      throws IOException, InterruptedException {
    StandaloneDeployment deployment = new StandaloneDeployment(directory, agent, progress);
    deployment.start(LOADING_CACHE_BYTES);
    return deployment;
  }

  private void start(long cacheBytes) throws IOException, InterruptedException {
    hbase =
        StandaloneHBase.builder(directory)
            .agent(agent)
            .heap("2g")
            .throwaway()
            .property("hfile.block.cache.memory.size", Long.toString(cacheBytes))
            .property("hbase.regionserver.metrics.period", Long.toString(COUNTER_PERIOD_MILLIS))
            // Files stay as they were loaded, till a compaction is asked for.
            .property(
                "hbase.regionserver.throughput.controller",
                "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController")
            .property("hbase.hstore.compaction.min", "1000")
            .property("hbase.hregion.majorcompaction", "0")
            .property("hbase.hstore.blockingStoreFiles", "1000")
            .property("hbase.hfile.compaction.discharger.interval", "1000")
            .progress(progress)
            .start();
    boolean up = false;
    try {
      connection = ConnectionFactory.createConnection(hbase.configuration());
      beans = ServerBeans.ofProcess(hbase.process().pid());
      up = true;
    } finally {
      if (!up) {
        hbase.kill();
      }
    }
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public Path staging() {
    return new Path("file://" + directory.resolve("staging"));
  }

  @Override
  public List<ServerBeans> servers() {
    return List.of(beans);
  }

  @Override
  public void restart(long cacheBytes) throws IOException, InterruptedException {
    beans.close();
    connection.close();
    hbase.close();
    start(cacheBytes);
  }

  @Override
  public boolean outlivesRun() {
    return false;
  }

  @Override
  public void awaitCounters() throws InterruptedException {
    long now = System.nanoTime();
    long due = Math.max(now + COUNTER_LAG_NANOS, countersRead + COUNTERS_KEPT_NANOS);
    TimeUnit.NANOSECONDS.sleep(due - now);
    countersRead = due;
  }

  @Override
  public void close() throws IOException {
    try {
      beans.close();
      connection.close();
    } finally {
      hbase.kill();
    }
  }
}
