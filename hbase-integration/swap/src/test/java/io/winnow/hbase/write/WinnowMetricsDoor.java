package io.winnow.hbase.write;

import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.ServerMetric;
import io.winnow.hbase.settings.MemoryLimit;
import java.lang.reflect.Field;

/** What was counted so far, for tests: they ask before and after. */
public final class WinnowMetricsDoor {
  public static final Counter probeFailures = new Counter(ServerMetric.PROBE_FAILURES);
  public static final Counter storeFailures = new Counter(ServerMetric.STORE_FAILURES);
  public static final Counter loadFailures = new Counter(ServerMetric.LOAD_FAILURES);
  public static final Counter openFailures = new Counter(ServerMetric.OPEN_FAILURES);
  public static final Counter chunksGivenUp = new Counter(ServerMetric.CHUNKS_GIVEN_UP);
  public static final Counter abandoned = new Counter(ServerMetric.FILTERS_ABANDONED);
  static final Counter chunksBuilt = new Counter(ServerMetric.CHUNKS_BUILT);
  static final Counter keysBuilt = new Counter(ServerMetric.KEYS_BUILT);

  private WinnowMetricsDoor() {}

  /** As if filters under construction took so much, for good; close it. */
  public static AutoCloseable reserveMemory(long bytes) {
    BuildMemory.Reservation memory = BuildMemory.ofThisJvm().reserve(Long.MAX_VALUE, bytes, 0);
    return memory::close;
  }

  /** As if no server had started, and no file been written. */
  public static void forgetMemoryLimit() {
    try {
      Field limit = MemoryLimit.class.getDeclaredField("ofThisJvm");
      limit.setAccessible(true);
      limit.setLong(null, 0);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  public static long fallbacks(Fallback reason) {
    return reason.metric.value();
  }

  /** One of the counters. */
  public record Counter(ServerMetric metric) {
    public long get() {
      return metric.value();
    }
  }
}
