package io.winnow.hbase.write;

import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.WinnowMetrics;
import io.winnow.hbase.settings.MemoryLimit;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What was counted so far, for tests: they ask before and after. */
public final class WinnowMetricsDoor {
  public static final Counter probeFailures = new Counter("PROBE_FAILURES");
  public static final Counter storeFailures = new Counter("STORE_FAILURES");
  public static final Counter loadFailures = new Counter("LOAD_FAILURES");
  public static final Counter openFailures = new Counter("OPEN_FAILURES");
  public static final Counter chunksGivenUp = new Counter("CHUNKS_GIVEN_UP");
  public static final Counter abandoned = new Counter("ABANDONED");
  static final Counter chunksBuilt = new Counter("CHUNKS_BUILT");
  static final Counter keysBuilt = new Counter("KEYS_BUILT");

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
    return ((LongAdder) ((Map<?, ?>) field("FALLBACKS")).get(reason)).sum();
  }

  private static Object field(String name) {
    try {
      Field field = WinnowMetrics.class.getDeclaredField(name);
      field.setAccessible(true);
      return field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** One of the counters. */
  public record Counter(String name) {
    public long get() {
      return ((LongAdder) field(name)).sum();
    }
  }
}
