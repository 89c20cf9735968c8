package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.drive.SimulatedDrive;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BufferHashTest {
  private static final long SEED = 99;

  @TempDir(factory = TempDirFactory.Standard.class)
  private Path temporary;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  private Path directory() {
    return temporary.resolve("table");
  }

  private static BufferHashOptions fingerprints() {
    return Tables.small(BufferHashOptions.ofFingerprints(8), 2, 20);
  }

  private static BufferHashOptions keys() {
    return Tables.small(BufferHashOptions.ofKeys(16, 64), 2, 20);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aKeyHasTheValueThatWasPutLast() throws IOException {
    try (BufferHash table = BufferHash.open(directory(), keys())) {
      table.put(bytes("apple"), bytes("red"));
      table.put(bytes("pear"), bytes(""));
      table.put(bytes(""), bytes("the empty key"));
      table.sync();
      table.put(bytes("apple"), bytes("green, and longer"));
      assertArrayEquals(bytes("green, and longer"), table.get(bytes("apple")));
      assertArrayEquals(bytes(""), table.get(bytes("pear")));
      assertArrayEquals(bytes("the empty key"), table.get(bytes("")));
      assertNull(table.get(bytes("app")));
      table.delete(bytes("pear"));
      assertNull(table.get(bytes("pear")));
    }
    try (BufferHash table = BufferHash.open(directory(), keys())) {
      assertArrayEquals(bytes("green, and longer"), table.get(bytes("apple")));
      assertNull(table.get(bytes("pear")));
      assertArrayEquals(bytes("the empty key"), table.get(bytes("")));
      assertEquals(0, table.statistics().get(BufferHashCount.BUFFERED_ENTRIES));
    }
  }

  @Test
  void aByteKeyMayStandForItsFingerprint() throws IOException {
    try (BufferHash table = BufferHash.open(directory(), fingerprints())) {
      table.put(bytes("a key of any length whatever it is"), Tables.value(1));
      long fingerprint = KeyHash.XXH3.hash(bytes("a key of any length whatever it is"));
      assertEquals(1, Tables.number(table.get(fingerprint)));
      table.delete(fingerprint);
      assertNull(table.get(bytes("a key of any length whatever it is")));
    }
  }

  @Test
  void wrongArgumentsAreRefused() throws IOException {
    try (BufferHash table = BufferHash.open(directory(), keys())) {
      assertThrows(IllegalStateException.class, () -> table.put(1, bytes("x")));
      assertThrows(IllegalStateException.class, () -> table.get(1));
      assertThrows(IllegalStateException.class, () -> table.delete(1));
      IllegalArgumentException key =
          assertThrows(IllegalArgumentException.class, () -> table.put(new byte[17], bytes("x")));
      assertTrue(key.getMessage().contains("17") && key.getMessage().contains("16"));
      IllegalArgumentException value =
          assertThrows(IllegalArgumentException.class, () -> table.put(bytes("x"), new byte[65]));
      assertTrue(value.getMessage().contains("65") && value.getMessage().contains("64"));
      assertThrows(IllegalArgumentException.class, () -> table.get(new byte[17]));
    }
    assertThrows(IllegalArgumentException.class, () -> BufferHashOptions.ofKeys(0, 8));
    assertThrows(IllegalArgumentException.class, () -> BufferHashOptions.ofFingerprints(-1));
    assertThrows(IllegalArgumentException.class, () -> fingerprints().superTables(3));
    Path other = temporary.resolve("other");
    for (BufferHashOptions wrong :
        new BufferHashOptions[] {
          BufferHashOptions.ofFingerprints(4061), // no room on a page
          fingerprints().flashBytes(3L * Tables.ERASE_BLOCK - 1).superTables(1),
          fingerprints().eraseBlockBytes(4096),
          fingerprints().memoryBudget(128 << 10),
        }) {
      assertThrows(IllegalArgumentException.class, () -> BufferHash.open(other, wrong));
      assertTrue(Files.notExists(other.resolve(BufferHashDirectory.MANIFEST)));
    }
    BufferHash.open(other, BufferHashOptions.ofFingerprints(4052)).close();
  }

  @Test
  void otherOptionsThanItWasMadeWithAreRefused() throws IOException {
    BufferHash.open(directory(), fingerprints()).close();
    for (BufferHashOptions other :
        new BufferHashOptions[] {
          keys(),
          Tables.small(BufferHashOptions.ofFingerprints(9), 2, 20),
          fingerprints().superTables(4),
          fingerprints().flashBytes(1 << 30),
          fingerprints().pageBytes(8192),
          fingerprints().incarnationBytes(2 * Tables.ERASE_BLOCK),
          fingerprints().eraseBlockBytes(2 * Tables.ERASE_BLOCK),
        }) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> BufferHash.open(directory(), other));
      assertTrue(refused.getMessage().contains(directory().toString()), refused.getMessage());
    }
    // what is not given is as it was
    try (BufferHash table =
        BufferHash.open(directory(), BufferHashOptions.ofFingerprints(8).memoryBudget(4 << 20))) {
      assertEquals(2, table.layout().superTables());
      assertEquals(20, table.layout().incarnations());
      assertEquals(Tables.ERASE_BLOCK, table.layout().incarnationBytes());
    }
  }

  @Test
  void oneTableHasADirectory() throws IOException {
    try (BufferHash table = BufferHash.open(directory(), fingerprints())) {
      assertThrows(IOException.class, () -> BufferHash.open(directory(), fingerprints()));
      table.put(1, Tables.value(1));
    }
    BufferHash closed = BufferHash.open(directory(), fingerprints());
    closed.close();
    closed.close();
    assertThrows(IllegalStateException.class, () -> closed.put(1, Tables.value(1)));
    assertThrows(IllegalStateException.class, () -> closed.get(1));
    assertThrows(IllegalStateException.class, closed::sync);
  }

  /** At most 1 + rate reads for a hit, and the rate for a miss, with a margin of 5 sigma. */
  @ParameterizedTest
  @EnumSource(IncarnationFilterKind.class)
  void lookupsReadNoMoreThanTheRateSays(IncarnationFilterKind filters) throws IOException {
    BufferHashOptions options =
        Tables.small(BufferHashOptions.ofFingerprints(8), 2, 40)
            .filters(filters)
            .memoryBudget(330 << 10)
            .directIo(true);
    try (BufferHash table = BufferHash.open(directory(), options)) {
      BufferHashLayout layout = table.layout();
      long n = Tables.entriesOnFlash(layout) - 4L * layout.expectedEntries;
      for (long i = 0; i < n; i++) {
        table.put(Tables.key(SEED, i), Tables.value(i));
      }
      table.awaitWrites();
      double rate = layout.falseReadsPerLookup();
      assertTrue(rate > 0.001 && rate < 5, layout.toString());
      int asked = 10_000;
      FlashStatistics<BufferHashCount> before = table.statistics();
      for (int i = 0; i < asked; i++) {
        assertNull(table.get(Tables.key(SEED, n + i)));
      }
      FlashStatistics<BufferHashCount> misses = table.statistics();
      double reads =
          misses.get(BufferHashCount.LOOKUP_READS) - before.get(BufferHashCount.LOOKUP_READS);
      double expected = asked * rate;
      // Five sigma, and (5^2 - 1) / 6 more, as small counts are skewed.
      double most = expected + 5 * Math.sqrt(expected) + 4;
      assertTrue(reads <= most, reads + " of " + expected);
      assertEquals(
          reads, misses.get(BufferHashCount.FALSE_READS) - before.get(BufferHashCount.FALSE_READS));
      for (long i = 0; i < asked; i++) {
        long key = i * (n / asked);
        assertEquals(key, Tables.number(table.get(Tables.key(SEED, key))));
      }
      FlashStatistics<BufferHashCount> hits = table.statistics();
      double hitReads =
          hits.get(BufferHashCount.LOOKUP_READS) - misses.get(BufferHashCount.LOOKUP_READS);
      assertTrue(hitReads <= asked + most, hitReads + "");
      assertTrue(hitReads > asked / 2.0, "most are on flash");
      IoSnapshot io = hits.io();
      assertTrue(
          io.writes() < 3 * hits.get(BufferHashCount.INCARNATIONS_WRITTEN) + 10, io.toString());
    }
  }

  @ParameterizedTest
  @EnumSource(IncarnationFilterKind.class)
  void aLookupThatReadsNothingAllocatesNothing(IncarnationFilterKind filters) throws IOException {
    try (BufferHash table = BufferHash.open(directory(), keys().filters(filters))) {
      for (long i = 0; i < 10_000; i++) {
        table.put(Tables.bytes(0), Tables.value(i));
        table.put(bytes("key " + i), Tables.value(i));
      }
      table.awaitWrites();
      byte[][] absent = new byte[2000][];
      for (int i = 0; i < absent.length; i++) {
        absent[i] = bytes("absent " + i);
      }
      long reads = table.statistics().get(BufferHashCount.LOOKUP_READS);
      Runnable lookups =
          () -> {
            for (byte[] key : absent) {
              look(table, key);
            }
          };
      for (int i = 0; i < 20; i++) {
        lookups.run(); // compiled, and classes loaded
      }
      long falseReads = (table.statistics().get(BufferHashCount.LOOKUP_READS) - reads) / 20;
      long allocated = Allocation.bytesOf(lookups);
      assertTrue(allocated <= falseReads * 2048, allocated + " bytes, " + falseReads + " reads");
      assertTrue(falseReads < absent.length / 50, "reads " + falseReads);
    }
  }

  private static void look(BufferHash table, byte[] key) {
    try {
      assertNull(table.get(key));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The talk's example: 32 GB of flash, entries of 32 bytes, 4 GB of memory. */
  @Test
  void theLayoutFollowsTheFormula() {
    BufferHashOptions options =
        BufferHashOptions.ofFingerprints(20).flashBytes(32L << 30).memoryBudget(4L << 30);
    Geometry geometry = BufferHashLayout.geometry(options);
    BufferHashLayout layout = new BufferHashLayout(geometry, options);
    assertEquals(128 << 10, layout.incarnationBytes());
    // 2^35 / (8 * 32 * ln(2)^2) = 279 MB of buffers, of 128 KiB: 2131, and a power of two below
    assertEquals(2048, layout.superTables());
    assertEquals(127, layout.incarnations());
    assertTrue(layout.flashBytes() <= 32L << 30);
    assertTrue(layout.flashBytes() > 31L << 30);
    assertTrue(
        layout.bufferMemoryBytes + layout.fenceMemoryBytes + layout.filterMemoryBytes
            <= layout.memoryBytes,
        layout.toString());
    assertTrue(layout.falseReadsPerLookup() < 0.01, layout.toString());
    String shown = layout.toString();
    for (String part : new String[] {"31.8 GiB", "2048 super tables", "127 incarnations"}) {
      assertTrue(shown.contains(part), shown);
    }
    BufferHashLayout ribbon =
        new BufferHashLayout(geometry, options.filters(IncarnationFilterKind.RIBBON));
    assertTrue(ribbon.filterRate() < layout.filterRate(), ribbon.toString());
  }

  @ParameterizedTest
  @EnumSource(IncarnationFilterKind.class)
  void memoryIsWhatWasGiven(IncarnationFilterKind filters) {
    for (long memory = 1 << 20; memory <= 1L << 32; memory *= 16) {
      for (int entry : new int[] {0, 8, 100, 1000}) {
        for (long flash = 4 * memory; flash <= 64 * memory; flash *= 4) {
          BufferHashOptions options =
              BufferHashOptions.ofFingerprints(entry)
                  .flashBytes(flash)
                  .memoryBudget(memory)
                  .filters(filters);
          String message =
              String.format(Locale.ROOT, "memory %d, entry %d, flash %d", memory, entry, flash);
          try {
            Geometry geometry = BufferHashLayout.geometry(options);
            BufferHashLayout layout = new BufferHashLayout(geometry, options);
            assertTrue(layout.flashBytes() <= flash, message);
            assertTrue(layout.flashBytes() > flash / 2, message + " " + layout);
            assertTrue(
                layout.bufferMemoryBytes + layout.fenceMemoryBytes + layout.filterMemoryBytes
                    <= memory * 1.01,
                message + " " + layout);
          } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().contains("memory of"), message + ": " + e);
            assertTrue(entry < 100 || memory < 8 << 20, message + ": " + e);
          }
        }
      }
    }
  }

  @Test
  void aDirectoryThatWasCutShortWhileItWasMadeIsMadeAnew() throws IOException {
    for (int n = 1; n < 200; n++) {
      Path directory = Files.createDirectory(temporary.resolve("cut-" + n));
      SimulatedDrive drive = Tables.drive(directory, n);
      drive.stopIn(n);
      try (BufferHash table = BufferHash.open(directory, fingerprints().fileAccess(drive))) {
        assertNull(table.get(1));
      } catch (IOException e) {
        assertTrue(drive.isStopped(), e.toString());
      }
      if (n % 2 == 0 && drive.isStopped()) {
        drive.cutPower();
      }
      try (BufferHash table = BufferHash.open(directory, fingerprints())) {
        table.put(1, Tables.value(1));
        table.sync();
        assertEquals(1, Tables.number(table.get(1)));
      }
      if (!drive.isStopped()) {
        assertTrue(n > 10, "requests " + n);
        return;
      }
    }
    throw new AssertionError("it takes more than 200 requests to make a directory");
  }

  @Test
  void aDirectoryThatLostItsManifestIsRefused() throws IOException {
    try (BufferHash table = BufferHash.open(directory(), fingerprints())) {
      table.put(1, Tables.value(1));
    }
    Files.delete(directory().resolve(BufferHashDirectory.MANIFEST));
    assertThrows(FilterFormatException.class, () -> BufferHash.open(directory(), fingerprints()));
  }
}
