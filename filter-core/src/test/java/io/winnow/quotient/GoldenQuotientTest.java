package io.winnow.quotient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterImage;
import io.winnow.Filters;
import io.winnow.TestHashes;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The bytes of version 1, written equal and read equal. Their README states how each came about.
 * Files are only ever added: {@code -Dwinnow.golden.write=true} writes those that do not exist.
 */
class GoldenQuotientTest {
  private static final Path DIRECTORY = Path.of("src/test/resources/golden/quotient-v1");
  private static final Path FORMAT_PAGE = Path.of("../docs/format/quotient-v1.md");

  /** Runs that begin after their quotients' slots, one of them in the next block. */
  private static final QuotientShape SHIFTED_SHAPE = QuotientShape.ofSlots(70, 4);

  private static final long[] SHIFTED =
      LongStream.of(62 << 4 | 3, 62 << 4 | 9, 63 << 4 | 5, 63 << 4 | 5, 64 << 4 | 1, 64 << 4 | 14)
          .map(fingerprint -> QuotientModelTest.hashOf(fingerprint, 70 << 4))
          .toArray();

  private record Golden(String name, long[] hashes, FilterImage written) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static byte[] read(String name) throws IOException {
    return Files.readAllBytes(DIRECTORY.resolve(name + ".quotient"));
  }

  private static void write(String name, byte[] image) throws IOException {
    Path file = DIRECTORY.resolve(name + ".quotient");
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(file)) {
      Files.createDirectories(DIRECTORY);
      Files.write(file, image);
    }
  }

  static List<Golden> images() {
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
            highest(100)));
  }

  private static Golden filter(String name, QuotientShape shape, long... hashes) {
    QuotientFilter filter = QuotientFilter.of(shape).growing(QuotientGrowth.NONE);
    for (long hash : hashes) {
      filter.insert(hash);
    }
    return new Golden(name, hashes, filter.toImage());
  }

  /** From keys' bytes on, by the builder. */
  private static Golden chunk(String name, QuotientScheme scheme) {
    long[] hashes = new long[1000];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = KeyHash.XXH3.hash(Integer.toString(i).getBytes(StandardCharsets.US_ASCII));
    }
    QuotientBuilder builder =
        QuotientBuilder.of(QuotientSizing.forRate(0.01, scheme)).hashedBy(KeyHash.XXH3);
    return new Golden(name, hashes, TestHashes.build(builder, hashes));
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

  private static byte[] bytes(FilterImage image) {
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return bytes;
  }

  @ParameterizedTest
  @MethodSource("images")
  void writtenEqual(Golden golden) throws IOException {
    write(golden.name(), bytes(golden.written()));
    assertArrayEquals(read(golden.name()), bytes(golden.written()));
  }

  @ParameterizedTest
  @MethodSource("images")
  void readEqual(Golden golden) throws IOException {
    byte[] image = read(golden.name());
    FrozenQuotientFilter filter = FrozenQuotientFilter.open(ByteBuffer.wrap(image));
    Filters.verifyPayload(ByteBuffer.wrap(image));
    PlainQuotientReader plain = new PlainQuotientReader(image);
    assertEquals(golden.hashes().length, filter.layout().keyCount());
    assertEquals(plain.fingerprints(), QuotientModelTest.contents(filter.fingerprints()));
    for (long hash : golden.hashes()) {
      assertTrue(filter.mightContain(hash) && plain.mightContain(hash));
    }
    int positives = 0;
    int probes = 5000;
    for (int i = 0; i < probes; i++) {
      long hash = TestHashes.splitMix(1, i);
      assertEquals(plain.mightContain(hash), filter.mightContain(hash));
      positives += filter.mightContain(hash) ? 1 : 0;
    }
    double rate = plain.distinctFingerprints() / (double) filter.layout().shape().universe();
    assertEquals(rate, positives / (double) probes, 5 * Math.sqrt(rate * (1 - rate) / probes));
    assertEquals(rate, filter.layout().estimatedRate());
  }

  /** A filter that is opened, made to change and serialized again has the same table. */
  @ParameterizedTest
  @MethodSource("images")
  void thawedEqual(Golden golden) throws IOException {
    byte[] image = read(golden.name());
    byte[] again = bytes(FrozenQuotientFilter.open(ByteBuffer.wrap(image)).thaw().toImage());
    assertArrayEquals(
        Arrays.copyOfRange(image, 64, image.length), Arrays.copyOfRange(again, 64, again.length));
  }

  @Test
  void eachFileIsKnown() throws IOException {
    List<String> names = images().stream().map(golden -> golden.name() + ".quotient").toList();
    String readme = Files.readString(DIRECTORY.resolve("README.md"));
    try (var files = Files.list(DIRECTORY)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        assertTrue(name.matches("README.md|everything.quotient") || names.contains(name), name);
        assertTrue(name.equals("README.md") || readme.contains("`" + name + "`"), name);
      }
    }
  }

  /** The dumps on the format page are golden images, whole, and each line stands where it says. */
  @Test
  void theFormatPagesDumpsAreGoldenImages() throws IOException {
    List<String> dumps = new ArrayList<>();
    String dump = "";
    for (String line : Files.readAllLines(FORMAT_PAGE)) {
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
    String page = Files.readString(FORMAT_PAGE);
    String readme = Files.readString(DIRECTORY.resolve("README.md"));
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
    String readme = Files.readString(DIRECTORY.resolve("README.md"));
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

  /** A filter whose verification failed: a header alone. */
  @Test
  void everything() throws IOException {
    QuotientPacker faulty = new QuotientPacker(image -> image[64] ^= 1);
    QuotientBuilder builder = QuotientBuilder.of(QuotientSizing.forRate(0.01), faulty);
    byte[] written = bytes(TestHashes.build(builder, TestHashes.distinct(0, 3)));
    write("everything", written);
    assertArrayEquals(read("everything"), written);
    FrozenQuotientFilter filter = FrozenQuotientFilter.open(ByteBuffer.wrap(written));
    PlainQuotientReader plain = new PlainQuotientReader(written);
    assertEquals(3, filter.layout().keyCount());
    assertEquals(1, filter.layout().estimatedRate());
    for (int i = 0; i < 1000; i++) {
      long hash = TestHashes.splitMix(0, i);
      assertTrue(filter.mightContain(hash) && plain.mightContain(hash));
    }
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
