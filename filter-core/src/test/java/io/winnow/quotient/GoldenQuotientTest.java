package io.winnow.quotient;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.Filters;
import io.winnow.ImageFilter;
import io.winnow.TestHashes;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
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

  private record Golden(String name, long[] hashes, FilterImage written) {
    @Override
    public String toString() {
      return name;
    }

    byte[] read() throws IOException {
      return Files.readAllBytes(DIRECTORY.resolve(name + ".quotient"));
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
    FilterBuilder builder =
        FilterBuilder.of(QuotientSizing.forRate(0.01, scheme)).hashedBy(KeyHash.XXH3);
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
      hashes[i] = -1L - (hashes[i] >>> 8);
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
    Path file = DIRECTORY.resolve(golden.name() + ".quotient");
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(file)) {
      Files.createDirectories(DIRECTORY);
      Files.write(file, bytes(golden.written()));
    }
    assertArrayEquals(golden.read(), bytes(golden.written()));
  }

  @ParameterizedTest
  @MethodSource("images")
  void readEqual(Golden golden) throws IOException {
    byte[] image = golden.read();
    ImageFilter filter = Filters.open(ByteBuffer.wrap(image));
    Filters.verifyPayload(ByteBuffer.wrap(image));
    PlainQuotientReader plain = new PlainQuotientReader(image);
    assertEquals(golden.hashes().length, filter.layout().keyCount());
    assertEquals(
        plain.fingerprints(), QuotientModelTest.contents(QuotientFilter.fingerprints(filter)));
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
    double rate =
        plain.distinctFingerprints()
            / (double) ((QuotientLayout) filter.layout()).shape().universe();
    assertEquals(rate, positives / (double) probes, 5 * Math.sqrt(rate * (1 - rate) / probes));
  }

  /** A filter that is opened, made to change and serialized again has the same table. */
  @ParameterizedTest
  @MethodSource("images")
  void thawedEqual(Golden golden) throws IOException {
    byte[] image = golden.read();
    byte[] again = bytes(QuotientFilter.thaw(Filters.open(ByteBuffer.wrap(image))).toImage());
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
        assertTrue(name.equals("README.md") || names.contains(name), name);
        assertTrue(name.equals("README.md") || readme.contains("`" + name + "`"), name);
      }
    }
  }

  /** The worked examples on the format page are the golden images of one key. */
  @ParameterizedTest
  @MethodSource("images")
  void theFormatPagesExamplesAreGoldenImages(Golden golden) throws IOException {
    if (golden.name().startsWith("one-key")) {
      byte[] image = golden.read();
      StringBuilder dump = new StringBuilder();
      HexFormat hex = HexFormat.ofDelimiter(" ");
      for (int offset = 0; offset < image.length; offset += 16) {
        int end = Math.min(image.length, offset + 16);
        dump.append(String.format("%3d  %s%n", offset, hex.formatHex(image, offset, end)));
      }
      String page = Files.readString(FORMAT_PAGE);
      assertTrue(
          page.contains(dump.toString().replace(System.lineSeparator(), "\n")), dump::toString);
      QuotientShape shape = QuotientShape.ofSlots(5, 4);
      long fingerprint = shape.fingerprint(golden.hashes()[0]);
      String hash = String.format("%016X", golden.hashes()[0]).toUpperCase(Locale.ROOT);
      assertTrue(page.contains("0x" + hash + " has the fingerprint " + fingerprint), hash);
    }
  }

  /** Numbers on the page that no image shows. */
  @Test
  void theFormatPagesPlacesAreRight() throws IOException {
    QuotientShape shape = QuotientShape.ofFingerprintBits(20, 700);
    long fingerprint = shape.fingerprint(TestHashes.splitMix(0, 0));
    String page = Files.readString(FORMAT_PAGE);
    String sentence = "fingerprint " + fingerprint + " has the place " + shape.placeOf(fingerprint);
    assertTrue(page.contains(sentence), sentence);
  }
}
