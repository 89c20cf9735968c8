package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterFormatException;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.RecordLog;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/format/bufferhash-v2.md says: how to read a directory, and what to refuse. */
class BufferHashFormatTest {
  private static final Path PAGE = Path.of("..", "docs", "format", "bufferhash-v2.md");
  private static final Path FINGERPRINTS = GoldenBufferHashTest.GOLDEN.resolve("fingerprints");
  private static final Path KEYS = GoldenBufferHashTest.GOLDEN.resolve("keys");

  @TempDir private Path temporary;
  private int copies;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private Path copyOf(Path golden) throws IOException {
    Path copy = temporary.resolve("copy-" + copies++);
    Tables.copy(golden, copy);
    return copy;
  }

  private static BufferHash open(Path directory, Path golden) throws IOException {
    return BufferHash.open(
        directory,
        GoldenBufferHashTest.options(golden.getFileName().toString())
            .durability(Durability.ON_SYNC));
  }

  private static void assertRefused(Path directory, Path golden, String message) {
    assertThrows(FilterFormatException.class, () -> open(directory, golden).close(), () -> message);
  }

  private static void assertWhole(Path directory, Path golden) throws IOException {
    try (BufferHash table = open(directory, golden)) {
      for (int i = 0; i < GoldenBufferHashTest.KEYS; i++) {
        byte[] found =
            golden.equals(KEYS)
                ? table.get(GoldenBufferHashTest.key(i))
                : table.get(Tables.key(0, i));
        assertArrayEquals(GoldenBufferHashTest.expected(i), found, "key " + i);
      }
    }
  }

  // ---- Reading, by the page alone ----

  /** Reads a table of one super table as the page says, newest incarnation last. */
  @Test
  void aPlainReaderFindsTheEntries() throws IOException {
    byte[] table = Files.readAllBytes(FINGERPRINTS.resolve(TableFile.NAME));
    ByteBuffer bytes = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
    int page = 4096;
    int slotBytes = Tables.ERASE_BLOCK;
    Map<Long, byte[]> entries = new HashMap<>();
    long sequence = 0;
    for (int slot = 0; slot < 2; slot++) { // the ring has not come round
      int first = Tables.ERASE_BLOCK + slot * slotBytes;
      checkPage(table, first / page);
      assertEquals(2, bytes.getInt(first + 16), "kind of an index page");
      assertTrue(bytes.getLong(first + 8) > sequence);
      sequence = bytes.getLong(first + 8);
      int indexPages = 1;
      int dataPages = bytes.getInt(first + 32 + 16);
      long before = 0;
      for (int i = 0; i < dataPages; i++) {
        int at = first + (indexPages + i) * page;
        checkPage(table, at / page);
        assertEquals(3, bytes.getInt(at + 16), "kind of a data page");
        assertEquals(sequence, bytes.getLong(at + 8));
        int records = bytes.getInt(at + 20);
        at += 32;
        for (int r = 0; r < records; r++) {
          long hash = bytes.getLong(at);
          long fence = mix(hash) >>> 32; // one super table: no bit chooses it
          assertTrue(fence >= before, "sorted by fence");
          if (r == 0) {
            assertEquals(fence, bytes.getInt(first + 32 + 48 + 4 * i) & 0xFFFF_FFFFL, "page " + i);
          }
          before = fence;
          int length = bytes.getShort(at + 10) & 0xFFFF;
          byte[] value = length == 0xFFFF ? null : new byte[length];
          if (value != null) {
            bytes.get(at + 12, value);
          }
          entries.put(hash, value);
          at += 12 + (value == null ? 0 : length);
        }
      }
    }
    for (int i = 0; i < GoldenBufferHashTest.KEYS; i++) {
      assertArrayEquals(GoldenBufferHashTest.expected(i), entries.get(Tables.key(0, i)));
    }
  }

  private static long mix(long hash) {
    long x = (hash ^ (hash >>> 32)) * 0xBF58476D1CE4E5B9L;
    return (x ^ (x >>> 29)) * 0x94D049BB133111EBL;
  }

  private static void checkPage(byte[] table, int page) {
    ByteBuffer bytes = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
    CRC32C crc = new CRC32C();
    crc.update(
        ByteBuffer.allocate(8)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(0, GoldenBufferHashTest.ID ^ page));
    crc.update(table, page * 4096 + 8, 4096 - 8);
    assertEquals((int) crc.getValue(), bytes.getInt(page * 4096), "page " + page);
  }

  // ---- What a reader must refuse ----

