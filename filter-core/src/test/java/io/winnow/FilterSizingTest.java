package io.winnow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What every kind of filter can be asked for. */
class FilterSizingTest {
  @Test
  void ratesAreAboveZeroAndAtMostAHalf() {
    for (double rate : new double[] {Double.MIN_VALUE, 1e-9, 0.01, 0.5}) {
      assertEquals(rate, FilterSizing.checkRate(rate));
    }
    for (double rate : new double[] {0, -0.01, Math.nextUp(0.5), 1, Double.NaN}) {
      var e = assertThrows(IllegalArgumentException.class, () -> FilterSizing.checkRate(rate));
      assertTrue(e.getMessage().contains("rate is " + rate), e.getMessage());
    }
  }

  @Test
  void keysAreNotFewerThanNone() {
    for (long keys : new long[] {0, 1, Long.MAX_VALUE}) {
      assertEquals(keys, FilterSizing.checkKeys(keys));
    }
    var e = assertThrows(IllegalArgumentException.class, () -> FilterSizing.checkKeys(-1));
    assertTrue(e.getMessage().contains("-1 keys"), e.getMessage());
  }
}
