package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.countPositives;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rate guard, and what else is the builder's own. */
class HomogeneousConstructionTest {
  private static int seed(FilterImage image) {
    return image.buffer().getInt(48);
  }

  private static double measured(FilterImage image, int probes) {
    return countPositives(image.open(), 1, probes) / (double) probes;
  }

  /** The rates of many filters have a tail; the guard cuts it off. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void noChunkIsAboveTheAskedRate(int width) {
    int chunks = 250;
    int probes = 60_000;
    double rate = 0.01;
    RibbonSizing sizing = RibbonSizing.forRate(rate, width).withFirstSeeds(() -> 0);
    FilterBuilder builder = FilterBuilder.of(sizing);
    long positives = 0;
    int rebuilt = 0;
    int large = 0;
    double sigma = Math.sqrt(rate * (1 - rate) / probes);
    for (int chunk = 0; chunk < chunks; chunk++) {
      FilterImage image = build(builder, distinct(chunk, 20_000));
      assertTrue(image.layout().estimatedRate() <= rate);
      int found = countPositives(image.open(), chunk, probes);
      assertTrue(found <= probes * (rate + 5 * sigma), "chunk " + chunk + ": " + found);
      positives += found;
      rebuilt += seed(image) == 0 ? 0 : 1;
      // About one in a hundred would be, if its size did not count.
      large += image.sizeInBytes() > sizing.expectedImageBytes(20_000) * 1.015 ? 1 : 0;
    }
    double mean = positives / ((double) chunks * probes);
    assertTrue(mean <= rate + 5 * sigma / Math.sqrt(chunks), "mean rate " + mean);
    assertTrue(rebuilt < chunks / 4, rebuilt + " chunks were rebuilt");
    assertEquals(0, large, "chunks are larger than planned");
  }

  /**
   * Blocks are whole, so that small images may be above the expected size under every seed. Then
   * another seed gains nothing, and none is tried; where one is tried, it may make the image
   * smaller, or its rate low enough.
   */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void smallFiltersAreBuiltOnce(int width) {
    int builds = 0;
    int rebuilds = 0;
    int probes = 2000;
    for (double rate = 0.5; rate > 1e-6; rate *= 0.7) {
      RibbonSizing sizing = RibbonSizing.forRate(rate, width).withFirstSeeds(() -> 0);
      FilterBuilder builder = FilterBuilder.of(sizing);
      long positives = 0;
      int images = 0;
      for (int keys = 1; keys <= 400; keys += 7) {
        FilterImage image = build(builder, distinct(builds, keys));
        long least = sizing.minImageBytes(keys);
        assertTrue(image.sizeInBytes() >= least, "no image is smaller than the smallest");
        assertTrue(image.sizeInBytes() <= Math.max(least, 1.015 * sizing.expectedImageBytes(keys)));
        assertTrue(image.layout().estimatedRate() <= rate, image.layout()::describe);
        positives += countPositives(image.open(), builds, probes);
        rebuilds += image.rebuilds();
        builds++;
        images++;
      }
      double mean = rate * images * probes;
      assertTrue(positives <= mean + 5 * Math.sqrt(mean) + 5, positives + " at rate " + rate);
    }
    assertTrue(rebuilds < 0.05 * builds, rebuilds + " rebuilds in " + builds + " builds");
  }

  /**
   * Where all columns are needed everywhere, what crowded keys lose cannot be made up for, and the
   * image's size does not tell: the guard alone turns such a filter down.
   */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void theGuardAloneKeepsTheRate(int width) {
    double rate = 0x1p-7 / (0.999 * 0.99) * (1 + 1e-9); // the least that 7 columns are taken for
    RibbonSizing sizing = RibbonSizing.forRate(rate, width).withFirstSeeds(() -> 0);
    assertEquals(7, sizing.columns(0));
    FilterBuilder builder = FilterBuilder.of(sizing);
    int rebuilt = 0;
    for (int chunk = 0; chunk < 60; chunk++) {
      FilterImage image = build(builder, distinct(chunk, 20_000));
      assertTrue(image.layout().estimatedRate() <= rate, "chunk " + chunk);
      rebuilt += seed(image) == 0 ? 0 : 1;
    }
    assertTrue(rebuilt > 0, "the guard had nothing to do");
  }

  /** Keys that crowd under the first seeds only: another seed, then another size, helps. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void keysThatCrowdUnderTheFirstSeedsAreRebuilt(int seeds) {
    for (int width : new int[] {64, 128}) {
      RibbonSizing sizing = RibbonSizing.forRate(0.01, width).withFirstSeeds(() -> 0);
      long[] hashes = RibbonHashes.unlucky(10_000, seeds);
      FilterImage image = build(FilterBuilder.of(sizing), hashes);
      assertTrue(seed(image) >= seeds, image.layout()::describe);
      assertTrue(image.layout().estimatedRate() <= 0.01);
      assertTrue(measured(image, 200_000) <= 0.01 + 5 * Math.sqrt(0.01 / 200_000));
      MembershipFilter filter = image.open();
      for (long hash : hashes) {
        assertTrue(filter.mightContain(hash));
      }
      double most = seeds < 4 ? 1.015 : 1.45; // a column more, later slots more
      assertTrue(image.sizeInBytes() <= most * sizing.expectedImageBytes(hashes.length));
    }
  }

  /** Under every seed: then the best attempt is handed out, with its rate told as it is. */
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void keysThatCrowdUnderEverySeedStillGiveAFilter(int width) {
    long[] hashes = RibbonHashes.unlucky(150, 20);
    FilterImage image =
        build(FilterBuilder.of(RibbonSizing.forRate(0.01, width).withFirstSeeds(() -> 0)), hashes);
    MembershipFilter filter = image.open();
    for (long hash : hashes) {
      assertTrue(filter.mightContain(hash));
    }
    double estimated = image.layout().estimatedRate();
    int probes = 1_000_000;
    assertEquals(estimated, measured(image, probes), 5 * Math.sqrt(estimated / probes) + 1e-6);
  }

  @Test
  void verifyingChangesNothing() {
    RibbonSizing sizing = RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0);
    long[] hashes = distinct(1, 30_000);
    assertArrayEquals(
        bytes(build(FilterBuilder.of(sizing), hashes)),
        bytes(build(FilterBuilder.of(sizing).verified(false), hashes)));
  }

  private static byte[] bytes(FilterImage image) {
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return bytes;
  }

  @Test
  void theHashFunctionIsRecorded() {
    RibbonSizing sizing = RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0);
    assertEquals(0, build(FilterBuilder.of(sizing), 1).layout().hashId());
    for (KeyHash hash : io.winnow.TestHashes.functions()) {
      FilterBuilder builder = FilterBuilder.of(sizing).hashesOf(hash);
      assertEquals(hash.id(), build(builder, 1).layout().hashId());
      builder.clear();
      assertEquals(hash.id(), builder.finish().layout().hashId());
    }
  }
}
