package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.winnow.flash.drive.DirectoryLock;
import io.winnow.flash.store.Durability;
import io.winnow.ribbon.SteadySeeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Directories of version 2, read equal and written equal. Their README says how they came about.
 * Files are only ever added: {@code -Dwinnow.golden.write=true} writes those that do not exist.
 */
class GoldenBufferHashTest {
  static final Path GOLDEN = Path.of("src/test/resources/golden/bufferhash-v2");

  static final long ID = 0x0123_4567_89AB_CDEFL;
  static final int KEYS = 400;

  /** Of the keys before that each third is updated later, each seventh deleted. */
  static final int CHANGED = 200;

  @TempDir private Path temporary;

  static BufferHashOptions options(String name) {
    return name.equals("keys")
        ? Tables.small(BufferHashOptions.ofKeys(8, 24), 1, 2)
            .filters(IncarnationFilterKind.RIBBON)
            .ribbons(SteadySeeds::bumped)
            .ids(() -> ID)
        : Tables.small(BufferHashOptions.ofFingerprints(16), 1, 2).ids(() -> ID);
  }

  static byte[] key(int i) {
    return ("key-" + i).getBytes(StandardCharsets.US_ASCII);
  }

  static byte[] value(int i) {
    return ("value " + i).getBytes(StandardCharsets.US_ASCII);
  }

  /** What a key has in the end, or null. */
  static byte[] expected(int i) {
    if (i >= CHANGED) {
      return value(i);
    }
    return i % 7 == 0 ? null : i % 3 == 0 ? value(1000 + i) : value(i);
  }

  private static void write(Path directory, String name) throws IOException {
    try (BufferHash table = BufferHash.open(directory, options(name))) {
      for (int i = 0; i < KEYS; i++) {
        put(table, name, i, value(i));
      }
      table.sync();
      if (!name.equals("keys")) {
        change(table, name);
      }
    }
    if (name.equals("keys")) {
      try (BufferHash table =
          BufferHash.open(directory, options(name).durability(Durability.ON_SYNC))) {
        change(table, name);
      }
    }
  }

  private static void change(BufferHash table, String name) throws IOException {
    for (int i = 0; i < CHANGED; i++) {
      if (i % 7 == 0 && name.equals("keys")) {
        table.delete(key(i));
      } else if (i % 7 == 0) {
        table.delete(Tables.key(0, i));
      } else if (i % 3 == 0) {
        put(table, name, i, value(1000 + i));
      }
    }
  }

  private static void put(BufferHash table, String name, int i, byte[] value) throws IOException {
    if (name.equals("keys")) {
      table.put(key(i), value);
    } else {
      table.put(Tables.key(0, i), value);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fingerprints", "keys"})
  void writtenEqual(String name) throws IOException {
    Path written = temporary.resolve(name);
    write(written, name);
    Path golden = GOLDEN.resolve(name);
    if (Boolean.getBoolean("winnow.golden.write") && Files.notExists(golden)) {
      Tables.copy(written, golden);
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
  @ValueSource(strings = {"fingerprints", "keys"})
  void readEqual(String name) throws IOException {
    Path directory = temporary.resolve(name);
    Tables.copy(GOLDEN.resolve(name), directory);
    try (BufferHash table =
        BufferHash.open(directory, options(name).durability(Durability.ON_SYNC))) {
      for (int i = 0; i < KEYS; i++) {
        assertArrayEquals(expected(i), get(table, name, i), "key " + i);
      }
      for (int i = KEYS; i < 2 * KEYS; i++) {
        assertNull(get(table, name, i));
      }
    }
  }

  private static byte[] get(BufferHash table, String name, int i) throws IOException {
    return name.equals("keys") ? table.get(key(i)) : table.get(Tables.key(0, i));
  }

  static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> !file.equals(DirectoryLock.NAME))
          .sorted()
          .toList();
    }
  }
}