  @Test
  void aChangedManifestIsRefused() throws IOException {
    byte[] manifest = Files.readAllBytes(FINGERPRINTS.resolve(BufferHashDirectory.MANIFEST));
    Path copy = copyOf(FINGERPRINTS);
    Path file = copy.resolve(BufferHashDirectory.MANIFEST);
    for (int i = 0; i < manifest.length; i++) {
      byte[] changed = manifest.clone();
      changed[i] ^= 1;
      Files.write(file, changed);
      assertRefused(copy, FINGERPRINTS, "byte " + i);
      Files.write(file, Arrays.copyOf(manifest, i));
      assertRefused(copy, FINGERPRINTS, i + " bytes");
    }
    Files.write(file, Arrays.copyOf(manifest, manifest.length + 1));
    assertRefused(copy, FINGERPRINTS, "a byte more");
    String text = new String(manifest, StandardCharsets.US_ASCII);
    Files.writeString(file, text.replace("winnow-bufferhash 2", "winnow-bufferhash 3"));
    FilterFormatException later =
        assertThrows(FilterFormatException.class, () -> open(copy, FINGERPRINTS).close());
    assertTrue(later.getMessage().contains("of version 3"), later.getMessage());
    Files.write(file, manifest);
    assertWhole(copy, FINGERPRINTS);
  }

  @Test
  void aTableOfAnotherSizeIsRefused() throws IOException {
    byte[] table = Files.readAllBytes(FINGERPRINTS.resolve(TableFile.NAME));
    for (int size : new int[] {0, 4096, table.length - 4096, table.length - 1, table.length + 1}) {
      Path copy = copyOf(FINGERPRINTS);
      Files.write(copy.resolve(TableFile.NAME), Arrays.copyOf(table, size));
      assertRefused(copy, FINGERPRINTS, size + " bytes");
    }
  }

  @Test
  void oneMarkIsEnoughAndNoneIsRefused() throws IOException {
    byte[] table = Files.readAllBytes(KEYS.resolve(TableFile.NAME));
    for (int mark = 0; mark < 2; mark++) {
      Path copy = copyOf(KEYS);
      byte[] changed = table.clone();
      changed[mark * 4096 + 30] ^= 4;
      Files.write(copy.resolve(TableFile.NAME), changed);
      assertWhole(copy, KEYS);
    }
    Path copy = copyOf(KEYS);
    byte[] changed = table.clone();
    changed[30] ^= 4;
    changed[4096 + 30] ^= 4;
    Files.write(copy.resolve(TableFile.NAME), changed);
    assertRefused(copy, KEYS, "no readable mark");
  }

  /** A byte of a log that was safe has changed: refused; or it was not needed: all is there. */
  @Test
  void aChangedLogIsRefusedOrWhole() throws IOException {
    byte[] log = Files.readAllBytes(KEYS.resolve("log-1"));
    int mark = log.length - RecordLog.HEADER_BYTES;
    int refused = 0;
    for (int i = 0; i < log.length; i += i < 44 || i > mark - 8 ? 3 : 97) {
      Path copy = copyOf(KEYS);
      byte[] changed = log.clone();
      changed[i] ^= 0x10;
      Files.write(copy.resolve("log-1"), changed);
      if (i < mark) {
        assertRefused(copy, KEYS, "byte " + i);
        assertArrayEquals(changed, Files.readAllBytes(copy.resolve("log-1")), "nothing changed");
        refused++;
      } else {
        assertWhole(copy, KEYS);
      }
    }
    assertTrue(refused > 20);
  }

  @Test
  void aLogThatWasCutAfterTheCloseIsRefused() throws IOException {
    byte[] log = Files.readAllBytes(KEYS.resolve("log-1"));
    for (int length = 0; length < log.length; length += 40) {
      Path copy = copyOf(KEYS);
      Files.write(copy.resolve("log-1"), Arrays.copyOf(log, length));
      assertRefused(copy, KEYS, "cut to " + length);
    }
    Path copy = copyOf(KEYS);
    Files.delete(copy.resolve("log-1"));
    assertRefused(copy, KEYS, "no log");
  }

  @Test
  void aMissingLogIsRefused() throws IOException {
    Path copy = copyOf(KEYS);
    Files.move(copy.resolve("log-1"), copy.resolve("log-2"));
    assertRefused(copy, KEYS, "log-1 is missing");
  }

  // ---- What the page shows ----

  private static String dump(byte[] bytes, int from, int to) {
    StringBuilder dump = new StringBuilder();
    for (int at = from; at < to; at += 16) {
      StringBuilder line = new StringBuilder(String.format("%6d ", at));
      for (int i = at; i < Math.min(at + 16, to); i++) {
        line.append(String.format(" %02x", bytes[i]));
      }
      dump.append(line).append('\n');
    }
    return dump.toString();
  }

  private static void shows(String text) throws IOException {
    assertTrue(Files.readString(PAGE).contains(text), text);
  }

  @Test
  void thePageShowsTheFiles() throws IOException {
    shows(
        Files.readString(
            FINGERPRINTS.resolve(BufferHashDirectory.MANIFEST), StandardCharsets.US_ASCII));
    byte[] table = Files.readAllBytes(FINGERPRINTS.resolve(TableFile.NAME));
    shows(dump(table, 4096, 4180)); // the newer mark
    shows(dump(table, 65536, 65536 + 88)); // the second incarnation's index
    shows(dump(table, 69632, 69632 + 72)); // its first data page
    byte[] log = Files.readAllBytes(KEYS.resolve("log-1"));
    shows(dump(log, 0, 80));
    shows(dump(log, log.length - 40, log.length));
  }
}
