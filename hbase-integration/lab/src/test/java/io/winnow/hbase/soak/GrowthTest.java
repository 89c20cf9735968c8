package io.winnow.hbase.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Bound;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Series of two hours, a sample a minute, as servers have them. */
class GrowthTest {
  private static final int MINUTES = 120;
  private static final int SERIES = 500;
  private static final double LEVEL = 150;

  private static Growth series(int minutes, DoubleUnaryOperator value) {
    double[] when = IntStream.rangeClosed(1, minutes).asDoubleStream().toArray();
    return new Growth(when, Arrays.stream(when).map(value).toArray());
  }

  private static Growth series(DoubleUnaryOperator value) {
    return series(MINUTES, value);
  }

  private static Bound slope(Growth growth) {
    return growth.slope("heap", 1);
  }

  private static Bound rise(Growth growth) {
    return growth.rise("threads");
  }

  /** A server whose heap varies by 5 % from sample to sample. */
  private static DoubleUnaryOperator noisy(Random random, double perHour) {
    return minute -> LEVEL * (1 + perHour * minute / 60) + 0.05 * LEVEL * random.nextGaussian();
  }

  @Test
  void leakOfHeapIsFound() {
    assertTrue(slope(series(minute -> LEVEL + 0.05 * minute)).isMissed(), "2 % an hour, no noise");
    Random random = new Random(1);
    long found =
        IntStream.range(0, SERIES)
            .filter(i -> slope(series(noisy(random, 0.10))).isMissed())
            .count();
    assertTrue(found > 0.95 * SERIES, "leaks of 10 % an hour that were found: " + found);
  }

  /** As many as the interval promises: a slope of 1 % is none, and one in forty looks steeper. */
  @Test
  void steadyHeapPassesHoweverNoisy() {
    Random random = new Random(2);
    for (double perHour : new double[] {-0.05, 0, 0.01}) {
      long missed =
          IntStream.range(0, SERIES)
              .filter(i -> slope(series(noisy(random, perHour))).isMissed())
              .count();
      assertTrue(missed < 30, perHour + ": " + missed); // 5 sigmas over 12.5
    }
  }

  /** Each sample resembles the one before it: ninety of them say less than they seem to. */
  @Test
  void steadyHeapOfSamplesThatResembleEachOtherPasses() {
    Random random = new Random(6);
    int missed = 0;
    for (int i = 0; i < SERIES; i++) {
      double[] level = new double[MINUTES + 1];
      for (int minute = 1; minute <= MINUTES; minute++) {
        level[minute] = 0.8 * level[minute - 1] + random.nextGaussian();
      }
      missed += slope(series(minute -> LEVEL + 5 * level[(int) minute])).isMissed() ? 1 : 0;
    }
    assertTrue(missed < SERIES / 10, "looked like leaks: " + missed);
  }

  /** A leak that begins slowly is no line, and a cache that is filled in turns is no leak. */
  @Test
  void curvesAreLeaksAndWavesAreNone() {
    assertTrue(slope(series(minute -> LEVEL + minute * minute / 500)).isMissed());
    Random random = new Random(3);
    for (int period = 5; period <= 40; period++) {
      double length = 2 * Math.PI / period;
      double phase = 2 * Math.PI * random.nextDouble();
      Growth wave = series(minute -> LEVEL + 15 * Math.sin(phase + length * minute));
      assertFalse(slope(wave).isMissed(), "a wave of " + period + " minutes: " + slope(wave));
    }
  }

  /** JIT, pools and caches fill in the first half hour of two. */
  @Test
  void warmUpIsNoGrowth() {
    DoubleUnaryOperator filled = minute -> LEVEL * Math.min(1, 0.5 + minute / 60);
    assertFalse(slope(series(filled)).isMissed());
    assertFalse(rise(series(filled)).isMissed());
  }

  @Test
  void leakOfThreadsIsFound() {
    assertTrue(rise(series(minute -> 300 + Math.floor(minute / 20))).isMissed());
    Random random = new Random(4);
    for (int i = 0; i < SERIES; i++) {
      Growth leak = series(minute -> 300 + Math.floor(minute / 2) + random.nextInt(12));
      assertTrue(rise(leak).isMissed(), rise(leak)::toString);
    }
    assertTrue(rise(series(minute -> minute < 90 ? 300 : 302)).isMissed(), "two, in one step");
  }

  @Test
  void steadyThreadsPassHoweverNoisy() {
    Random random = new Random(5);
    for (int i = 0; i < SERIES; i++) {
      Growth steady = series(minute -> 300 + random.nextInt(40));
      assertFalse(rise(steady).isMissed(), rise(steady)::toString);
      Growth rarely = series(minute -> random.nextInt(3) == 0 ? 301 : 300);
      assertFalse(rise(rarely).isMissed(), rise(rarely)::toString);
    }
    assertFalse(rise(series(minute -> 300)).isMissed());
    assertFalse(rise(series(minute -> 300 - minute / 10)).isMissed());
  }

  @Test
  void shortRunIsNotJudged() {
    Growth leak = series(30, minute -> 300 + 10 * minute);
    for (Bound bound : new Bound[] {slope(leak), rise(leak), slope(series(0, minute -> 0))}) {
      assertFalse(bound.isMissed());
      assertEquals("not in this run", bound.verdict());
    }
  }

  @Test
  void whatIsMeasuredIsTold() {
    assertEquals("2.00 (2.00 to 2.00)", slope(series(m -> 100 + 2 * (m - 31) / 60)).measured());
    assertEquals("30.0: 375.5, then 405.5", rise(series(minute -> 300 + minute)).measured());
  }
}
