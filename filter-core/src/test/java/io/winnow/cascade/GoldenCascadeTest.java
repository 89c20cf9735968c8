package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Directories of version 1, read equal, and written equal where a merge is one chunk: where chunks
 * end, and with them pages, is not part of the format. Their README says how they came about. Files
 * are only ever added: {@code -Dwinnow.golden.write=true} writes those that do not exist.
 */
class GoldenCascadeTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/cascade-v2");
  private static final int ON_FLASH = 6000;
  private static final int LOGGED = 300;

  @TempDir private Path temporary;

  private static CascadeOptions options(String name) {
    return CascadeOptions.defaults()
        .memoryBudget(name.startsWith("chunk") ? 64 << 20 : 1 << 19)
        .expectedMaximum(1_000_000)
        .ids(new AtomicLong(0x1DL << 56)::incrementAndGet)
        .deletes(name.endsWith("deletes"));
  }

  private static long key(int i) {
    return TestHashes.splitMix(0, i);
  }

  private static void write(Path directory, String name) throws IOException {
    boolean deletes = name.endsWith("deletes");
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options(name).durability(Durability.NONE))) {
      for (int i = 0; i < ON_FLASH; i++) {
        filter.insert(key(i));
      }
      filter.sync();
      if (deletes) {
        for (int i = 0; i < 500; i++) {
          filter.delete(key(i));
        }
      }
    }
    try (CascadeFilter filter = CascadeFilter.open(directory, options(name))) {
      for (int i = 0; i < LOGGED; i++) {
        filter.insert(key(ON_FLASH + i));
        if (deletes) {
          filter.delete(key(500 + i));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"chunk", "chunk-deletes"})
  void writtenEqual(String name) throws IOException {
    Path written = temporary.resolve(name);
    write(written, name);
    Path golden = GOLDEN.resolve(name);
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(golden)) {
      copy(written, golden);
    }
    assertEquals(names(golden), names(written));
    for (String file : names(golden)) {
      assertArrayEquals(
          Files.readAllBytes(golden.resolve(file)),
          Files.readAllBytes(written.resolve(file)),
          file);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "deletes", "chunk", "chunk-deletes"})
  void readEqual(String name) throws IOException {
    Path directory = temporary.resolve(name);
    copy(GOLDEN.resolve(name), directory);
    int deleted = name.endsWith("deletes") ? 500 + LOGGED : 0;
    try (CascadeFilter filter = CascadeFilter.open(directory, options(name))) {
      for (int i = deleted; i < ON_FLASH + LOGGED; i++) {
        assertTrue(filter.mightContain(key(i)));
      }
      for (int i = 0; i < deleted; i++) {
        assertFalse(filter.mightContain(key(i)), "none of these shares a fingerprint");
      }
      try (Fingerprints fingerprints = Fingerprints.of(filter)) {
        for (int i = deleted; i < ON_FLASH + LOGGED; i++) {
          assertTrue(fingerprints.next());
        }
        assertFalse(fingerprints.next());
      }
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> !file.equals("LOCK"))
          .sorted()
          .toList();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (String file : names(from)) {
      Files.copy(from.resolve(file), to.resolve(file));
    }
  }
}
