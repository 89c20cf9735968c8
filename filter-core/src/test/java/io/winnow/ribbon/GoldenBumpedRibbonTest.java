package io.winnow.ribbon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.Filters;
import io.winnow.ImageFilter;
import io.winnow.TestHashes;
import java.io.IOException;
import java.nio.ByteBuffer;
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
class GoldenBumpedRibbonTest {
  private static final Path DIRECTORY = Path.of("src/test/resources/golden/bumped-ribbon-v1");
  private static final Path FORMAT_PAGE = Path.of("../docs/format/bumped-ribbon-v1.md");

  /** Which of SplitMix64's outputs the worked example probes for. */
  private static final int KEPT_KEY = 0;

  private static final int BUMPED_KEY = 4;

  private record Golden(String name, int layers, long[] hashes, byte[] written) {
    @Override
    public String toString() {
      return name;
    }

    byte[] read() throws IOException {
      return Files.readAllBytes(DIRECTORY.resolve(name + ".ribbon"));
    }
  }

  static List<Golden> images() {
    return List.of(
        golden("2000-keys", 1, 0.01, TestHashes.distinct(0, 2000)),
        golden("5000-keys-rate-0.001", 1, 0.001, TestHashes.distinct(0, 5000)),
        golden("5000-keys-rate-0.1", 1, 0.1, TestHashes.distinct(0, 5000)),
        golden("second-seed", 1, 0.01, RibbonHashes.unlucky(2000, 1)),
        golden("36000-keys-two-layers", 2, 0.01, TestHashes.distinct(0, 36_000)));
  }

  private static Golden golden(String name, int layers, double rate, long[] hashes) {
    FilterImage image =
        TestHashes.build(FilterBuilder.of(BumpedRibbonSizing.forRate(rate)), hashes);
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return new Golden(name, layers, hashes, bytes);
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
    PlainBumpedRibbonReader plain = new PlainBumpedRibbonReader(image);
    BumpedRibbonLayout layout = (BumpedRibbonLayout) filter.layout();
    assertEquals(golden.layers(), layout.layerCount());
    assertEquals(golden.hashes().length, layout.keyCount());
    for (long hash : golden.hashes()) {
      assertTrue(filter.mightContain(hash));
    }
    int positives = 0;
    int probes = 4000;
    for (int i = 0; i < probes; i++) {
      assertTrue(plain.mightContain(golden.hashes()[i % golden.hashes().length]));
      long hash = TestHashes.splitMix(1, i);
      assertEquals(plain.mightContain(hash), filter.mightContain(hash));
      positives += filter.mightContain(hash) ? 1 : 0;
    }
    double rate = layout.estimatedRate();
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

  /** The worked example on the format page begins the golden image of 2000 keys. */
  @Test
  void theFormatPagesExampleIsTheGoldenImage() throws IOException {
    byte[] image = Files.readAllBytes(DIRECTORY.resolve("2000-keys.ribbon"));
    StringBuilder dump = new StringBuilder();
    HexFormat hex = HexFormat.ofDelimiter(" ");
    for (int offset = 0; offset < 128; offset += 16) {
      dump.append(String.format("%3d  %s\n", offset, hex.formatHex(image, offset, offset + 16)));
    }
    String page = Files.readString(FORMAT_PAGE);
    assertTrue(page.contains(dump), dump::toString);

    long hash = TestHashes.splitMix(0, KEPT_KEY);
    long mixed = RibbonHasher.mix(hash, RibbonHasher.seedMask(0));
    assertNamed(page, hash, mixed, RibbonHasher.row(mixed), RibbonHasher.fingerprint(mixed));
    hash = TestHashes.splitMix(0, BUMPED_KEY);
    mixed = RibbonHasher.mix(hash, RibbonHasher.seedMask(0));
    assertNamed(page, hash, mixed, RibbonHasher.mix(mixed, 0), RibbonHasher.LAYER_MASK);
  }

  private static void assertNamed(String page, long... numbers) {
    for (long number : numbers) {
      String digits = String.format("%016X", number).toUpperCase(Locale.ROOT);
      assertTrue(page.contains("0x" + digits), digits);
    }
  }
}
