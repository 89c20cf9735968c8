package io.winnow.ribbon;

import io.winnow.FilterBuilder;
import io.winnow.FilterHeader;
import io.winnow.FilterType;
import io.winnow.GoldenImagesTest;
import io.winnow.KeyHash;
import io.winnow.TestHashes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/** The golden images of homogeneous Ribbon filters. */
class GoldenRibbonTest extends GoldenImagesTest {
  GoldenRibbonTest() {
    super("ribbon-v1", "ribbon");
  }

  @Override
  protected LongPredicate plainReader(byte[] image) {
    return new PlainRibbonReader(image)::mightContain;
  }

  @Override
  protected List<Golden> images() {
    RibbonSizing lindorm = RibbonSizing.lindorm(4096, 0.01).withFirstSeeds(() -> 0);
    return List.of(
        golden("empty", RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0)),
        golden(
            "one-key",
            RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0),
            TestHashes.distinct(0, 1)),
        hundredDecimals(),
        golden(
            "1000-keys-w128",
            RibbonSizing.forRate(0.01, 128).withFirstSeeds(() -> 0),
            TestHashes.distinct(0, 1000)),
        golden(
            "300-keys-rate-0.3",
            RibbonSizing.forRate(0.3).withFirstSeeds(() -> 0),
            TestHashes.distinct(0, 300)),
        golden("lindorm-4096-bytes", lindorm, TestHashes.distinct(0, (int) lindorm.keyLimit(4096))),
        golden(
            "second-seed",
            RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0),
            RibbonHashes.unlucky(500, 1)),
        acceptAll());
  }

  private static Golden golden(String name, RibbonSizing sizing, long... hashes) {
    return new Golden(name, hashes, bytes(TestHashes.build(FilterBuilder.of(sizing), hashes)));
  }

  /** From keys' bytes on. */
  private static Golden hundredDecimals() {
    long[] hashes = new long[100];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = KeyHash.XXH3.hash(Integer.toString(i).getBytes(StandardCharsets.US_ASCII));
    }
    FilterBuilder builder =
        FilterBuilder.of(RibbonSizing.forRate(0.01).withFirstSeeds(() -> 0)).hashesOf(KeyHash.XXH3);
    return new Golden("100-decimals-xxh3", hashes, bytes(TestHashes.build(builder, hashes)));
  }

  /** A builder comes to this only where the machine is at fault; so it is put together here. */
  private static Golden acceptAll() {
    byte[] image = new byte[FilterHeader.SIZE_IN_BYTES];
    FilterHeader.write(
        image,
        FilterType.RIBBON,
        null,
        1000,
        0.01,
        1,
        new RibbonShape(1, 0, 0, 64, 0).word0(),
        new RibbonShape(1, 0, 0, 64, 0).word1());
    return new Golden("accept-all", TestHashes.distinct(0, 1000), image);
  }

  /** The worked example on the format page is the golden image of one key. */
  @Test
  void theFormatPagesExampleIsTheGoldenImage() throws IOException {
    assertPageShows("one-key", read("one-key").length);
    long hash = TestHashes.splitMix(0, 0);
    long mixed = RibbonHasher.mix(hash, RibbonHasher.seedMask(0));
    assertPageNames(hash, mixed, RibbonHasher.row(mixed), KeyHash.combine(1, 2));
    long second = TestHashes.splitMix(0, 1);
    assertPageNames(second, RibbonHasher.mix(second, 0));
  }
}
