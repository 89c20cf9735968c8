package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.FilterSizing;
import io.winnow.base.KeyBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BumpedRibbonSizingTest {
  @Test
  void columnsAreTheFewestThatKeepTheRate() {
    assertEquals(1, BumpedRibbonSizing.forRate(0.5).columns());
    assertEquals(2, BumpedRibbonSizing.forRate(Math.nextDown(0.5)).columns());
    assertEquals(7, BumpedRibbonSizing.forRate(0x1p-7).columns());
    assertEquals(7, BumpedRibbonSizing.forRate(0.01).columns());
    assertEquals(10, BumpedRibbonSizing.forRate(0.001).columns());
    assertEquals(48, BumpedRibbonSizing.forRate(FilterSizing.MIN_RATE).columns());
  }

  @Test
  void imagesAtTheKeyLimitFit() {
    for (int bytes : new int[] {500, 4096, 16_384, 65_536, 131_072}) {
      for (double rate : new double[] {0.5, 0.1, 0.01, 0.001}) {
        BumpedRibbonSizing sizing = BumpedRibbonSizing.forRate(rate);
        int keys = (int) sizing.keyLimit(bytes);
        assertTrue(sizing.expectedImageBytes(keys) <= bytes);
        assertTrue(keys >= RibbonSizing.forRate(rate).keyLimit(bytes));
        FilterImage image =
            build(FilterBuilder.of(sizing.withFirstSeeds(() -> 0)), distinct(3, keys));
        assertTrue(
            image.sizeInBytes() <= 1.03 * bytes + 64,
            () -> image.sizeInBytes() + " of " + bytes + " bytes, " + image.layout().describe());
      }
    }
    assertEquals(1, BumpedRibbonSizing.forRate(0.01).keyLimit(1));
  }

  @Test
  void theKeyLimitOfTheLargestChunksDoesNotOverflow() {
    for (double rate : new double[] {0.5, 0.01, 1e-9}) {
      BumpedRibbonSizing sizing = BumpedRibbonSizing.forRate(rate);
      long last = 0;
      for (int bytes = 1 << 20; bytes > 0; bytes <<= 1) {
        long limit = sizing.keyLimit(bytes);
        assertTrue(
            limit > 1.9 * last || limit == KeyBuffer.MAX_COUNT,
            limit + " keys in " + bytes + " bytes");
        assertTrue(limit <= KeyBuffer.MAX_COUNT);
        last = limit;
      }
    }
  }

  /** However the thresholds fall: as many lower blocks as the rate allows, and not one more. */
  @Test
  void lowerBlocksMeetTheRateForAnyThresholds() {
    Random random = new Random(1);
    for (int round = 0; round < 2000; round++) {
      double rate = round % 10 == 0 ? 0.5 : Math.pow(0.5, 1 + 12 * random.nextDouble());
      BumpedRibbonSizing sizing = BumpedRibbonSizing.forRate(rate);
      int slots = 64 * (1 + random.nextInt(60));
      long[] thresholds = new long[BumpedLayer.thresholdWords(slots)];
      int kept = random.nextInt(4);
      for (int bucket = 0; bucket < BumpedLayer.buckets(slots); bucket++) {
        BumpedLayer.setThreshold(
            thresholds, bucket, random.nextInt(4) == 0 ? random.nextInt(4) : kept);
      }
      int lowerBlocks = sizing.lowerBlocks(thresholds, slots);
      assertTrue(sizing.layerRate(thresholds, slots, lowerBlocks) <= rate * (1 + 1e-12));
      if (lowerBlocks < slots / 64) {
        assertTrue(sizing.layerRate(thresholds, slots, lowerBlocks + 1) > rate * (1 - 1e-12));
      }
    }
  }

  /** As a look at each number of keys finds it. */
  @Test
  void layersPayFromTheNumberOfKeysOnThatIsFoundByTryingAll() {
    for (double rate = 0.5; rate >= FilterSizing.MIN_RATE; rate *= 0.83) {
      BumpedRibbonSizing sizing = BumpedRibbonSizing.forRate(rate);
      int least = 8192;
      while (least > 1500
          && sizing.layeredImageBytes(least - 1) < sizing.last.expectedImageBytes(least - 1)) {
        least--;
      }
      assertTrue(sizing.layersPay(least) && !sizing.layersPay(least - 1), rate + ": " + least);
    }
  }

  @Test
  void badRatesAreNamed() {
    for (double rate : new double[] {0, -0.01, 0.51, 1, Double.NaN}) {
      String message =
          assertThrows(IllegalArgumentException.class, () -> BumpedRibbonSizing.forRate(rate))
              .getMessage();
      assertTrue(message.contains(Double.toString(rate)) && message.contains("0.5"), message);
    }
  }

  @Test
  void extremeRatesAreMetAsFarAsAHashReaches() {
    for (double rate : new double[] {0x1p-48, 1e-14, 1e-9}) {
      FilterImage image =
          build(
              FilterBuilder.of(BumpedRibbonSizing.forRate(rate).withFirstSeeds(() -> 0)),
              distinct(4, 5000));
      assertEquals(rate, image.layout().configuredRate());
      assertTrue(image.layout().estimatedRate() <= Math.max(rate, 0x1p-48));
      assertTrue(image.layout().bitsPerKey() < 52, image.layout()::describe);
      for (long hash : distinct(4, 5000)) {
        assertTrue(image.open().mightContain(hash));
      }
    }
  }
}
