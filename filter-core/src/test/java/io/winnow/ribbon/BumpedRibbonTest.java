package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.countPositives;
import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.shuffled;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterContractTest;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BumpedRibbonTest extends FilterContractTest {
  private static FilterBuilder bumped(double rate) {
    return FilterBuilder.of(BumpedRibbonSizing.forRate(rate).withFirstSeeds(() -> 0));
  }

  @Override
  protected FilterBuilder builder(double rate) {
    return bumped(rate);
  }

  @Override
  protected Map<Integer, Double> bitsPerKeyBounds() {
    return Map.of(
        155_000, 6.77, 100_000, 6.80, 10_000, 6.95, 5000, 7.05, 2000, 7.4, 1000, 8.2, 100, 15.0);
  }

  /** Where the first layer starts to pay, and about where the second and the third do. */
  @Override
  protected int[] keyCountsAtEdges(double rate) {
    return new int[] {minLayeredKeys(rate), 33_000, 35_000};
  }

  private static int minLayeredKeys(double rate) {
    BumpedRibbonSizing sizing = BumpedRibbonSizing.forRate(rate).withFirstSeeds(() -> 0);
    int keys = 1;
    while (!sizing.layersPay(keys)) {
      keys++;
    }
    return keys;
  }

  /** All of them start in one and the same place of the first layer. */
  @Override
  protected long[] crowdedHashes(int count) {
    return RibbonHashes.crowded(count);
  }

  private static int seed(FilterImage image) {
    return image.buffer().getInt(40);
  }

  private static int layers(FilterImage image) {
    return image.layout() instanceof BumpedRibbonLayout bumped ? bumped.layers.length : 0;
  }

  private static void assertHoldsAll(FilterImage image, long[] hashes) {
    MembershipFilter filter = image.open();
    for (long hash : hashes) {
      assertTrue(filter.mightContain(hash), image.layout()::describe);
    }
  }

  @ParameterizedTest
  @CsvSource({"0.1, 155000, 3.44", "0.001, 155000, 10.06", "0.001, 10000, 10.25"})
  void sizeAtOtherRates(double rate, int keys, double bitsPerKey) {
    FilterImage image = build(bumped(rate), distinct(6, keys));
    assertTrue(image.layout().bitsPerKey() <= bitsPerKey, image.layout().bitsPerKey() + " bits");
  }

  @Test
  void layersComeAsKeysGrow() {
    int[] keys = {0, 1, 100, 1800, 2000, 30_000, 40_000, 155_000, 1_000_000};
    int[] layers = {0, 0, 0, 0, 1, 1, 2, 2, 3};
    for (int i = 0; i < keys.length; i++) {
      FilterImage image = build(bumped(0.01), distinct(7, keys[i]));
      assertEquals(layers[i], layers(image), keys[i] + " keys");
      FilterType type = layers[i] == 0 ? FilterType.RIBBON : FilterType.BUMPED_RIBBON;
      assertEquals(type, image.layout().type());
      assertEquals(type, image.open().type());
    }
  }

  /** Below the least number of layered keys the image is the homogeneous builder's, bit by bit. */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 0.3, 0.1, 0.01, 0.001})
  void smallFiltersAreHomogeneousOrSmallerThanThat(double rate) {
    int least = minLayeredKeys(rate);
    FilterBuilder builder = bumped(rate);
    FilterBuilder homogeneous =
        FilterBuilder.of(RibbonSizing.forRate(rate).withFirstSeeds(() -> 0));
    for (int keys = 1; keys < 9000; keys += 1 + keys / 10) {
      long[] hashes = distinct(keys, keys);
      FilterImage image = build(builder, hashes);
      FilterImage other = build(homogeneous, hashes);
      if (keys < least) {
        assertArrayEquals(bytes(other), bytes(image));
      }
      // A layer's size is planned: more keys than expected may be bumped, a block or two.
      assertTrue(image.sizeInBytes() <= 1.05 * other.sizeInBytes(), keys + " keys at " + rate);
    }
  }

  /** Repeats count as keys until they are found; they must not decide which form is taken. */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 0.1, 0.01, 0.001})
  void repeatsDoNotDecideTheForm(double rate) {
    int least = minLayeredKeys(rate);
    for (int keys : new int[] {least - 200, least - 1, least, least + 1}) {
      long[] hashes = distinct(keys, keys);
      byte[] once = bytes(build(bumped(rate), hashes));
      for (int repeats : new int[] {1, 10, 300}) {
        FilterBuilder builder = bumped(rate);
        for (int i = 0; i < keys; i++) {
          builder.add(hashes[i]);
          if (i >= repeats && i < 2 * repeats) {
            builder.add(hashes[i - repeats]);
          }
        }
        assertArrayEquals(once, bytes(builder.finish()), keys + " keys, " + repeats + " repeats");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2000, 34_000, 40_000, 155_000})
  void imageDependsOnTheSetAloneWithEveryNumberOfLayers(int keys) {
    long[] hashes = distinct(keys, keys);
    byte[] expected = bytes(build(bumped(0.01), hashes));
    assertArrayEquals(expected, bytes(build(bumped(0.01), shuffled(hashes, 1))));
    FilterBuilder repeating = bumped(0.01);
    for (int i = 0; i < keys; i++) {
      repeating.add(hashes[i]);
      if (i % 1000 == 999) {
        repeating.add(hashes[i / 2]);
      }
    }
    assertArrayEquals(expected, bytes(repeating.finish()));
    assertArrayEquals(expected, bytes(build(bumped(0.01).verified(false), hashes)));
  }

  /** Hashes crowded under the first seeds: another seed, and then what a crowd costs in space. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void hashesThatCrowdUnderTheFirstSeeds(int seeds) {
    long[] hashes = RibbonHashes.unlucky(20_000, seeds);
    FilterImage image = build(bumped(0.01), hashes);
    assertHoldsAll(image, hashes);
    assertTrue(image.layout().estimatedRate() <= 0.01);
    if (seeds < 3) {
      assertEquals(seeds, seed(image));
      assertTrue(image.layout().bitsPerKey() <= 7.0, image.layout()::describe);
    } else {
      assertTrue(image.layout().bitsPerKey() <= 13.6, image.layout()::describe);
    }
    assertRate(image, 0.01, 1_000_000, 0);
  }

  /** So that layers can be built, and would be a good deal too large. */
  @Test
  void hashesThatCrowdALittleCostNoSpace() {
    long[] hashes = new long[20_000];
    int found = 0;
    for (long i = 0; found < hashes.length; i++) {
      long hash = splitMix(8, i);
      if (RibbonHasher.mix(hash, RibbonHasher.seedMask(0)) >>> 60 < 13) {
        hashes[found++] = hash;
      }
    }
    FilterImage image = build(bumped(0.01), hashes);
    assertHoldsAll(image, hashes);
    assertEquals(1, seed(image));
    assertTrue(image.layout().bitsPerKey() <= 6.9, image.layout()::describe);
  }

  @Test
  void hashesOfOneBucketUnderOneSeedCostNoSpace() {
    long[] hashes = RibbonHashes.crowded(20_000);
    FilterImage image = build(bumped(0.01), hashes);
    assertHoldsAll(image, hashes);
    assertEquals(1, seed(image));
    assertTrue(image.layout().bitsPerKey() <= 6.9, image.layout()::describe);
  }

  /** Under all seeds that the builder tries: then the first layer is lost, and nothing else. */
  @Test
  void hashesOfOneBucketUnderEverySeed() {
    int keys = 3000;
    int buckets = BumpedLayer.buckets(BumpedRibbonSizing.slots(keys));
    long[] hashes = RibbonHashes.unlucky(keys, 3, buckets + 1);
    FilterImage image = build(bumped(0.01), hashes);
    assertEquals(keys, image.layout().keyCount());
    assertHoldsAll(image, hashes);
    assertTrue(image.layout().bitsPerKey() <= 14.5, image.layout()::describe);
    assertTrue(image.layout().estimatedRate() <= 0.01);
    assertRate(image, 0.01, 1_000_000, 0);
  }

  private static void assertRate(FilterImage image, double asked, int probes, long seed) {
    double rate = countPositives(image.open(), seed, probes) / (double) probes;
    double estimated = image.layout().estimatedRate();
    double sigma = Math.sqrt(estimated * (1 - estimated) / probes);
    assertTrue(rate <= asked + 5 * sigma, () -> rate + " measured, asked " + asked);
    assertEquals(estimated, rate, 5 * sigma, image.layout()::describe);
  }

  @Test
  void noChunkStandsOut() {
    int chunks = 220;
    int probes = 60_000;
    double asked = 0.01;
    FilterBuilder builder = bumped(asked);
    double sigma = Math.sqrt(asked * (1 - asked) / probes);
    long positives = 0;
    long bytes = 0;
    for (int chunk = 0; chunk < chunks; chunk++) {
      FilterImage image = build(builder, distinct(chunk, 20_000));
      assertEquals(0, seed(image), "no seed but the first");
      assertTrue(image.layout().estimatedRate() <= asked);
      int found = countPositives(image.open(), chunk, probes);
      // 1.1 times the asked rate is allowed; in fact no chunk is above it at all.
      assertTrue(found <= probes * (asked + 5 * sigma), "chunk " + chunk + ": " + found);
      positives += found;
      bytes += image.sizeInBytes();
    }
    double mean = positives / ((double) chunks * probes);
    assertTrue(mean <= asked + 5 * sigma / Math.sqrt(chunks), "mean rate " + mean);
    double bitsPerKey = 8.0 * bytes / (20_000.0 * chunks);
    assertTrue(bitsPerKey <= 6.85, bitsPerKey + " bits per key");
  }

  /**
   * Fingerprint, row and start all come from one mixed hash. Were they not as good as independent,
   * rates with few columns would show it first.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 0.3, 0.1})
  void fingerprintRowAndStartAreAsGoodAsIndependent(double asked) {
    int filters = 20;
    int probes = 1_500_000;
    double estimated = 0;
    double measured = 0;
    for (int i = 0; i < filters; i++) {
      FilterImage image = build(bumped(asked), distinct(i, 5000 + 2500 * i));
      estimated += image.layout().estimatedRate() / filters;
      measured += countPositives(image.open(), i, probes) / ((double) filters * probes);
    }
    double sigma = Math.sqrt(asked * (1 - asked) / ((double) filters * probes));
    // A bit of a free slot is not random but zero, and a filter's keys are few: each filter is a
    // little off by itself, far less than a part in a thousand.
    assertEquals(estimated, measured, 5 * sigma + 0.0005 * asked);
  }

  @Test
  void theHashFunctionIsRecorded() {
    for (KeyHash hash : io.winnow.TestHashes.functions()) {
      for (int keys : new int[] {10, 3000}) {
        FilterImage image = build(bumped(0.01).hashesOf(hash), distinct(1, keys));
        assertEquals(hash.id(), image.layout().hashId());
      }
    }
  }

  @Test
  void theDescriptionCountsLayers() {
    for (int keys : new int[] {3000, 1_000_000}) {
      BumpedRibbonLayout layout =
          (BumpedRibbonLayout) build(bumped(0.01), distinct(1, keys)).layout();
      int layers = layout.layers.length;
      String counted = layers == 1 ? "1 bumped layer " : layers + " bumped layers ";
      assertTrue(layout.describe().contains(", " + counted + "and "), layout.describe());
    }
  }
}
