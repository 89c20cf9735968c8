package io.winnow.quotient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.GoldenImagesTest;
import io.winnow.ImageFilter;
import io.winnow.KeyHash;
import io.winnow.TestHashes;
import io.winnow.base.KeyBuffer;
import io.winnow.image.Filters;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The golden images of quotient filters. */
class GoldenQuotientTest extends GoldenImagesTest {
  /** Runs that begin after their quotients' slots, one of them in the next block. */
  private static final QuotientShape SHIFTED_SHAPE = QuotientShape.ofSlots(70, 4);

  private static final long[] SHIFTED =
      LongStream.of(62 << 4 | 3, 62 << 4 | 9, 63 << 4 | 5, 63 << 4 | 5, 64 << 4 | 1, 64 << 4 | 14)
          .map(fingerprint -> QuotientModelTest.hashOf(fingerprint, 70 << 4))
          .toArray();

  GoldenQuotientTest() {
    super("quotient-v1", "quotient");
  }

  @Override
  protected LongPredicate plainReader(byte[] image) {
    return new PlainQuotientReader(image)::mightContain;
  }

  @Override
  protected List<Golden> images() {
    QuotientShape prefixes = QuotientShape.ofFingerprintBits(20, 700);
    return List.of(
        filter("empty", QuotientShape.ofSlots(100, 7)),
        filter("one-key", QuotientShape.ofSlots(5, 4), TestHashes.distinct(0, 1)),
        filter(
            "one-key-three-bit",
            QuotientShape.ofSlots(5, 4).with(QuotientScheme.THREE_BIT),
            TestHashes.distinct(0, 1)),
        chunk("1000-keys", QuotientScheme.RANK_SELECT),
        chunk("1000-keys-three-bit", QuotientScheme.THREE_BIT),
        filter("20-bit-fingerprints", prefixes, TestHashes.distinct(0, 600)),
        filter(
            "20-bit-fingerprints-three-bit",
            prefixes.with(QuotientScheme.THREE_BIT),
            TestHashes.distinct(0, 500)),
        filter("56-bit-remainders", QuotientShape.ofSlots(64, 56), TestHashes.distinct(0, 50)),
        filter("far-offsets", QuotientShape.ofSlots(1000, 7), repeated(700)),
        filter("shifted-runs", SHIFTED_SHAPE, SHIFTED),
        filter("shifted-runs-three-bit", SHIFTED_SHAPE.with(QuotientScheme.THREE_BIT), SHIFTED),
        filter("runs-over-the-end", QuotientShape.ofSlots(120, 9), highest(100)),
        filter(
            "runs-over-the-end-three-bit",
            QuotientShape.ofSlots(140, 9).with(QuotientScheme.THREE_BIT),
            highest(100)),
        everything());
  }

  private static Golden filter(String name, QuotientShape shape, long... hashes) {
    QuotientFilter filter = QuotientFilter.of(shape).growing(QuotientGrowth.NONE);
    for (long hash : hashes) {
      filter.insert(hash);
    }
    return new Golden(name, hashes, bytes(filter.toImage()));
  }

