package io.winnow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.image.Filters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The bytes of a version of a format, written equal and read equal, by the filter and by a plain
 * reader made from the format page alone. Their README states how each came about. Files are only
 * ever added: {@code -Dwinnow.golden.write=true} writes those that do not exist.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class GoldenImagesTest {
  private static final int PROBES = 4000;

  private final Path directory;
  private final String ending;
  private final Path formatPage;

  /** A file's name without its ending, the hashes in it, and the image as it is written today. */
  public record Golden(String name, long[] hashes, byte[] written) {
    @Override
    public String toString() {
      return name;
    }
  }

  protected GoldenImagesTest(String format, String ending) {
    this(format, format, ending);
  }

  /** Makes a test whose golden files are of a version that another version's page describes too. */
  protected GoldenImagesTest(String format, String page, String ending) {
    directory = Path.of("src/test/resources/golden", format);
    formatPage = Path.of("../docs/format", page + ".md");
    this.ending = "." + ending;
  }

  protected abstract List<Golden> images();

  /** The answers of a reader that was written from the format page. */
  protected abstract LongPredicate plainReader(byte[] image);

  protected final byte[] read(String name) throws IOException {
    return Files.readAllBytes(directory.resolve(name + ending));
  }

  protected final String formatPage() throws IOException {
    return Files.readString(formatPage);
  }

  protected final String readme() throws IOException {
    return Files.readString(directory.resolve("README.md"));
  }

  protected static byte[] bytes(FilterImage image) {
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return bytes;
  }

  @ParameterizedTest
  @MethodSource("images")
  void writtenEqual(Golden golden) throws IOException {
    Path file = directory.resolve(golden.name() + ending);
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(file)) {
      Files.createDirectories(directory);
      Files.write(file, golden.written());
    }
    assertArrayEquals(read(golden.name()), golden.written());
  }

  @ParameterizedTest
  @MethodSource("images")
  void readEqual(Golden golden) throws IOException {
    byte[] image = read(golden.name());
    ImageFilter filter = Filters.open(ByteBuffer.wrap(image));
    LongPredicate plain = plainReader(image);
    assertEquals(golden.hashes().length, filter.layout().keyCount());
    for (long hash : golden.hashes()) {
      assertTrue(filter.mightContain(hash));
    }
    for (int i = 0; i < Math.min(PROBES, golden.hashes().length); i++) {
      assertTrue(plain.test(golden.hashes()[i]));
    }
    int positives = 0;
    for (int i = 0; i < PROBES; i++) {
      long hash = TestHashes.splitMix(1, i);
      assertEquals(plain.test(hash), filter.mightContain(hash));
      positives += filter.mightContain(hash) ? 1 : 0;
    }
    double rate = filter.layout().estimatedRate();
    assertEquals(rate, positives / (double) PROBES, 5 * Math.sqrt(rate * (1 - rate) / PROBES));
  }

  @Test
  void eachFileIsKnown() throws IOException {
    List<String> names = images().stream().map(golden -> golden.name() + ending).toList();
    String readme = readme();
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        assertTrue(name.equals("README.md") || names.contains(name), name);
        assertTrue(name.equals("README.md") || readme.contains("`" + name + "`"), name);
      }
    }
  }

  /** The format page shows the first bytes of this golden image. */
  protected final void assertPageShows(String name, int length) throws IOException {
    byte[] image = read(name);
    StringBuilder dump = new StringBuilder();
    HexFormat hex = HexFormat.ofDelimiter(" ");
    for (int offset = 0; offset < length; offset += 16) {
      int end = Math.min(length, offset + 16);
      dump.append(String.format("%3d  %s\n", offset, hex.formatHex(image, offset, end)));
    }
    assertTrue(formatPage().contains(dump), dump::toString);
  }

  /** The format page names these numbers. */
  protected final void assertPageNames(long... numbers) throws IOException {
    String page = formatPage();
    for (long number : numbers) {
      String digits = String.format(Locale.ROOT, "0x%016X", number);
      assertTrue(page.contains(digits), digits);
    }
  }
}
