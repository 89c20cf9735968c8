package io.winnow.hbase.read;

import io.winnow.hbase.metrics.ServerMetric;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.io.hfile.CacheStats;

/**
 * Judgement whether the block cache of this JVM is too small for the filters that are queried, by
 * the share of probes that miss a chunk which was in the cache before.
 *
 * <p>It counts probes and not bytes: filters of regions that nobody reads take no room in the
 * cache. First loads of chunks do not count, so a server that has just started is not judged by
 * them. The share is that of whole windows of at least five minutes and many probes. It must rise
 * above {@link #HIGH} to change the judgement and fall below {@link #LOW} to change it back,
 * because a server whose files have smaller filters misses less often. docs/design/store-rates.md
 * has the measurements. Thread-safe.
 */
public final class CachePressure {
  /** The judgement on the block cache of this JVM's region servers. */
  public static final CachePressure OF_THIS_JVM = new CachePressure();

  /** Share of probes that miss a chunk again from which on the cache is too small. */
  static final double HIGH = 0.05;

  /** Share of probes that miss a chunk again below which the cache is large enough again. */
  static final double LOW = 0.02;

  /** Minimum number of probes in a window, below which the window goes on. */
  static final long MIN_PROBES = 10_000;

  private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** Statistics of the cache that has the filters' chunks; null if no file was opened. */
  private CacheStats stats;

  private long startNanos;
  private long startProbes;
  private long startMisses;
  private double share;
  private boolean isShort;

  CachePressure() {}

  /** Judges the cache that has these statistics from now on. The last call wins. */
  synchronized void watch(CacheStats ofCache) {
    if (stats != ofCache) {
      stats = ofCache;
      share = 0;
      isShort = false;
      begin(System.nanoTime(), probes(), misses());
    }
  }

  /**
   * Returns true if the block cache is too small for the filters that are queried, by the last
   * whole window; false if it is unknown.
   */
  public synchronized boolean isCacheShort() {
    judge(System.nanoTime());
    return isShort;
  }

  /**
   * Returns the share of probes that missed a chunk which was in the cache before, in the last
   * whole window; 0 if none has passed.
   */
  public synchronized double missesPerProbe() {
    judge(System.nanoTime());
    return share;
  }

  /** Ends the present window, however short it is: for measurements, which cannot wait. */
  public synchronized void judgeNow() {
    end(System.nanoTime());
  }

  /** Ends the present window if it is long enough. */
  synchronized void judge(long nanos) {
    if (nanos - startNanos >= WINDOW_NANOS) {
      end(nanos);
    }
  }

  /** Ends the present window and judges by it, if it has enough probes. */
  private void end(long nanos) {
    if (stats == null) {
      return;
    }
    long probes = probes();
    long misses = misses();
    if (probes - startProbes >= MIN_PROBES) {
      share = (double) (misses - startMisses) / (probes - startProbes);
      isShort = share > (isShort ? LOW : HIGH);
      begin(nanos, probes, misses);
    }
  }

  private void begin(long nanos, long probes, long misses) {
    startNanos = nanos;
    startProbes = probes;
    startMisses = misses;
  }

  /**
   * Returns the number of probes of chunks so far, without first loads. The cache's own misses do
   * not count, because a cache of two levels counts each of them twice.
   */
  private long probes() {
    return stats.getBloomChunkHitCount() + misses();
  }

  private static long misses() {
    return ServerMetric.CHUNK_RELOADS.value() + ServerMetric.LOADS_SKIPPED.value();
  }
}