  /** From keys' bytes on, by the builder. */
  private static Golden chunk(String name, QuotientScheme scheme) {
    long[] hashes = new long[1000];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = KeyHash.XXH3.hash(Integer.toString(i).getBytes(StandardCharsets.US_ASCII));
    }
    FilterBuilder builder =
        FilterBuilder.of(QuotientSizing.forRate(0.01, scheme)).hashesOf(KeyHash.XXH3);
    return new Golden(name, hashes, bytes(TestHashes.build(builder, hashes)));
  }

  private static long[] repeated(int count) {
    long[] hashes = TestHashes.distinct(0, count);
    Arrays.fill(hashes, 0, count / 2, hashes[0]);
    return hashes;
  }

  private static long[] highest(int count) {
    long[] hashes = TestHashes.distinct(0, count);
    for (int i = 0; i < count / 2; i++) {
      hashes[i] = TestHashes.unmix(-1L - (hashes[i] >>> 8));
    }
    return hashes;
  }

  /** A filter whose verification failed: a header alone. */
  private static Golden everything() {
    KeyBuffer keys = new KeyBuffer();
    keys.add(TestHashes.distinct(0, 3), 0, 3);
    FilterImage image =
        new QuotientConstruction(bytes -> bytes[64] ^= 1)
            .build(QuotientSizing.forRate(0.01), keys, null, true);
    return new Golden("everything", TestHashes.distinct(0, 3), bytes(image));
  }

  /** What a plain reader finds, and the rate of just that. */
  @ParameterizedTest
  @MethodSource("images")
  void fingerprintsEqual(Golden golden) throws IOException {
    byte[] image = read(golden.name());
    ImageFilter filter = Filters.open(ByteBuffer.wrap(image));
    if (golden.name().equals("everything")) {
      assertThrows(FilterFormatException.class, () -> QuotientFilter.fingerprints(filter));
      assertEquals(1, filter.layout().estimatedRate());
      return;
    }
    PlainQuotientReader plain = new PlainQuotientReader(image);
    assertEquals(
        plain.fingerprints(), QuotientModelTest.contents(QuotientFilter.fingerprints(filter)));
    long universe = ((QuotientLayout) filter.layout()).shape().universe();
    assertEquals(plain.distinctFingerprints() / (double) universe, filter.layout().estimatedRate());
    byte[] again = bytes(QuotientFilter.thaw(filter).toImage());
    assertArrayEquals(
        Arrays.copyOfRange(image, 64, image.length), Arrays.copyOfRange(again, 64, again.length));
  }

  /** The dumps on the format page are golden images, whole, and each line stands where it says. */
  @Test
  void theFormatPagesDumpsAreGoldenImages() throws IOException {
    List<String> dumps = new ArrayList<>();
    String dump = "";
    for (String line : formatPage().lines().toList()) {
      Matcher matcher =
          Pattern.compile(" *(\\d+)  ([0-9a-f]{2}(?: [0-9a-f]{2})*)(?:  .*)?").matcher(line);
      if (matcher.matches()) {
        assertEquals(dump.length() / 2, Integer.parseInt(matcher.group(1)), line);
        dump += matcher.group(2).replace(" ", "");
      } else if (line.equals("```") && !dump.isEmpty()) {
        dumps.add(dump);
        dump = "";
      }
    }
    List<String> expected = new ArrayList<>();
    for (String name : List.of("one-key", "one-key-three-bit", "shifted-runs")) {
      expected.add(HexFormat.of().formatHex(read(name)));
    }
    assertEquals(expected, dumps);
  }

  /** Hashes on the way to their places, which the page and the README state. */
  @Test
  void theFormatPagesPlacesAreRight() throws IOException {
    String page = formatPage();
    String readme = readme();
    List<String> sentences = new ArrayList<>();
    QuotientShape prefixes = QuotientShape.ofFingerprintBits(20, 700);
    long first = TestHashes.splitMix(0, 0);
    sentences.add(sentence(first, prefixes));
    sentences.add(sentence(first, QuotientShape.ofSlots(5, 4)));
    sentences.add(sentence(SHIFTED[4], SHIFTED_SHAPE));
    for (String sentence : sentences) {
      assertTrue(page.contains(sentence), sentence);
    }
    for (long hash : SHIFTED) {
      assertTrue(readme.contains(hex(hash)), hex(hash));
    }
  }

  /** The README says how to unmix: by the inverses of the factors, the second one first. */
  @Test
  void theReadmesFactorsAreInverses() throws IOException {
    String readme = readme();
    BigInteger modulus = BigInteger.ONE.shiftLeft(64);
    String second = inverse("94D049BB133111EB", modulus);
    String first = inverse("BF58476D1CE4E5B9", modulus);
    assertTrue(readme.contains("x = mixed * 0x" + second), second);
    assertTrue(readme.contains("x = x * 0x" + first), first);
  }

  private static String inverse(String factor, BigInteger modulus) {
    BigInteger inverse = new BigInteger(factor, 16).modInverse(modulus);
    return inverse.toString(16).toUpperCase(Locale.ROOT);
  }

  private static String sentence(long hash, QuotientShape shape) {
    long place = shape.place(hash);
    return String.format(
        "| %s | %s | %d | %d | %d | %d |",
        hex(hash),
        hex(PlainQuotientReader.mixed(hash)),
        shape.fingerprint(hash),
        place,
        place >>> shape.remainderBits(),
        place & (1L << shape.remainderBits()) - 1);
  }

  private static String hex(long hash) {
    return String.format("0x%016X", hash);
  }

  /** What the names promise. */
  @Test
  void theImagesShowWhatTheyAreFor() throws IOException {
    byte[] far = read("far-offsets");
    int farBlocks = 0;
    for (int block = 0; block < 16; block++) {
      farBlocks += far[64 + block * (17 + 56) + 16] == -1 ? 1 : 0;
    }
    assertTrue(farBlocks > 0, "offsets that a byte cannot say");
    assertTrue(read("runs-over-the-end").length > 72 + 2 * (17 + 72), "a block more");
    assertEquals(2, read("shifted-runs")[64 + 17 + 32 + 16], "the second block's offset");
    ByteBuffer bits = ByteBuffer.wrap(read("shifted-runs-three-bit"));
    bits.order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(1L << 63, bits.getLong(64 + 8), "continuations");
    assertEquals(0b1010, bits.getLong(64 + 24 + 32 + 8), "continuations");
    assertEquals(1L << 63, bits.getLong(64 + 16), "shifteds");
    assertEquals(0b1111, bits.getLong(64 + 24 + 32 + 16), "shifteds");
  }
}
