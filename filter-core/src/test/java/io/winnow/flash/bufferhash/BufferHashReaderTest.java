package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory that is read and not changed, and lookups of many keys at once. */
class BufferHashReaderTest {
  private static final int KEYS = 3000;

  @TempDir private Path temporary;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private static BufferHashOptions options(boolean keyed) {
    BufferHashOptions kind =
        keyed ? BufferHashOptions.ofKeys(20, 8) : BufferHashOptions.ofFingerprints(8);
    return Tables.small(kind, 2, 20).durability(Durability.ON_SYNC);
  }

  private static long key(long i) {
    return Tables.key(9, i);
  }

  /** Each third key is put again, each seventh deleted; the last ones are in the log alone. */
  private Path write(boolean keyed) throws IOException {
    Path directory = temporary.resolve("table");
    try (BufferHash table = BufferHash.open(directory, options(keyed))) {
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < KEYS; i++) {
          boolean isDelete = round == 1 && i % 7 == 0;
          boolean isPut = round == 0 || i % 3 == 0;
          if (isDelete && keyed) {
            table.delete(Tables.bytes(key(i)));
          } else if (isDelete) {
            table.delete(key(i));
          } else if (isPut && keyed) {
            table.put(Tables.bytes(key(i)), Tables.value(round * KEYS + i));
          } else if (isPut) {
            table.put(key(i), Tables.value(round * KEYS + i));
          }
        }
      }
      table.awaitWrites();
    }
    return directory;
  }

  private static byte[] expected(int i) {
    return i % 7 == 0 ? null : Tables.value(i % 3 == 0 ? KEYS + i : i);
  }

  private static Map<String, Long> times(Path directory) throws IOException {
    Map<String, Long> times = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        times.put(file.getFileName().toString(), Files.getLastModifiedTime(file).toMillis());
      }
    }
    return times;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void answersAsTheTableAndChangesNothing(boolean keyed) throws IOException {
    Path directory = write(keyed);
    Map<String, Long> before = times(directory);
    Set<Path> files = Set.of(directory.resolve("table"), directory.resolve("MANIFEST"), directory);
    for (Path file : files) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-xr-xr-x"));
    }
    try (BufferHashReader reader = BufferHashReader.open(directory)) {
      assertTrue(
          reader.logged() > 0 && reader.statistics().get(BufferHashCount.INCARNATIONS) > 0,
          "both are looked at");
      for (int i = 0; i < KEYS; i++) {
        byte[] value = keyed ? reader.get(Tables.bytes(key(i))) : reader.get(key(i));
        assertArrayEquals(expected(i), value, "key " + i);
      }
      assertNull(keyed ? reader.get(Tables.bytes(key(KEYS))) : reader.get(key(KEYS)));
      assertEquals(0, reader.verify(pages -> {}).size());
    } finally {
      for (Path file : files) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    }
    assertEquals(before, times(directory));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3}) // of the index, and of the data
  void verifyNamesTheDamagedPage(int page) throws IOException {
    Path directory = write(false);
    long damaged = Tables.ERASE_BLOCK / 4096 + page;
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve(TableFile.NAME).toFile(), "rw")) {
      file.seek(damaged * 4096 + 100);
      int was = file.read();
      file.seek(damaged * 4096 + 100);
      file.write(was ^ 4);
    }
    try (BufferHashReader reader = BufferHashReader.open(directory)) {
      assertEquals(1, reader.verify(pages -> {}).size());
      assertEquals(damaged, reader.verify(pages -> {}).get(0).page());
    }
  }

  @Test
  void aDirectoryThatIsOpenIsRefused() throws IOException {
    Path directory = write(false);
    try (BufferHash table = BufferHash.open(directory)) {
      IOException refused = assertThrows(IOException.class, () -> BufferHashReader.open(directory));
      assertTrue(refused.getMessage().contains("is open in this process"), refused.getMessage());
      table.put(1, Tables.value(1)); // and the lock is not lost
      table.sync();
    }
    BufferHashReader closed = BufferHashReader.open(directory);
    closed.close();
    assertThrows(IllegalStateException.class, () -> closed.get(1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manyKeysAtOnceAreAnsweredAsOneByOne(boolean keyed) throws IOException {
    Path directory = write(keyed);
    try (BufferHash table = BufferHash.open(directory)) {
      long[] keys = LongStream.range(0, KEYS + 100).map(i -> key(i)).toArray();
      byte[][] values =
          keyed
              ? table.get(LongStream.of(keys).mapToObj(Tables::bytes).toList())
              : table.get(keys, 0, keys.length);
      for (int i = 0; i < keys.length; i++) {
        assertArrayEquals(i < KEYS ? expected(i) : null, values[i], "key " + i);
      }
      assertEquals(KEYS + 100, table.statistics().get(BufferHashCount.LOOKUPS));
    }
  }
}
