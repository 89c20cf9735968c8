package io.winnow.hbase.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.KeyHash;
import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeFilter;
import io.winnow.cascade.CascadeOptions;
import io.winnow.flash.bloom.BloomSizing;
import io.winnow.flash.bloom.ElevatorBloomFilter;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashOptions;
import io.winnow.flash.drive.PageStore;
import io.winnow.flash.drive.TextFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlashInspectTest {
  private static final int KEYS = 70_000;
  private static final int PAGE_BYTES = 4096;
  private static final Duration LONG = Duration.ofMinutes(9);

  @TempDir private Path temporary;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final ByteArrayOutputStream complained = new ByteArrayOutputStream();

  private int inspect(String... arguments) {
    said.reset();
    complained.reset();
    return new FlashInspect()
        .run(
            new PrintStream(said, true, StandardCharsets.UTF_8),
            new PrintStream(complained, true, StandardCharsets.UTF_8),
            arguments);
  }

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

  @Test
  void itTellsWhatThereIsInAnOpenFilter() throws IOException {
    Path directory = temporary.resolve("seen");
    Path json = temporary.resolve("seen.json");
    try (CascadeFilter filter = filter(directory)) {
      assertEquals(
          0, inspect("--json", json.toString(), directory.toString()), complained::toString);
      JsonNode seen = new ObjectMapper().readTree(json.toFile()).get(0);
      assertEquals(directory.toString(), seen.path("directory").asText());
      assertEquals("xxh3", seen.path("keyHash").asText());
      assertEquals(8, seen.path("fanOut").asInt());
      assertEquals(filter.fingerprintBits(), seen.path("fingerprintBits").asInt());
      assertEquals(
          filter.statistics().get(CascadeCount.MEMORY_CAPACITY),
          seen.path("memoryEntries").asLong());
      assertEquals(
          filter.statistics().get(CascadeCount.FLASH_BYTES), seen.path("bytesOnFlash").asLong());
      assertEquals(KEYS, seen.path("entries").asLong(), 20.0);
      assertEquals(
          filter.statistics().levels().size(), seen.path("levels").size(), seen::toPrettyString);
      assertTrue(seen.path("verified").isNull());
      assertTrue(said.toString().contains("fan-out"), said::toString);
      assertTrue(said.toString().contains("level-"), said::toString);
      assertTrue(said.toString().contains("log-"), said::toString);
    }
  }

  @Test
  void verifyFindsADamagedPage() throws IOException {
    Path directory = temporary.resolve("seen");
    filter(directory).close();
    assertEquals(0, inspect("--verify", directory.toString()), complained::toString);
    assertTrue(said.toString().contains(" 0 damaged"), said::toString);
    Path level = level(directory);
    byte[] bytes = Files.readAllBytes(level);
    bytes[2 * PAGE_BYTES + 500] ^= 1;
    Files.write(level, bytes);
    assertEquals(0, inspect(directory.toString()), "who does not read it does not see it");
    assertEquals(3, inspect("--verify", directory.toString()));
    assertTrue(said.toString().contains("page 2 of " + level), said::toString);
  }

  private static void flip(Path file, long at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) at] ^= 1;
    Files.write(file, bytes);
  }

  private JsonNode seen(int exitCode, Path directory) throws IOException {
    Path json = temporary.resolve("seen.json");
    assertEquals(
        exitCode,
        inspect("--verify", "--json", json.toString(), directory.toString()),
        complained::toString);
    return new ObjectMapper().readTree(json.toFile()).get(0);
  }

  private Path bufferedBloom() throws IOException {
    Path directory = temporary.resolve("bloom");
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults().keys(KEYS).hashedBy(KeyHash.XXH3).maxWait(LONG);
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        filter.insert(i);
      }
      filter.sync(KEYS);
    }
    return directory;
  }

  @Test
  void aBufferedBloomFilterIsToldOf() throws IOException {
    Path directory = bufferedBloom();
    JsonNode seen = seen(0, directory);
    assertEquals("buffered-bloom", seen.path("structure").asText());
    assertEquals("xxh3", seen.path("keyHash").asText());
    assertEquals(KEYS, seen.path("keys").asLong());
    assertEquals(KEYS, seen.path("mark").asLong());
    assertTrue(seen.path("whole").asBoolean());
    long pages = Files.size(directory.resolve("filter")) / PAGE_BYTES;
    assertEquals(pages, seen.path("verified").path("pages").asLong());
    assertTrue(said.toString().contains(" 0 damaged"), said::toString);
    try (BufferedBloomFilter open =
        BufferedBloomFilter.open(directory, BufferedBloomOptions.defaults())) {
      assertEquals(1, inspect(directory.toString()));
      assertTrue(complained.toString().contains("is open"), complained::toString);
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
      JsonNode seen = seen(3, directory);
      assertEquals(page > 1, seen.path("whole").asBoolean(), "a head that may have been newer");
      assertTrue(said.toString().contains("page " + page + " of " + file), said::toString);
      Files.write(file, whole);
    }
    System.arraycopy(whole, 2 * PAGE_BYTES, whole, 3 * PAGE_BYTES, PAGE_BYTES);
    Files.write(file, whole);
    seen(3, directory);
    assertTrue(said.toString().contains("page 3 of " + file), said::toString);
    flip(file, 500);
    flip(file, PAGE_BYTES + 500);
    assertEquals(1, inspect(directory.toString()));
    assertTrue(complained.toString().contains("heads are damaged"), complained::toString);
  }

  /** The file says how long its pages are. */
  @Test
  void aFileOfBitPagesIsToldOfAndItsDamagedPagesAreNamed() throws IOException {
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
      JsonNode seen = seen(0, file);
      assertEquals("bit-pages", seen.path("structure").asText());
      assertEquals(sizing.bits(), seen.path("bits").asLong());
      assertEquals(sizing.hashFunctions(), seen.path("hashFunctions").asInt());
      assertEquals(pageBytes, seen.path("pageBytes").asInt());
      assertEquals(pages, seen.path("verified").path("pages").asLong());
      for (int page : new int[] {0, 1, 2, pages - 2, pages - 1}) {
        flip(file, (long) page * pageBytes + 500);
        seen(3, file);
        assertTrue(said.toString().contains("page " + page + " of " + file), said::toString);
        Files.write(file, whole);
      }
      flip(file, 500);
      flip(file, pageBytes + 500);
      assertEquals(1, inspect(file.toString()));
      assertTrue(complained.toString().contains("heads are damaged"), complained::toString);
    }
    assertEquals(1, inspect(bufferedBloom().resolve("filter").toString()));
    assertTrue(complained.toString().contains("not a Bloom filter"), complained::toString);
    Path none = temporary.resolve("none");
    assertEquals(1, inspect(none.toString()));
    assertTrue(complained.toString().contains("there is no " + none), complained::toString);
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
    JsonNode damaged = seen(3, directory).path("verified").path("damaged");
    assertEquals(1, damaged.size(), damaged::toString);
    assertEquals(2, damaged.get(0).path("page").asLong());
    assertTrue(said.toString().contains("older version"), said::toString);
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
    JsonNode seen = seen(0, directory);
    assertEquals("bufferhash", seen.path("structure").asText());
    assertEquals(KEYS, seen.path("records").asLong() + seen.path("logged").asLong());
    assertTrue(seen.path("verified").path("pages").asLong() > 100, seen::toString);
    Path file = directory.resolve("table");
    byte[] whole = Files.readAllBytes(file);
    int first = 2;
    while (whole[first * PAGE_BYTES] == 0) { // slots begin with an erase block
      first++;
    }
    for (int page : new int[] {0, first, first + 2}) {
      flip(file, (long) page * PAGE_BYTES + 500);
      seen(3, directory);
      assertTrue(said.toString().contains("page " + page + " of " + file), said::toString);
      Files.write(file, whole);
    }
    flip(directory.resolve("MANIFEST"), 3); // even its kind
    assertEquals(1, inspect(directory.toString()));
    assertTrue(complained.toString().contains("MANIFEST"), complained::toString);
  }

  @Test
  void theFilterOfADeduplicatorIsToldOf() throws IOException {
    Path directory = temporary.resolve("dedup");
    filter(directory.resolve("filter")).close();
    String text = new TextFile.Writer("winnow-dedup", 1).line("table", "default:events").text();
    Files.writeString(directory.resolve("DEDUP"), text);
    assertEquals("cascade", seen(0, directory).path("structure").asText());
    flip(directory.resolve("DEDUP"), text.indexOf("events"));
    assertEquals(1, inspect(directory.toString()));
    assertTrue(complained.toString().contains("DEDUP is damaged"), complained::toString);
  }

  @Test
  void whatIsNoFilterIsRefusedInASentence() throws IOException {
    Files.createDirectories(temporary.resolve("table")); // of whoever keeps several in one place
    for (Path wrong : List.of(temporary, temporary.resolve("none"))) {
      assertEquals(1, inspect(wrong.toString()));
      assertTrue(complained.toString().contains(wrong.toString()), complained::toString);
      assertEquals(1, complained.toString().lines().count(), complained::toString);
    }
    assertEquals(64, inspect());
    assertEquals(64, inspect("--nosuch", "x"));
    assertTrue(complained.toString().contains("usage: "), complained::toString);
    Path directory = temporary.resolve("seen");
    filter(directory).close();
    assertEquals(1, inspect("--json", "/no/such/file", directory.toString()));
    assertFalse(said.toString().contains("level-"), "refused before anything is done");
    assertEquals(0, inspect("--help"));
  }
}
