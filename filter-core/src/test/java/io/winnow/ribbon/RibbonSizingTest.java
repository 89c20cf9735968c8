package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.TestHashes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class RibbonSizingTest {
  private static final int CHUNK_BYTES = 131_072;

  @Test
  void lindormsPublishedNumbers() {
    RibbonSizing sizing = RibbonSizing.lindorm(CHUNK_BYTES, 0.01).withFirstSeeds(() -> 0);
    assertEquals(145_000, sizing.keyLimit(CHUNK_BYTES));
    assertEquals(7.2315, sizing.lindormBitsPerKey(), 5e-5);
    assertEquals(1.064, sizing.lindormRate() / 0.01, 0.001);
    assertTrue(sizing.isLindorm());
  }

  /** The meta table of the paper: ten million keys, 69 chunks. */
  @Test
  void lindormsTenMillionKeys() {
    RibbonSizing sizing = RibbonSizing.lindorm(CHUNK_BYTES, 0.01).withFirstSeeds(() -> 0);
    FilterBuilder builder = FilterBuilder.of(sizing);
    long limit = sizing.keyLimit(CHUNK_BYTES);
    int keys = 10_000_000;
    int chunks = 0;
    int lastKeys = 0;
    int lastBytes = 0;
    for (int i = 0; i < keys; i++) {
      builder.add(TestHashes.splitMix(1, i));
      if (builder.pendingCount() == limit || i == keys - 1) {
        lastKeys = (int) builder.pendingCount();
        FilterImage image = builder.finish();
        lastBytes = image.sizeInBytes();
        chunks++;
        assertTrue(i == keys - 1 || lastBytes == CHUNK_BYTES, lastBytes + " bytes in a chunk");
        assertEquals(lastKeys, image.layout().keyCount());
        assertTrue(image.layout().estimatedRate() <= sizing.highestRate());
      }
    }
    assertEquals(69, chunks);
    assertEquals(140_000, lastKeys);
    assertEquals(8.0 * (CHUNK_BYTES - 64) / 145_000, 8.0 * (lastBytes - 64) / lastKeys, 0.01);
  }

  @Test
  void moreKeysThanALindormFilterHoldsGetTheFilterOfTheRate() {
    int keys = 150_000;
    RibbonSizing lindorm = RibbonSizing.lindorm(CHUNK_BYTES, 0.01).withFirstSeeds(() -> 0);
    RibbonSizing plain = RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0);
    FilterImage image = build(FilterBuilder.of(lindorm), distinct(1, keys));
    assertEquals(build(FilterBuilder.of(plain), distinct(1, keys)).buffer(), image.buffer());
    assertEquals(plain.expectedImageBytes(keys), lindorm.expectedImageBytes(keys));
  }

  @Test
  void smallLindormFiltersHoldTheirBytesAndTheRate() {
    RibbonSizing sizing = RibbonSizing.lindorm(CHUNK_BYTES, 0.01).withFirstSeeds(() -> 0);
    for (int keys : new int[] {1, 52, 118, 1000, 10_000, 144_999}) {
      FilterImage image = build(FilterBuilder.of(sizing), distinct(1, keys));
      assertTrue(image.sizeInBytes() <= CHUNK_BYTES);
      assertTrue(image.layout().estimatedRate() <= sizing.highestRate());
    }
  }

  @Test
  void fullLindormFiltersHaveTheirBytesAtOtherSizesAndRates() {
    for (int bytes : new int[] {1024, 1500, 4096, 65_536, 131_075, 1 << 20}) {
      for (double rate : new double[] {0.3, 0.05, 0.01, 0.001}) {
        RibbonSizing sizing = RibbonSizing.lindorm(bytes, rate).withFirstSeeds(() -> 0);
        int keys = (int) sizing.keyLimit(bytes);
        FilterImage image = build(FilterBuilder.of(sizing), distinct(2, keys));
        assertEquals(keys, image.layout().keyCount());
        if (bytes >= 4096) {
          assertTrue(
              image.sizeInBytes() <= bytes && image.sizeInBytes() > bytes - 8 - bytes / 1000,
              image.sizeInBytes() + " of " + bytes + " bytes at " + rate);
        }
      }
    }
  }

  @Test
  void imagesAtTheKeyLimitFit() {
    for (int width : new int[] {64, 128}) {
      for (int bytes : new int[] {500, 4096, 16_384, 65_536, CHUNK_BYTES}) {
        for (double rate : new double[] {0.5, 0.1, 0.01, 0.001}) {
          RibbonSizing sizing = RibbonSizing.forRate(rate, width).withFirstSeeds(() -> 0);
          int keys = (int) sizing.keyLimit(bytes);
          assertTrue(sizing.expectedImageBytes(keys) <= bytes);
          assertTrue(sizing.expectedImageBytes(keys + 1) > bytes);
          FilterImage image = build(FilterBuilder.of(sizing), distinct(3, keys));
          assertTrue(
              image.sizeInBytes() <= 1.015 * bytes + 64,
              () -> image.sizeInBytes() + " of " + bytes + " bytes, " + image.layout().describe());
        }
      }
    }
    assertEquals(1, RibbonSizing.forRate(0.01).keyLimit(1));
  }

  @Test
  void sizesGrowWithTheKeys() {
    for (int width : new int[] {64, 128}) {
      RibbonSizing sizing = RibbonSizing.forRate(0.01, width).withFirstSeeds(() -> 0);
      long slots = 0;
      long bytes = 0;
      for (int keys = 1; keys < 3000; keys++) {
        assertTrue(sizing.slots(keys, 0) >= slots && sizing.expectedImageBytes(keys) >= bytes);
        slots = sizing.slots(keys, 0);
        bytes = sizing.expectedImageBytes(keys);
        assertEquals(0, slots % width);
        assertTrue(slots > keys + 6);
        assertTrue(sizing.keyLimit(bytes) >= keys, "an image of just these bytes holds them");
        for (int growth = 1; growth <= 4; growth++) {
          assertTrue(sizing.slots(keys, growth) >= sizing.slots(keys, growth - 1));
        }
        for (int growth = 5; growth <= 6; growth++) { // rounded up to a block each
          int factor = growth == 5 ? 2 : 4;
          long more = factor * slots - sizing.slots(keys, growth);
          assertTrue(more >= 0 && more < factor * width, more + " slots");
        }
      }
    }
  }

  @Test
  void badArgumentsAreNamed() {
    for (double rate : new double[] {0, -0.01, 0.51, 1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefused(() -> RibbonSizing.forRate(rate), Double.toString(rate), "0.5");
      assertRefused(() -> RibbonSizing.forRate(rate, 128), Double.toString(rate), "0.5");
      assertRefused(() -> RibbonSizing.lindorm(1024, rate), Double.toString(rate), "0.5");
    }
    for (int width : new int[] {0, 32, 65, 256, -64}) {
      assertRefused(() -> RibbonSizing.forRate(0.01, width), Integer.toString(width), "64 or 128");
    }
    for (int bytes : new int[] {1023, 128, 0, -1, Integer.MIN_VALUE}) {
      assertRefused(() -> RibbonSizing.lindorm(bytes, 0.01), Integer.toString(bytes), "1024");
    }
  }

  private static void assertRefused(Executable call, String value, String bound) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(value) && message.contains(bound), message);
  }

  @Test
  void extremeRatesAreMetAsFarAsAHashReaches() {
    for (double rate : new double[] {0x1p-48, 1e-14, 1e-9}) {
      FilterImage image =
          build(
              FilterBuilder.of(RibbonSizing.forRate(rate).withFirstSeeds(() -> 0)),
              distinct(4, 1000));
      assertEquals(rate, image.layout().configuredRate());
      assertTrue(image.layout().estimatedRate() <= Math.max(rate, 0x1p-48));
      assertTrue(image.layout().bitsPerKey() < 64, image.layout()::describe);
    }
  }
}
