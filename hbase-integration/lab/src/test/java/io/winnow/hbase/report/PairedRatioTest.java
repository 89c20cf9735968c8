package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PairedRatioTest {
  private static double[] times(double factor, double[] base) {
    return Arrays.stream(base).map(time -> factor * time).toArray();
  }

  /** The machine may become ten times slower meanwhile: a pair sees the same of it. */
  @Test
  void aPairIsComparedAndNotTheMedians() {
    double[] base = {100, 1000, 200, 400, 150, 700};
    assertEquals(new PairedRatio(0.5, 0.5, 0.5), PairedRatio.of(times(0.5, base), base));
  }

  /** From tables of the sign test: 18 pairs leave out four at each end, 6 none. */
  @Test
  void theIntervalLeavesOutWhatTheSignTestSays() {
    double[] base = new double[18];
    double[] samples = new double[18];
    for (int i = 0; i < 18; i++) {
      base[i] = 100;
      samples[i] = 101 + i * 7 % 18; // 1.01 to 1.18 in some order
    }
    PairedRatio all = PairedRatio.of(samples, base);
    assertEquals(1.095, all.median(), 1e-9);
    assertEquals(1.05, all.low(), 1e-9);
    assertEquals(1.14, all.high(), 1e-9);
    PairedRatio few = PairedRatio.of(Arrays.copyOf(samples, 6), base);
    assertEquals(Arrays.stream(samples, 0, 6).min().orElseThrow() / 100, few.low(), 1e-9);
    assertEquals(Arrays.stream(samples, 0, 6).max().orElseThrow() / 100, few.high(), 1e-9);
  }

  @Test
  void theMedianIsInTheIntervalAsOftenAsSaid() {
    Random random = new Random(20261121);
    int in = 0;
    int runs = 4000;
    double[] base = new double[18];
    Arrays.fill(base, 1);
    for (int run = 0; run < runs; run++) {
      double[] samples = new double[18];
      Arrays.setAll(samples, i -> Math.exp(random.nextGaussian()));
      PairedRatio ratio = PairedRatio.of(samples, base);
      in += ratio.low() <= 1 && ratio.high() >= 1 ? 1 : 0;
    }
    double share = (double) in / runs; // 0.969 by the sign test, and 5 standard errors of 0.0027
    assertTrue(share > 0.955 && share < 0.983, "share " + share);
  }

  @Test
  void withoutSamplesThereIsNoRatio() {
    assertTrue(Double.isNaN(PairedRatio.of(new double[0], new double[0]).median()));
    assertEquals("-", PairedRatio.of(new double[0], new double[0]).text());
    double[] base = {2, 2, 2, 2, 2, 2};
    assertEquals("0.50 (0.50 to 0.50)", PairedRatio.of(times(0.5, base), base).text());
  }

  /** Five that agree are a chance of 6 %. */
  @Test
  void fewPairsProveNothing() {
    double[] five = {2, 2, 2, 2, 2};
    PairedRatio ratio = PairedRatio.of(times(0.5, five), five);
    assertEquals("0.50 (too few rounds)", ratio.text());
    assertFalse(ratio.isBelow(1));
    assertFalse(PairedRatio.of(five, times(0.5, five)).isAbove(1));
    assertEquals("**not certain**", new Bound("", true, 1, ratio).verdict());
    double[] six = {2, 2, 2, 2, 2, 2};
    assertTrue(PairedRatio.of(times(0.5, six), six).isBelow(1));
  }

  /** Of ten true rows, one in two tables would be wrong without it; all together it is 5 %. */
  @Test
  void amongManyRowsAnIntervalIsWider() {
    double[] samples = new double[24];
    double[] base = new double[24];
    Arrays.setAll(samples, i -> i + 1);
    Arrays.fill(base, 1);
    PairedRatio alone = PairedRatio.among(samples, base, 1);
    assertEquals(PairedRatio.of(samples, base), alone);
    assertEquals(7, alone.low());
    // P(at most 5 of 24) is 0.0033, P(at most 4) 0.0008: 0.05 / 15 / 2 is 0.0017.
    PairedRatio among = PairedRatio.among(samples, base, 15);
    assertEquals(5, among.low());
    assertEquals(20, among.high());
    assertTrue(among.hasInterval());
  }

  @Test
  void sixPairsProveNothingAmongManyRows() {
    double[] six = {2, 2, 2, 2, 2, 2};
    assertTrue(PairedRatio.among(six, times(0.5, six), 1).isAbove(1));
    assertFalse(PairedRatio.among(six, times(0.5, six), 2).hasInterval());
    double[] nine = {2, 2, 2, 2, 2, 2, 2, 2, 2};
    assertTrue(PairedRatio.among(nine, times(0.5, nine), 9).isAbove(1));
    assertFalse(PairedRatio.among(nine, times(0.5, nine), 15).hasInterval());
  }
}
