package io.winnow.hbase;

import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.WinnowMetrics;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What was counted so far, for tests: they ask before and after. */
public final class WinnowMetricsDoor {
  static final Counter probeFailures = new Counter("PROBE_FAILURES");
  static final Counter storeFailures = new Counter("STORE_FAILURES");
  static final Counter loadFailures = new Counter("LOAD_FAILURES");
  public static final Counter openFailures = new Counter("OPEN_FAILURES");
  static final Counter chunksGivenUp = new Counter("CHUNKS_GIVEN_UP");
  static final Counter abandoned = new Counter("ABANDONED");
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
    MemoryLimit.forget();
  }

  static long fallbacks(Fallback reason) {
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
