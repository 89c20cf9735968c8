package io.winnow.hbase.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counters of the filters of this JVM's store files. Every method is cheap, throws nothing, and may
 * be called from any thread.
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
  private static final LongAdder STORE_FAILURES = new LongAdder();
  private static final LongAdder OPEN_FAILURES = new LongAdder();

  private static volatile LongSupplier memoryInUse = () -> 0;
  private static volatile LongSupplier memoryLimit = () -> 0;

  static {
    for (Fallback reason : Fallback.values()) {
      FALLBACKS.put(reason, new LongAdder());
    }
  }

  private WinnowMetrics() {}

  /** Counts a file that gets the stock filter in place of ours. */
  public static void fallback(Fallback reason) {
    FALLBACKS.get(reason).increment();
  }

  /** Returns the number of files that got the stock filter for this reason. */
  public static long fallbacks(Fallback reason) {
    return FALLBACKS.get(reason).sum();
  }

  /** Counts a filter that was abandoned while its file was written: the file has no filter. */
  public static void abandoned() {
    ABANDONED.increment();
  }

  static long filtersAbandoned() {
    return ABANDONED.sum();
  }

  /**
   * Counts a chunk that was built.
   *
   * @param rebuilds failed attempts before the one that made the chunk
   */
  public static void chunkBuilt(long keys, long nanos, int rebuilds) {
    CHUNKS_BUILT.increment();
    KEYS_BUILT.add(keys);
    BUILD_NANOS.add(nanos);
    REBUILDS.add(rebuilds);
  }

  static long chunksBuilt() {
    return CHUNKS_BUILT.sum();
  }

  static long keysBuilt() {
    return KEYS_BUILT.sum();
  }

  static long buildMillis() {
    return BUILD_NANOS.sum() / 1_000_000;
  }

  static long rebuilds() {
    return REBUILDS.sum();
  }

  /** Counts a damaged chunk, which is not probed any more. */
  public static void chunkGivenUp() {
    CHUNKS_GIVEN_UP.increment();
  }

  static long chunksGivenUp() {
    return CHUNKS_GIVEN_UP.sum();
  }

  /** Counts a failed attempt to load a chunk. */
  public static void loadFailure() {
    LOAD_FAILURES.increment();
  }

  static long loadFailures() {
    return LOAD_FAILURES.sum();
  }

  /** Counts a probe that failed for another reason than a failed load. */
  public static void probeFailure() {
    PROBE_FAILURES.increment();
  }

  static long probeFailures() {
    return PROBE_FAILURES.sum();
  }

  /** Counts a file that was written as if its store were not known. */
  public static void storeFailure() {
    STORE_FAILURES.increment();
  }

  static long storeFailures() {
    return STORE_FAILURES.sum();
  }

  /** Counts a filter that could not be opened. */
  public static void openFailure() {
    OPEN_FAILURES.increment();
  }

  static long openFailures() {
    return OPEN_FAILURES.sum();
  }

  /**
   * Sets the sources of the gauges of memory of filters under construction.
   *
   * @param inUse returns the memory in use, in bytes
   * @param limit returns its limit, in bytes
   */
  public static void buildMemory(LongSupplier inUse, LongSupplier limit) {
    memoryInUse = inUse;
    memoryLimit = limit;
  }

  static long buildMemoryBytes() {
    return memoryInUse.getAsLong();
  }

  static long buildMemoryLimitBytes() {
    return memoryLimit.getAsLong();
  }
}
