package io.winnow.flash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.ChildJvm;
import io.winnow.FilterFormatException;
import io.winnow.KeyHash;
import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.bloom.ElevatorBloomFilter;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashOptions;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.TextFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlashInspectTest {
  private static final int KEYS = 70_000;
  private static final int PAGE_BYTES = 4096;
  private static final Duration LONG = Duration.ofMinutes(9);

  @TempDir private Path temporary;

  private CascadeFilter filter(Path directory) throws IOException {
    CascadeFilter filter =
        CascadeFilter.open(
            directory,
            CascadeOptions.defaults().memoryBudget(1 << 19).fanOut(8).expectedMaximum(1_000_000));
    for (int i = 0; i < KEYS; i++) {
      filter.insert(i);
    }
    filter.awaitMerges();
    filter.sync();
    return filter;
  }

  private static Path level(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("level-"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static FlashInspect verified(Path path) throws IOException {
    LongAdder read = new LongAdder();
    LongAdder expected = new LongAdder();
    FlashInspect seen = FlashInspect.verified(path, expected::add, read::add);
    long difference = read.sum() - expected.sum();
    assertTrue(difference == 0 || difference == 2, "besides its heads, " + difference); // of pages
    assertTrue(seen.toString().contains("verified: "), seen::toString);
    return seen;
  }

  /** Verifies a structure, of which this page is damaged. */
  private static FlashInspect damaged(Path path, Path file, long page) throws IOException {
    FlashInspect seen = verified(path);
    assertTrue(seen.isDamaged());
    assertTrue(seen.toString().contains("page " + page + " of " + file), seen::toString);
    return seen;
  }

  private static FlashInspect whole(Path path) throws IOException {
    FlashInspect seen = verified(path);
    assertFalse(seen.isDamaged(), seen::toString);
    assertTrue(seen.toString().contains(" 0 damaged"), seen::toString);
    return seen;
  }

  private static long pages(FlashInspect seen) {
    return (long) ((Map<?, ?>) seen.fields().get("verified")).get("pages");
  }

  private static void refused(Path path, String reason) {
    Exception e = assertThrows(Exception.class, () -> FlashInspect.of(path));
    assertTrue(e instanceof IOException || e instanceof FilterFormatException, e::toString);
    assertTrue(e.getMessage().contains(reason), e::toString);
  }

  @Test
  void anOpenCascadeFilterIsReported() throws IOException {
    Path directory = temporary.resolve("seen");
    try (CascadeFilter filter = filter(directory)) {
      FlashInspect seen = FlashInspect.of(directory);
      CascadeStatistics statistics = filter.statistics();
      assertEquals(directory.toString(), seen.fields().get("directory"));
      assertEquals("xxh3", seen.fields().get("keyHash"));
      assertEquals(8L, seen.fields().get("fanOut"));
      assertEquals(filter.fingerprintBits(), seen.fields().get("fingerprintBits"));
      assertEquals(
          statistics.get(CascadeCount.MEMORY_CAPACITY), seen.fields().get("memoryEntries"));
      assertEquals(statistics.get(CascadeCount.FLASH_BYTES), seen.fields().get("bytesOnFlash"));
      assertEquals(KEYS, (long) seen.fields().get("entries"), 20.0);
      assertEquals(statistics.levels().size(), ((List<?>) seen.fields().get("levels")).size());
      assertTrue(seen.fields().containsKey("verified"));
      assertNull(seen.fields().get("verified"));
      assertFalse(seen.isDamaged());
      for (String part : List.of("fan-out", "level-", "log-")) {
        assertTrue(seen.toString().contains(part), seen::toString);
      }
    }
  }

  @Test
  void aDamagedPageOfACascadeFilterIsNamed() throws IOException {
    Path directory = temporary.resolve("seen");
    filter(directory).close();
    whole(directory);
    Path level = level(directory);
    flip(level, 2 * PAGE_BYTES + 500);
    assertFalse(FlashInspect.of(directory).isDamaged(), "it reads no page");
    damaged(directory, level, 2);
  }

  private static void flip(Path file, long at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) at] ^= 1;
    Files.write(file, bytes);
  }

  private Path bufferedBloom() throws IOException {
    Path directory = temporary.resolve("bloom");
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults().keys(KEYS).hashedBy(KeyHash.XXH3).maxWait(LONG);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        filter.insert(i);
      }
      filter.sync(KEYS);
    }
    return directory;
  }

  @Test
  void aBufferedBloomFilterIsReported() throws IOException {
    Path directory = bufferedBloom();
    FlashInspect seen = whole(directory);
    assertEquals("buffered-bloom", seen.fields().get("structure"));
    assertEquals("xxh3", seen.fields().get("keyHash"));
    assertEquals((long) KEYS, seen.fields().get("keys"));
    assertEquals((long) KEYS, seen.fields().get("mark"));
    assertEquals(true, seen.fields().get("whole"));
    assertEquals(Files.size(directory.resolve("filter")) / PAGE_BYTES, pages(seen));
    try (BufferedBloomFilter open =
        BufferedBloomFilter.open(directory, BufferedBloomOptions.defaults())) {
      refused(directory, "is open");
      open.insert(KEYS);
    }
  }

  @Test
  void eachDamagedPageOfABufferedBloomFilterIsNamed() throws IOException {
    Path directory = bufferedBloom();
    Path file = directory.resolve("filter");
    byte[] whole = Files.readAllBytes(file);
    long pages = whole.length / PAGE_BYTES;
    for (long page : new long[] {0, 1, 2, pages - 2, pages - 1}) {
      flip(file, page * PAGE_BYTES + 500);
      FlashInspect seen = damaged(directory, file, page);
      assertEquals(page > 1, seen.fields().get("whole"), "a head that may have been newer");
      Files.write(file, whole);
    }
    System.arraycopy(whole, 2 * PAGE_BYTES, whole, 3 * PAGE_BYTES, PAGE_BYTES);
    Files.write(file, whole);
    damaged(directory, file, 3);
    flip(file, 500);
    flip(file, PAGE_BYTES + 500);
    refused(directory, "heads are damaged");
  }

  /** The file says how long its pages are. */
  @Test
  void aFileOfBitPagesIsReportedAndItsDamagedPagesAreNamed() throws IOException {
    for (int pageBytes : new int[] {PAGE_BYTES, 3 * PAGE_BYTES}) {
      Path file = temporary.resolve("bits-" + pageBytes);
      BloomSizing sizing = BloomSizing.forRate(KEYS, 0.01);
      PageStore store = PageStore.create(file, pageBytes);
      try (ElevatorBloomFilter filter = ElevatorBloomFilter.create(store, sizing, 1 << 20, 1)) {
        for (int i = 0; i < KEYS; i++) {
          filter.insert(i);
        }
      }
      byte[] whole = Files.readAllBytes(file);
      int pages = whole.length / pageBytes;
      FlashInspect seen = whole(file);
      assertEquals("bit-pages", seen.fields().get("structure"));
      assertEquals(sizing.bits(), seen.fields().get("bits"));
      assertEquals(sizing.hashFunctions(), seen.fields().get("hashFunctions"));
      assertEquals(pageBytes, seen.fields().get("pageBytes"));
      assertEquals(pages, pages(seen));
      for (int page : new int[] {0, 1, 2, pages - 2, pages - 1}) {
        flip(file, (long) page * pageBytes + 500);
        damaged(file, file, page);
        Files.write(file, whole);
      }
      flip(file, 500);
      flip(file, pageBytes + 500);
      refused(file, "heads are damaged");
    }
    refused(bufferedBloom().resolve("filter"), "not a Bloom filter");
    Path none = temporary.resolve("none");
    refused(none, none.toString());
  }

  /** A page that is right, and older than the last sync knew. */
  @Test
  void anOlderVersionOfAPageIsNamed() throws IOException {
    Path directory = bufferedBloom();
    Path file = directory.resolve("filter");
    byte[] before = Files.readAllBytes(file);
    BufferedBloomOptions options = BufferedBloomOptions.defaults().maxWait(LONG);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      for (int i = KEYS; i < 2 * KEYS; i++) {
        filter.insert(i);
      }
    }
    byte[] now = Files.readAllBytes(file);
    System.arraycopy(before, 2 * PAGE_BYTES, now, 2 * PAGE_BYTES, PAGE_BYTES);
    Files.write(file, now);
    FlashInspect seen = damaged(directory, file, 2);
    assertTrue(seen.toString().contains(" 1 damaged"), seen::toString);
    assertTrue(seen.toString().contains("older version"), seen::toString);
  }

  private Path table() throws IOException {
    Path directory = temporary.resolve("table");
    BufferHashOptions options = BufferHashOptions.ofFingerprints(8).flashBytes(8 << 20);
    try (BufferHash table = BufferHash.open(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        table.put(i, new byte[8]);
      }
    }
    return directory;
  }

  @Test
  void eachDamagedPageOfABufferHashIsNamed() throws IOException {
    Path directory = table();
    FlashInspect seen = whole(directory);
    assertEquals("bufferhash", seen.fields().get("structure"));
    assertEquals(KEYS, (long) seen.fields().get("records") + (long) seen.fields().get("logged"));
    assertTrue(pages(seen) > 100, seen::toString);
    Path file = directory.resolve("table");
    byte[] whole = Files.readAllBytes(file);
    int first = 2;
    while (whole[first * PAGE_BYTES] == 0) { // slots begin with an erase block
      first++;
    }
    for (int page : new int[] {0, first, first + 2}) {
      flip(file, (long) page * PAGE_BYTES + 500);
      damaged(directory, file, page);
      Files.write(file, whole);
    }
    flip(directory.resolve("MANIFEST"), 3); // even its kind
    refused(directory, "MANIFEST");
  }

  @Test
  void theFilterOfADeduplicatorIsReported() throws IOException {
    Path directory = temporary.resolve("dedup");
    filter(directory.resolve("filter")).close();
    String text = new TextFile.Writer("winnow-dedup", 1).line("table", "default:events").text();
    Files.writeString(directory.resolve("DEDUP"), text);
    assertEquals("cascade", whole(directory).fields().get("structure"));
    flip(directory.resolve("DEDUP"), text.indexOf("events"));
    refused(directory, "DEDUP is damaged");
  }

  /** Several structures in one directory are none. */
  @Test
  void aDirectoryOfSomethingElseIsRefused() throws IOException {
    Files.createDirectories(temporary.resolve("table"));
    refused(temporary, "has no MANIFEST and no filter");
  }

  /** The class path of the tests is that of a user of the library, with more. */
  @Test
  void theClassIsAProgram() throws Exception {
    Path file = table().resolve("table");
    assertEquals(0, main("--verify", file.getParent().toString()));
    flip(file, 500);
    assertEquals(0, main(file.getParent().toString()));
    assertEquals(3, main("--verify", file.getParent().toString()));
    assertEquals(1, main(temporary.resolve("none").toString()));
  }

  private static int main(String... arguments) throws Exception {
    Process process = ChildJvm.start(FlashInspect.class, arguments);
    process.getInputStream().readAllBytes();
    return process.waitFor();
  }
}
