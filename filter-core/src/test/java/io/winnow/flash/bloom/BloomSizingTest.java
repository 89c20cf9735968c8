package io.winnow.flash.bloom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class BloomSizingTest {
  @Test
  void knownSizes() {
    BloomSizing usual = BloomSizing.forRate(1_000_000, 0.01);
    assertEquals(7, usual.hashFunctions());
    assertEquals(9_592_955, usual.bits());
    BloomSizing seed = BloomSizing.forRate(1_000_000, 0.0004);
    assertEquals(11, seed.hashFunctions());
    assertEquals(16.3, seed.bits() / 1e6, 0.05);
    assertEquals(1, BloomSizing.forRate(1000, 0.9).hashFunctions());
    assertEquals(63, BloomSizing.forRate(1000, 1.5 * 0x1p-64).hashFunctions());
  }

  @Test
  void noOtherNumberOfHashFunctionsTakesFewerBits() {
    for (double rate = 0.9; rate > 1e-6; rate *= 0.7) {
      BloomSizing best = BloomSizing.forRate(1000, rate);
      for (int k = 1; k <= 40; k++) {
        long bits = BloomSizing.forRate(1000, rate, k).bits();
        assertTrue(bits >= best.bits(), k + " functions at " + rate);
      }
    }
  }

  @Test
  void theExpectedRateIsTheAskedOne() {
    for (double rate : new double[] {0.5, 0.01, 0.0004, 1e-9}) {
      for (int k : new int[] {1, 3, 7, 30}) {
        BloomSizing sizing = BloomSizing.forRate(100, rate, k);
        assertEquals(rate, sizing.expectedRate(100), 0.03 * rate);
        assertTrue(sizing.expectedRate(100) <= rate * (1 + 1e-12));
        assertTrue(sizing.expectedRate(50) < 0.8 * rate);
      }
      assertEquals(0, BloomSizing.forRate(100, rate).expectedRate(0));
    }
  }

  @Test
  void badArgumentsAreNamed() {
    assertRefused(() -> new BloomSizing(63, 1), "63", "64");
    assertRefused(() -> new BloomSizing((1L << 44) + 1, 1), "17592186044417", "2^44");
    assertRefused(() -> new BloomSizing(100, 0), "0", "64");
    assertRefused(() -> new BloomSizing(100, 65), "65", "64");
    assertRefused(() -> BloomSizing.forRate(0, 0.01), "0", "1");
    assertRefused(() -> BloomSizing.forRate(Long.MAX_VALUE, 0.01), "bits", "2^44");
    for (double rate : new double[] {0, -1, 1, 2, 0x1p-64, Double.NaN}) {
      assertRefused(() -> BloomSizing.forRate(10, rate), Double.toString(rate), "below 1");
      assertRefused(() -> BloomSizing.forRate(10, rate, 3), Double.toString(rate), "below 1");
    }
  }

  private static void assertRefused(Executable call, String value, String bound) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(value) && message.contains(bound), message);
  }
}
