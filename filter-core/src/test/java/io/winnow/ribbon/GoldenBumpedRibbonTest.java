package io.winnow.ribbon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.GoldenImagesTest;
import io.winnow.TestHashes;
import java.io.IOException;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/** The golden images of bumped Ribbon filters. */
class GoldenBumpedRibbonTest extends GoldenImagesTest {
  /** Which of SplitMix64's outputs the worked example probes for. */
  private static final int KEPT_KEY = 0;

  private static final int BUMPED_KEY = 4;

  GoldenBumpedRibbonTest() {
    super("bumped-ribbon-v1", "ribbon");
  }

  @Override
  protected LongPredicate plainReader(byte[] image) {
    return new PlainBumpedRibbonReader(image)::mightContain;
  }

  @Override
  protected List<Golden> images() {
    return List.of(
        golden("2000-keys", 1, 0.01, TestHashes.distinct(0, 2000)),
        golden("5000-keys-rate-0.001", 1, 0.001, TestHashes.distinct(0, 5000)),
        golden("5000-keys-rate-0.1", 1, 0.1, TestHashes.distinct(0, 5000)),
        golden("second-seed", 1, 0.01, RibbonHashes.unlucky(2000, 1)),
        golden("36000-keys-two-layers", 2, 0.01, TestHashes.distinct(0, 36_000)));
  }

  private static Golden golden(String name, int layers, double rate, long[] hashes) {
    FilterImage image =
        TestHashes.build(
            FilterBuilder.of(BumpedRibbonSizing.forRate(rate).withFirstSeeds(() -> 0)), hashes);
    assertEquals(layers, ((BumpedRibbonLayout) image.layout()).layers.length);
    return new Golden(name, hashes, bytes(image));
  }

  /** The worked example on the format page begins the golden image of 2000 keys. */
  @Test
  void theFormatPagesExampleIsTheGoldenImage() throws IOException {
    assertPageShows("2000-keys", 128);
    long hash = TestHashes.splitMix(0, KEPT_KEY);
    long mixed = RibbonHasher.mix(hash, RibbonHasher.seedMask(0));
    assertPageNames(hash, mixed, RibbonHasher.row(mixed), RibbonHasher.fingerprint(mixed));
    hash = TestHashes.splitMix(0, BUMPED_KEY);
    mixed = RibbonHasher.mix(hash, RibbonHasher.seedMask(0));
    assertPageNames(hash, mixed, RibbonHasher.mix(mixed, 0), RibbonHasher.LAYER_MASK);
  }
}
