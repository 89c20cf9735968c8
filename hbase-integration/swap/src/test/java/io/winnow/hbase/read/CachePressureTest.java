package io.winnow.hbase.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.metrics.ServerMetric;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The judgement on the block cache, by HBase's own counters of hits and misses. */
class CachePressureTest {
  private static final long WINDOW = TimeUnit.MINUTES.toNanos(5);
  private static final int PROBES = 20_000;

  private final CachePressure pressure = new CachePressure();
  private final CacheStats stats = new CacheStats("a cache");
  private long now = System.nanoTime() + TimeUnit.HOURS.toNanos(1);

  @BeforeEach
  void watch() {
    pressure.watch(stats);
    probe((int) CachePressure.MIN_PROBES, 0, 0);
    pressure.judge(now); // from here on the clock is the test's
  }

  private void probe(int probes, int reloads, int skipped) {
    for (int i = 0; i < probes; i++) {
      if (i < reloads) {
        stats.miss(true, true, BlockType.BLOOM_CHUNK);
      } else if (i >= reloads + skipped) {
        stats.hit(true, true, BlockType.BLOOM_CHUNK);
      }
      stats.hit(true, true, BlockType.DATA); // no probe
    }
    ServerMetric.CHUNK_RELOADS.add(reloads);
    ServerMetric.LOADS_SKIPPED.add(skipped);
  }

  private void window(double missesPerProbe) {
    int misses = (int) (PROBES * missesPerProbe);
    probe(PROBES, misses / 4, misses - misses / 4);
    now += WINDOW;
    pressure.judge(now);
    assertEquals(missesPerProbe, pressure.missesPerProbe(), 1e-3);
  }

  @Test
  void judgementChangesAtOneShareAndBackAtALowerOne() {
    assertFalse(pressure.isCacheShort(), "nothing is known");
    window(CachePressure.HIGH - 0.001);
    assertFalse(pressure.isCacheShort());
    window(CachePressure.HIGH + 0.001);
    assertTrue(pressure.isCacheShort());
    window(CachePressure.LOW + 0.001);
    assertTrue(pressure.isCacheShort(), "smaller filters miss less often");
    window(CachePressure.LOW - 0.001);
    assertFalse(pressure.isCacheShort());
  }

  @Test
  void firstLoadsAreNotCounted() {
    for (int i = 0; i < PROBES; i++) {
      stats.miss(true, true, BlockType.BLOOM_CHUNK);
    }
    probe(PROBES, 0, 0);
    now += WINDOW;
    pressure.judge(now);
    assertFalse(pressure.isCacheShort());
    assertEquals(0, pressure.missesPerProbe());
  }

  @Test
  void aWindowIsLongAndHasManyProbes() {
    probe(PROBES, PROBES, 0);
    pressure.judge(now + WINDOW / 2);
    assertFalse(pressure.isCacheShort(), "half of a window");
    now += WINDOW;
    pressure.judge(now);
    assertTrue(pressure.isCacheShort());
    probe((int) CachePressure.MIN_PROBES - 1, 0, 0);
    pressure.judge(now + WINDOW);
    assertTrue(pressure.isCacheShort(), "too few probes to judge by");
    probe(1, 0, 0);
    pressure.judge(now + WINDOW);
    assertFalse(pressure.isCacheShort());
  }

  @Test
  void anotherCacheIsJudgedAnew() {
    window(0.5);
    assertTrue(pressure.isCacheShort());
    pressure.watch(stats);
    assertTrue(pressure.isCacheShort(), "the same cache");
    pressure.watch(new CacheStats("another cache"));
    assertFalse(pressure.isCacheShort());
    assertEquals(0, pressure.missesPerProbe());
  }
}
