package io.winnow.ycsb;

import io.winnow.hbase.standalone.CountedFiles;
import io.winnow.hbase.standalone.JvmBeans;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * The HBase whose tables a run measures: a standalone one of the run, or the cluster on this
 * machine.
 */
abstract class Deployment implements Closeable {

  /** Maximum number of times that the servers' counters are read until two readings agree. */
  static final int MAX_READINGS = 20;

  /** The block cache of servers that only load and compact files, when its size does not matter. */
  static final ServerCache LOADING_CACHE = ServerCache.onHeap(64 << 20);

  /** Period in which HBase gathers the counters of filters, in milliseconds. */
  private static final long COUNTER_PERIOD_MILLIS = 50;

  private static final long COUNTER_LAG_NANOS =
      TimeUnit.MILLISECONDS.toNanos(2 * COUNTER_PERIOD_MILLIS);

  /**
   * Time in nanoseconds for which HBase keeps a reading of its counters, as
   * hadoop-metrics2-hbase.properties sets it, and a little more.
   */
  private static final long COUNTERS_KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

  /** Maximum time in seconds until a server publishes its counters. */
  private static final int PATIENCE_SECONDS = 600;

  private final Map<ProcessHandle, JvmBeans> servers = new LinkedHashMap<>();

  /** Connection to the HBase servers that run now. A restart replaces it. */
  Connection connection;

  private long countersRead = System.nanoTime();

  /** Starts the region servers, or restarts them, with properties of hbase-site.xml. */
  protected abstract void restart(Map<String, String> properties)
      throws IOException, InterruptedException;

  /** Returns the configuration with which clients connect to the servers that run now. */
  protected abstract Configuration configuration();

  /** Returns the processes of the region servers that run now. */
  protected abstract List<ProcessHandle> processes();

  /** Returns a directory for this run's files in the file system where HBase has its root. */
  abstract Path staging();

  /**
   * Returns whether HBase's files are on this machine, in a directory of the run or of its caller.
   */
  abstract boolean isLocal();

  /** Restarts the region servers, each with a block cache of the given sizes. */
  final void restart(ServerCache cache) throws IOException, InterruptedException {
    disconnect();
    Map<String, String> properties = new HashMap<>(cache.settings());
    properties.put("hbase.regionserver.metrics.period", Long.toString(COUNTER_PERIOD_MILLIS));
    // Compactions are not throttled.
    properties.put(
        "hbase.regionserver.throughput.controller",
        "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController");
    properties.put("hbase.hfile.compaction.discharger.interval", "1000");
    restart(properties);
    connection = ConnectionFactory.createConnection(configuration());
    for (ProcessHandle process : processes()) {
      servers.put(process, JvmBeans.of(process));
    }
  }

  /** Closes all connections to the servers. */
  protected final void disconnect() throws IOException {
    for (JvmBeans server : servers.values()) {
      server.close();
    }
    servers.clear();
    if (connection != null) {
      connection.close();
    }
  }

  /**
   * Sets how the servers make positional reads, if they use {@link CountedFiles}.
   *
   * @param delayNanos the time that each read waits
   * @param isDirect whether reads pass by the page cache
   */
  final void setReads(long delayNanos, boolean isDirect) throws IOException {
    for (JvmBeans server : servers.values()) {
      server.set(CountedFiles.BEAN, "DelayNanos", delayNanos);
      server.set(CountedFiles.BEAN, "Direct", isDirect);
    }
  }

  /** Returns the number of region servers. */
  final int size() {
    return servers.size();
  }

  /**
   * Returns the sum of the region servers' counters, after waiting until they include all that has
   * happened so far.
   */
  ServerCounters counters() throws IOException, InterruptedException {
    long now = System.nanoTime();
    long due = Math.max(now + COUNTER_LAG_NANOS, countersRead + COUNTERS_KEPT_NANOS);
    TimeUnit.NANOSECONDS.sleep(due - now);
    countersRead = due;
    ServerCounters sum = ServerCounters.NONE;
    for (Map.Entry<ProcessHandle, JvmBeans> server : servers.entrySet()) {
      sum = sum.plus(counters(server.getKey(), server.getValue()));
    }
    return sum;
  }

  /** Returns a server's counters, after waiting until HBase's management bean exists. */
  private static ServerCounters counters(ProcessHandle process, JvmBeans beans)
      throws IOException, InterruptedException {
    for (int second = 0; second < PATIENCE_SECONDS; second++) {
      Map<String, Long> server = beans.numbers("Server");
      if (!server.isEmpty()) {
        Duration cpu = process.info().totalCpuDuration().orElse(Duration.ZERO);
        return ServerCounters.of(
            server, beans.numbers("Winnow"), beans.numbersOf(CountedFiles.BEAN), cpu.toNanos());
      }
      TimeUnit.SECONDS.sleep(1);
    }
    throw new IOException("a region server does not publish its counters");
  }

  /**
   * A reading of the region servers' counters.
   *
   * @param settled whether two successive readings agreed
   */
  record Reading(ServerCounters counters, boolean settled) {}

  /**
   * Returns the region servers' counters when two successive readings agree, because busy servers
   * gather their counters late. Nothing may query the servers meanwhile. If two readings never
   * agree, others use these servers too, and the counters of this run cannot be separated.
   */
  final Reading settledCounters() throws IOException, InterruptedException {
    ServerCounters last = counters();
    for (int reading = 0; reading < MAX_READINGS; reading++) {
      ServerCounters next = counters();
      if (next.agreesWith(last)) {
        return new Reading(next, true);
      }
      last = next;
    }
    return new Reading(last, false);
  }
}
