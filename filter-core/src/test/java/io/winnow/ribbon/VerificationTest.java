package io.winnow.ribbon;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ByteAccess;
import io.winnow.FilterBuilder;
import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.base.KeyBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the builders check before they hand out an image; against probing it with every key. */
class VerificationTest {
  private static final int PAYLOAD = FilterHeader.SIZE_IN_BYTES;

  private final Verification verification = new Verification();

  private interface Check {
    boolean holdsAll(long[] mixed, long sum);
  }

  private static byte[] bytes(FilterImage image) {
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return bytes;
  }

  private static FilterImage homogeneous(int width, double rate, long[] hashes) {
    return build(
        FilterBuilder.of(RibbonSizing.forRate(rate, width).withFirstSeeds(() -> 0)), hashes);
  }

  private static RibbonShape shape(FilterImage image) {
    return ((HomogeneousRibbonLayout) image.layout()).shape;
  }

  private static KeySorter partitioned(long[] hashes, long seedMask) {
    KeySorter keys = new KeySorter();
    keys.partition(RibbonHashes.buffer(hashes), seedMask);
    return keys;
  }

  private static boolean probesAll(RibbonShape shape, byte[] image, KeySorter keys) {
    for (int i = 0; i < keys.count; i++) {
      if (!shape.probeMixed(ByteAccess.ARRAY, image, PAYLOAD, keys.mixed[i])) {
        return false;
      }
    }
    return true;
  }

  /** Every single bit is wrong once: that is seen exactly if a key is lost by it. */
  @ParameterizedTest
  @CsvSource({
    "64, 0.01, 700",
    "64, 0.0078, 300",
    "64, 0.5, 300",
    "64, 0.3, 500",
    "64, 1e-6, 200",
    "128, 0.01, 700",
    "128, 0.001, 300"
  })
  void everyWrongBitOfAHomogeneousImage(int width, double rate, int keyCount) {
    long[] hashes = distinct(keyCount, keyCount);
    FilterImage image = homogeneous(width, rate, hashes);
    RibbonShape shape = shape(image);
    KeySorter keys = partitioned(hashes, shape.seedMask);
    byte[] bytes = bytes(image);
    assertTrue(verification.holdsAll(shape, bytes, keys.mixed, keyCount, keys.sum));
    int lost = 0;
    for (int bit = 8 * PAYLOAD; bit < 8 * bytes.length; bit++) {
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      boolean expected = probesAll(shape, bytes, keys);
      assertEquals(
          expected,
          verification.holdsAll(shape, bytes, keys.mixed, keyCount, keys.sum),
          "bit " + bit);
      lost += expected ? 0 : 1;
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
    assertTrue(lost > 4 * (bytes.length - PAYLOAD), lost + " bits matter");
  }

  /** As for a homogeneous one; thresholds and the last layer's solution are among the bits. */
  @ParameterizedTest
  @CsvSource({"0.01, 2000", "0.3, 6000", "0.01, 36000"})
  void everyWrongBitOfABumpedImage(double rate, int keyCount) {
    long[] hashes = distinct(keyCount, keyCount);
    FilterImage image =
        build(FilterBuilder.of(BumpedRibbonSizing.forRate(rate).withFirstSeeds(() -> 0)), hashes);
    BumpedRibbonLayout layout = (BumpedRibbonLayout) image.layout();
    KeySorter keys = new KeySorter();
    keys.sortByThird(RibbonHashes.buffer(hashes), 0, layout.layers[0].blocks * 64);
    byte[] bytes = bytes(image);
    assertTrue(verification.holdsAll(layout, bytes, keys.mixed, keyCount, keys.sum));
    int first = 8 * (PAYLOAD + BumpedRibbonLayout.tableLength(layout.layers.length));
    int step = keyCount > 10_000 ? 1009 : keyCount / 1000;
    for (int bit = first; bit < 8 * bytes.length; bit += step) {
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      boolean expected = true;
      for (int i = 0; i < keyCount && expected; i++) {
        expected = layout.probeMixed(ByteAccess.ARRAY, bytes, PAYLOAD, keys.mixed[i]);
      }
      assertEquals(
          expected,
          verification.holdsAll(layout, bytes, keys.mixed, keyCount, keys.sum),
          "bit " + bit);
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  /** The same error in columns 0 and 3 leaves both folds as they are; the probe sees it. */
  @Test
  void whatTheFoldsCannotSeeIsProbed() {
    int keyCount = 2000;
    long[] hashes = distinct(1, keyCount);
    FilterImage image = homogeneous(64, 0.0078, hashes);
    RibbonShape shape = shape(image);
    byte[] bytes = bytes(image);
    for (int block = 0; block < shape.blocks; block++) {
      int at = PAYLOAD + 8 * (block * shape.columns - Math.min(block, shape.lowerBlocks));
      for (int i = 0; i < 8; i++) {
        bytes[at + i] ^= (byte) 0x5A;
        bytes[at + 8 * 3 + i] ^= (byte) 0x5A;
      }
    }
    KeySorter keys = partitioned(hashes, shape.seedMask);
    assertTrue(verification.holdsAll(shape, bytes, keys.mixed, keyCount, keys.sum));
    KeyBuffer buffer = new KeyBuffer();
    buffer.add(hashes, 0, keyCount);
    assertTrue(Verification.isFound(image.layout(), bytes(image), buffer));
    assertFalse(Verification.isFound(image.layout(), bytes, buffer));
  }

  /** A key that went astray while keys were moved is missing in the sum. */
  @Test
  void aLostKeyIsMissed() {
    int keyCount = 3000;
    long[] hashes = distinct(1, keyCount);
    for (int width : new int[] {64, 128}) {
      FilterImage image = homogeneous(width, 0.01, hashes);
      KeySorter keys = partitioned(hashes, shape(image).seedMask);
      byte[] bytes = bytes(image);
      assertLostKeyIsMissed(
          keys.mixed,
          keys.sum,
          (mixed, sum) -> verification.holdsAll(shape(image), bytes, mixed, keyCount, sum));
    }
    FilterImage image =
        build(FilterBuilder.of(BumpedRibbonSizing.forRate(0.01).withFirstSeeds(() -> 0)), hashes);
    BumpedRibbonLayout layout = (BumpedRibbonLayout) image.layout();
    KeySorter keys = new KeySorter();
    keys.sortByThird(RibbonHashes.buffer(hashes), 0, layout.layers[0].blocks * 64);
    byte[] bytes = bytes(image);
    assertLostKeyIsMissed(
        keys.mixed,
        keys.sum,
        (mixed, sum) -> verification.holdsAll(layout, bytes, mixed, keyCount, sum));
  }

  private static void assertLostKeyIsMissed(long[] mixed, long sum, Check check) {
    assertTrue(check.holdsAll(mixed, sum));
    mixed[5] = mixed[6];
    assertFalse(check.holdsAll(mixed, sum));
  }

  /** Empty and accept-all images of the last resort. */
  @Test
  void imagesWithoutColumns() {
    long[] mixed = {1, 2, 3};
    byte[] image = new byte[PAYLOAD];
    RibbonShape none = new RibbonShape(0, 0, 0, 64, 0);
    RibbonShape all = new RibbonShape(1, 0, 0, 64, 0);
    assertTrue(verification.holdsAll(none, image, new long[0], 0, 0));
    assertFalse(verification.holdsAll(none, image, new long[0], 0, 1));
    assertFalse(verification.holdsAll(none, image, mixed, 3, 6));
    assertTrue(verification.holdsAll(all, image, mixed, 3, 6));
    assertFalse(verification.holdsAll(all, image, mixed, 3, 7));
  }
}
