package io.winnow.flash.buffered;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Directories of version 3, written equal, and of versions 2 and 3, read equal, by the filter and
 * by a reader made from the pages of the formats. Their README says how they came about. Files are
 * only ever added: {@code -Dwinnow.golden.write=true} writes those that do not exist.
 */
class GoldenBufferedBloomTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/buffered-bloom-v3");
  private static final Path VERSION_2 = Path.of("src/test/resources/golden/buffered-bloom-v2");
  private static final Path PAGE = Path.of("../docs/format/buffered-bloom-v3.md");
  private static final int KEYS = 2000;

  @TempDir private Path temporary;

  private static BufferedBloomOptions options(String name) {
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults().directIo(false).ids(() -> 0x0123_4567_89AB_CDEFL);
    if (!name.equals("wide")) {
      return options.pages(4).hashFunctions(3).requestBytes(8192);
    }
    options.keyHash = null; // as before it had a default
    return options
        .keys(1_000_000)
        .rate(1e-6)
        .pageBytes(8192)
        .requestBytes(16384)
        .pages(2)
        .hashFunctions(7);
  }

  /** Leaves the directory as it is golden in {@code written}. */
  private static void write(Path directory, String name, Path written) throws IOException {
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options(name))) {
      for (int i = 0; i < KEYS; i++) {
        filter.insert(splitMix(0, i));
      }
      filter.sync(42);
      if (name.equals("changing")) {
        filter.insert(splitMix(0, KEYS));
        copy(directory, written);
      }
    }
    if (!name.equals("changing")) {
      copy(directory, written);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    Files.copy(from.resolve("filter"), to.resolve("filter"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"whole", "wide", "changing"})
  void writtenEqual(String name) throws IOException {
    Path written = temporary.resolve("written");
    write(temporary.resolve(name), name, written);
    Path golden = GOLDEN.resolve(name);
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(golden)) {
      copy(written, golden);
    }
    assertArrayEquals(
        Files.readAllBytes(golden.resolve("filter")),
        Files.readAllBytes(written.resolve("filter")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"whole", "wide", "changing"})
  void readEqual(String name) throws IOException {
    readEqual(GOLDEN.resolve(name), name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"whole", "wide", "changing"})
  void version2IsReadEqualAndStaysVersion2(String name) throws IOException {
    readEqual(VERSION_2.resolve(name), name);
    Path directory = temporary.resolve(name);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options(name))) {
      for (int i = KEYS; i < 2 * KEYS; i++) {
        filter.insert(splitMix(0, i));
      }
    }
    PlainBufferedBloom plain = PlainBufferedBloom.read(directory.resolve("filter"));
    for (int i = 0; i < 2 * KEYS; i++) {
      assertTrue(plain.mightContain(splitMix(0, i)));
    }
    assertEquals(
        Files.size(VERSION_2.resolve(name).resolve("filter")),
        Files.size(directory.resolve("filter")));
  }

  private void readEqual(Path golden, String name) throws IOException {
    boolean whole = !name.equals("changing");
    PlainBufferedBloom plain = PlainBufferedBloom.read(golden.resolve("filter"));
    assertEquals(whole, plain.whole);
    assertEquals(42, plain.mark);
    assertEquals(KEYS, plain.keys);
    copy(golden, temporary.resolve(name));
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(temporary.resolve(name), options(name))) {
      assertEquals(whole, filter.isWhole());
      assertEquals(42, filter.mark());
      assertEquals(KEYS, filter.statistics().get(BufferedBloomCount.KEYS));
      assertEquals(name.equals("wide") ? null : KeyHash.XXH3, filter.keyHash());
      assertEquals(name.equals("wide") ? 5 : 4, filter.sizing().entryBytes());
      filter.declareWhole();
      int positives = 0;
      for (int i = 0; i < 20_000; i++) {
        boolean answer = filter.mightContain(splitMix(0, i));
        assertTrue(answer || i >= KEYS);
        assertEquals(plain.mightContain(splitMix(0, i)), answer);
        positives += i >= KEYS && answer ? 1 : 0;
      }
      assertTrue(positives < 300, "positives: " + positives);
    }
  }

  /** What the page says of one key in the directory "whole" is so. */
  @Test
  void theWorkedExample() throws IOException {
    String page = Files.readString(PAGE);
    long hash = splitMix(0, 0);
    PlainBufferedBloom plain = PlainBufferedBloom.read(GOLDEN.resolve("whole").resolve("filter"));
    assertEquals(2, plain.groups);
    assertEquals(2, plain.groupPages);
    String bits =
        Arrays.stream(plain.bits(hash))
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", "));
    for (String line :
        new String[] {
          String.format("hash    0x%016X", hash),
          String.format("mixed   0x%016X", BufferedBloomSizing.mix(hash)),
          "group   " + plain.group(hash),
          String.format("entry   0x%08X", plain.entry(hash)),
          "page    " + plain.page(hash) % 2,
          "bits    " + bits
        }) {
      assertTrue(page.contains("\n" + line + "\n"), line);
    }
    byte[] file = Files.readAllBytes(GOLDEN.resolve("whole").resolve("filter"));
    int at = (2 + plain.page(hash)) * 4096 + 8;
    StringBuilder bytes = new StringBuilder("bytes  ");
    for (int bit : plain.bits(hash)) {
      assertFalse((file[at + bit / 8] >>> bit % 8 & 1) == 0);
      bytes.append(' ').append(at + bit / 8).append(" bit ").append(bit % 8).append(',');
    }
    bytes.setLength(bytes.length() - 1);
    assertTrue(page.contains("\n" + bytes + "\n"), bytes.toString());
  }
}
