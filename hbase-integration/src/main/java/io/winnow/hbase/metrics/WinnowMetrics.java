package io.winnow.hbase.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what becomes of the filters of this JVM's store files. Every method is cheap, throws
 * nothing, and may be called from any thread.
 */
public final class WinnowMetrics {
  private static final Map<Fallback, LongAdder> FALLBACKS = new EnumMap<>(Fallback.class);
  private static final LongAdder ABANDONED = new LongAdder();
  private static final LongAdder CHUNKS_BUILT = new LongAdder();
  private static final LongAdder KEYS_BUILT = new LongAdder();
  private static final LongAdder BUILD_NANOS = new LongAdder();
  private static final LongAdder REBUILDS = new LongAdder();
  private static final LongAdder CHUNKS_GIVEN_UP = new LongAdder();
  private static final LongAdder LOAD_FAILURES = new LongAdder();
  private static final LongAdder PROBE_FAILURES = new LongAdder();
  private static final LongAdder OPEN_FAILURES = new LongAdder();

  static {
    for (Fallback reason : Fallback.values()) {
      FALLBACKS.put(reason, new LongAdder());
    }
  }

  private WinnowMetrics() {}

  /** A file gets the stock filter in place of ours. */
  public static void fallback(Fallback reason) {
    FALLBACKS.get(reason).increment();
  }

  /** Files that got the stock filter for this reason. */
  public static long fallbacks(Fallback reason) {
    return FALLBACKS.get(reason).sum();
  }

  /** A filter was given up while its file was written: the file has none. */
  public static void abandoned() {
    ABANDONED.increment();
  }

  /**
   * A chunk was built.
   *
   * @param rebuilds how often the rate guard or a failed attempt had it built again
   */
  public static void chunkBuilt(long keys, long nanos, int rebuilds) {
    CHUNKS_BUILT.increment();
    KEYS_BUILT.add(keys);
    BUILD_NANOS.add(nanos);
    REBUILDS.add(rebuilds);
  }

  /** A chunk is damaged, and is not asked any more. */
  public static void chunkGivenUp() {
    CHUNKS_GIVEN_UP.increment();
  }

  /** A chunk could not be loaded. */
  public static void loadFailure() {
    LOAD_FAILURES.increment();
  }

  /** A probe failed for a reason that is no load failure. */
  public static void probeFailure() {
    PROBE_FAILURES.increment();
  }

  /** A file's filter could not be opened. */
  public static void openFailure() {
    OPEN_FAILURES.increment();
  }
}
