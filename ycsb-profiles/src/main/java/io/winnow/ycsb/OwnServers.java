package io.winnow.ycsb;

import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What region servers are told that are started for a run, and how their counters lag behind. */
final class OwnServers {

  /** While files are loaded and compacted: it does not matter then. */
  static final long LOADING_CACHE_BYTES = 64 << 20;

  /** Filters' counters are gathered so often. */
  private static final long COUNTER_PERIOD_MILLIS = 200;

  private static final long COUNTER_LAG_NANOS =
      TimeUnit.MILLISECONDS.toNanos(3 * COUNTER_PERIOD_MILLIS / 2);

  /** What was read stays so long, as hadoop-metrics2-hbase.properties says, and a little more. */
  private static final long COUNTERS_KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_100);

  private long countersRead = System.nanoTime();

  /** Properties of hbase-site.xml. */
  static Map<String, String> settings(long cacheBytes) {
    return Map.of(
        "hfile.block.cache.memory.size",
        Long.toString(cacheBytes),
        "hbase.regionserver.metrics.period",
        Long.toString(COUNTER_PERIOD_MILLIS),
        // Compactions as fast as they can.
        "hbase.regionserver.throughput.controller",
        "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController",
        "hbase.hfile.compaction.discharger.interval",
        "1000");
  }

  /** Waits till the counters, if they are read then, tell all that has happened till now. */
  void awaitCounters() throws InterruptedException {
    long now = System.nanoTime();
    long due = Math.max(now + COUNTER_LAG_NANOS, countersRead + COUNTERS_KEPT_NANOS);
    TimeUnit.NANOSECONDS.sleep(due - now);
    countersRead = due;
  }
}
