package io.winnow.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The settings of the region servers that a run starts, and the time after which their counters are
 * up to date.
 */
final class OwnServers {

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

  private long countersRead = System.nanoTime();

  /** Returns the properties of hbase-site.xml for servers with a block cache of the given sizes. */
  static Map<String, String> settings(ServerCache cache) {
    Map<String, String> settings = new HashMap<>(cache.settings());
    settings.put("hbase.regionserver.metrics.period", Long.toString(COUNTER_PERIOD_MILLIS));
    // Compactions are not throttled.
    settings.put(
        "hbase.regionserver.throughput.controller",
        "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController");
    settings.put("hbase.hfile.compaction.discharger.interval", "1000");
    return settings;
  }

  /**
   * Waits until the servers' counters, when they are read next, include all that has happened so
   * far.
   */
  void awaitCounters() throws InterruptedException {
    long now = System.nanoTime();
    long due = Math.max(now + COUNTER_LAG_NANOS, countersRead + COUNTERS_KEPT_NANOS);
    TimeUnit.NANOSECONDS.sleep(due - now);
    countersRead = due;
  }
}
