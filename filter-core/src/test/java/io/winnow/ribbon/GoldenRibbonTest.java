package io.winnow.ribbon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.Filters;
import io.winnow.ImageFilter;
import io.winnow.TestHashes;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
class GoldenRibbonTest {
  private static final Path DIRECTORY = Path.of("src/test/resources/golden/ribbon-v1");
  private static final Path FORMAT_PAGE = Path.of("../docs/format/ribbon-v1.md");

  private record Golden(String name, long[] hashes, byte[] written) {
    @Override
    public String toString() {
      return name;
    }

    byte[] read() throws IOException {
      return Files.readAllBytes(DIRECTORY.resolve(name + ".ribbon"));
    }
  }

  static List<Golden> images() {
    RibbonSizing lindorm = RibbonSizing.lindorm(4096, 0.01);
    return List.of(
        golden("empty", RibbonSizing.forRate(0.01)),
        golden("one-key", RibbonSizing.forRate(0.01), TestHashes.distinct(0, 1)),
        hundredDecimals(),
        golden("1000-keys-w128", RibbonSizing.forRate(0.01, 128), TestHashes.distinct(0, 1000)),
        golden("300-keys-rate-0.3", RibbonSizing.forRate(0.3), TestHashes.distinct(0, 300)),
        golden("lindorm-4096-bytes", lindorm, TestHashes.distinct(0, (int) lindorm.keyLimit(4096))),
        golden("second-seed", RibbonSizing.forRate(0.01), RibbonHashes.unlucky(500, 1)),
        acceptAll());
  }

  private static Golden golden(String name, RibbonSizing sizing, long... hashes) {
    FilterImage image = TestHashes.build(FilterBuilder.of(sizing), hashes);
    return new Golden(name, hashes, bytes(image));
  }

  private static byte[] bytes(FilterImage image) {
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return bytes;
  }

  /** From keys' bytes on. */
  private static Golden hundredDecimals() {
    long[] hashes = new long[100];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = KeyHash.XXH3.hash(Integer.toString(i).getBytes(StandardCharsets.US_ASCII));
    }
    FilterBuilder builder = FilterBuilder.of(RibbonSizing.forRate(0.01)).hashedBy(KeyHash.XXH3);
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

  @ParameterizedTest
  @MethodSource("images")
  void writtenEqual(Golden golden) throws IOException {
    Path file = DIRECTORY.resolve(golden.name() + ".ribbon");
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(file)) {
      Files.createDirectories(DIRECTORY);
      Files.write(file, golden.written());
    }
    assertArrayEquals(golden.read(), golden.written());
  }

  @ParameterizedTest
  @MethodSource("images")
  void readEqual(Golden golden) throws IOException {
    byte[] image = golden.read();
    ImageFilter filter = Filters.open(ByteBuffer.wrap(image));
    Filters.verifyPayload(ByteBuffer.wrap(image));
    PlainRibbonReader plain = new PlainRibbonReader(image);
    assertEquals(golden.hashes().length, filter.layout().keyCount());
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
    double rate = filter.layout().estimatedRate();
    assertEquals(rate, positives / (double) probes, 5 * Math.sqrt(rate * (1 - rate) / probes));
  }

  @Test
  void eachFileIsKnown() throws IOException {
    List<String> names = images().stream().map(golden -> golden.name() + ".ribbon").toList();
    String readme = Files.readString(DIRECTORY.resolve("README.md"));
    try (var files = Files.list(DIRECTORY)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        assertTrue(name.equals("README.md") || names.contains(name), name);
        assertTrue(name.equals("README.md") || readme.contains("`" + name + "`"), name);
      }
    }
  }

  /** The worked example on the format page is the golden image of one key. */
  @Test
  void theFormatPagesExampleIsTheGoldenImage() throws IOException {
    byte[] image = Files.readAllBytes(DIRECTORY.resolve("one-key.ribbon"));
    StringBuilder dump = new StringBuilder();
    HexFormat hex = HexFormat.ofDelimiter(" ");
    for (int offset = 0; offset < image.length; offset += 16) {
      int end = Math.min(image.length, offset + 16);
      dump.append(String.format("%3d  %s%n", offset, hex.formatHex(image, offset, end)));
    }
    String page = Files.readString(FORMAT_PAGE);
    assertTrue(
        page.contains(dump.toString().replace(System.lineSeparator(), "\n")), dump::toString);

    long hash = TestHashes.splitMix(0, 0);
    long mixed = RibbonHasher.mix(hash, RibbonHasher.seedMask(0));
    for (long number :
        new long[] {
          hash,
          mixed,
          RibbonHasher.row(mixed),
          TestHashes.splitMix(0, 1),
          RibbonHasher.mix(TestHashes.splitMix(0, 1), 0),
          KeyHash.combine(1, 2)
        }) {
      String digits = String.format("%016X", number).toUpperCase(Locale.ROOT);
      assertTrue(page.contains("0x" + digits), digits);
    }
  }
}
