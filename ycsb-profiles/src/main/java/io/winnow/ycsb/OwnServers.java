package io.winnow.ycsb;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What region servers are told that are started for a run, and how their counters lag behind. */
final class OwnServers {

  /** While files are loaded and compacted: it does not matter then. */
  static final ServerCache LOADING_CACHE = ServerCache.onHeap(64 << 20);

  /** Filters' counters are gathered so often. */
  private static final long COUNTER_PERIOD_MILLIS = 50;

  private static final long COUNTER_LAG_NANOS =
      TimeUnit.MILLISECONDS.toNanos(2 * COUNTER_PERIOD_MILLIS);

  /** What was read stays so long, as hadoop-metrics2-hbase.properties says, and a little more. */
  private static final long COUNTERS_KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

  private long countersRead = System.nanoTime();

  /** Properties of hbase-site.xml. */
  static Map<String, String> settings(ServerCache cache) {
    Map<String, String> settings = new HashMap<>(cache.settings());
    settings.put("hbase.regionserver.metrics.period", Long.toString(COUNTER_PERIOD_MILLIS));
    // Compactions as fast as they can.
    settings.put(
        "hbase.regionserver.throughput.controller",
        "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController");
    settings.put("hbase.hfile.compaction.discharger.interval", "1000");
    return settings;
  }

  /** Waits till the counters, if they are read then, tell all that has happened till now. */
  void awaitCounters() throws InterruptedException {
    long now = System.nanoTime();
    long due = Math.max(now + COUNTER_LAG_NANOS, countersRead + COUNTERS_KEPT_NANOS);
    TimeUnit.NANOSECONDS.sleep(due - now);
    countersRead = due;
  }
}
