package io.winnow.flash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.buffered.BufferedBloomSizing;
import io.winnow.flash.bufferhash.BufferHash;
import io.winnow.flash.bufferhash.BufferHashOptions;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/flash.md shows: its examples are the code between the marks, its table is computed. */
class FlashDocsTest {
  private static final Path PAGE = Path.of("../docs/flash.md");
  private static final Path SOURCE = Path.of("src/test/java/io/winnow/flash/FlashDocsTest.java");

  @TempDir private Path directory;
  private final BitSet sent = new BitSet();

  private static byte[] key(long i) {
    return ("key-" + i).getBytes(StandardCharsets.UTF_8);
  }

  private void send(int row) {
    sent.set(row);
  }

  @Test
  void theJoinSendsTheRowsThatMatch() throws IOException {
    List<byte[]> selected = IntStream.range(0, 20_000).mapToObj(i -> key(i)).toList();
    List<byte[]> rows = IntStream.range(0, 50_000).mapToObj(i -> key(i)).toList();
    join(selected, rows);
    assertEquals(20_000, sent.nextClearBit(0));
    assertTrue(sent.cardinality() < 20_100, "sent: " + sent.cardinality());
  }

  private void join(List<byte[]> selectedKeys, List<byte[]> rows) throws IOException {
    // join begin
    BufferedBloomOptions options =
        BufferedBloomOptions.defaults()
            .keys(1_000_000)
            .rate(0.001)
            .memoryBudget(8L << 20)
            .onAnswer(
                (row, mightContain) -> {
                  if (mightContain) {
                    send(row);
                  }
                });
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      for (byte[] key : selectedKeys) {
        filter.insert(key);
      }
      for (int row = 0; row < rows.size(); row++) {
        filter.probe(rows.get(row), row);
      }
      filter.drain(); // answers what still waits
    }
    // join end
  }

  /** A source of keys that can be read again. */
  private record Source(long end, long more) {
    byte[] key(long offset) {
      return FlashDocsTest.key(offset);
    }

    List<byte[]> moreKeys() {
      return IntStream.range((int) end, (int) more).mapToObj(i -> key(i)).toList();
    }
  }

  @Test
  void afterACrashItIsFilledAgain() throws IOException {
    BufferedBloomOptions options = BufferedBloomOptions.defaults().keys(100_000);
    Path crashed = Files.createDirectory(directory.resolve("crashed"));
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(directory.resolve("before"), options)) {
      for (int i = 0; i < 30_000; i++) {
        filter.insert(key(i));
        if (i == 20_000) {
          filter.sync(i + 1);
        }
      }
      Files.copy(directory.resolve("before").resolve("filter"), crashed.resolve("filter"));
    }
    recover(crashed, options, new Source(30_000, 45_000));
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(crashed, options)) {
      assertTrue(filter.isWhole());
      assertEquals(45_000, filter.mark());
      for (int i = 0; i < 45_000; i += 7) {
        assertTrue(filter.mightContain(key(i)));
      }
      assertFalse(filter.mightContain(key(-1)) && filter.mightContain(key(-2)));
    }
  }

  private static void recover(Path directory, BufferedBloomOptions options, Source source)
      throws IOException {
    // recovery begin
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(directory, options)) {
      if (!filter.isWhole()) {
        for (long offset = filter.mark(); offset < source.end(); offset++) {
          filter.insert(source.key(offset));
        }
        filter.declareWhole();
      }
      long offset = source.end();
      for (byte[] key : source.moreKeys()) {
        filter.insert(key);
        if (++offset % 10_000 == 0) {
          filter.sync(offset);
        }
      }
      filter.sync(offset);
    }
    // recovery end
  }

  // ---- BufferHash ----

  private final List<byte[]> stored = new ArrayList<>();
  private final List<Long> referred = new ArrayList<>();

  /** Returns where the chunk is. */
  private long store(byte[] chunk) {
    stored.add(chunk);
    return stored.size() - 1;
  }

  private void refer(long place) {
    referred.add(place);
  }

  private static byte[] sha256(byte[] chunk) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(chunk);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void eachChunkIsStoredOnce() throws IOException {
    List<byte[]> chunks = IntStream.range(0, 30_000).mapToObj(i -> key(i % 20_000)).toList();
    for (int run = 0; run < 2; run++) {
      deduplicate(chunks);
      assertEquals(20_000, stored.size(), "run " + run);
    }
    assertEquals(40_000, referred.size());
    for (int i = 0; i < 10_000; i++) {
      assertEquals(i, referred.get(i));
    }
  }

  private void deduplicate(List<byte[]> chunks) throws IOException {
    // bufferhash begin
    BufferHashOptions options =
        BufferHashOptions.ofKeys(32, 8) // keys of up to 32 bytes, values of up to 8
            .flashBytes(1L << 30)
            .memoryBudget(64L << 20)
            .durability(Durability.ON_SYNC);
    try (BufferHash index = BufferHash.open(directory, options)) {
      for (byte[] chunk : chunks) {
        byte[] digest = sha256(chunk);
        byte[] place = index.get(digest);
        if (place == null) {
          long stored = store(chunk);
          index.put(digest, ByteBuffer.allocate(8).putLong(stored).array());
        } else {
          refer(ByteBuffer.wrap(place).getLong());
        }
      }
      index.sync(); // from here on a crash takes none of them
    }
    // bufferhash end
  }

  @Test
  void theLayoutIsShown() throws IOException {
    BufferHashOptions options =
        BufferHashOptions.ofKeys(32, 8).flashBytes(1L << 30).memoryBudget(64L << 20);
    try (BufferHash index = BufferHash.open(directory, options)) {
      String shown = index.layout().toString();
      assertEquals(stripped(shown), stripped(between(Files.readString(PAGE), "```text\n", "```")));
    }
  }

  @Test
  void thePageShowsTheExamples() throws IOException {
    String source = Files.readString(SOURCE);
    String page = Files.readString(PAGE);
    for (String example : List.of("join", "recovery", "bufferhash")) {
      String code = between(source, "// " + example + " begin\n", "    // " + example + " end");
      assertEquals(stripped(code), stripped(between(page, "```java\n", "```")));
      page = page.substring(page.indexOf("```", page.indexOf("```java\n") + 1) + 3);
    }
  }

  private static String stripped(String text) {
    return text.lines().map(String::strip).collect(Collectors.joining("\n"));
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }

  @Test
  void theTableOfCostsIsComputed() throws IOException {
    String page = Files.readString(PAGE);
    long keys = 100_000_000;
    long memory = 64L << 20;
    StringBuilder table = new StringBuilder();
    for (String percent : new String[] {"5", "1", "0.25", "0.1", "0.01"}) {
      BufferedBloomSizing sizing =
          BufferedBloomOptions.defaults()
              .keys(keys)
              .rate(Double.parseDouble(percent) / 100)
              .memoryBudget(memory)
              .sizing();
      double perByte = sizing.sizeInBytes() / (double) (memory - 2L * sizing.groupBytes());
      table.append(
          String.format(
              Locale.ROOT,
              "| %s %% | %d | %.1f | 2 x %.0f | %.0f |\n",
              percent,
              sizing.hashFunctions(),
              sizing.sizeInBytes() * 8.0 / keys,
              sizing.entryBytes() * perByte,
              (sizing.entryBytes() + 4) * perByte));
    }
    assertTrue(
        page.contains(" probe |\n| --- | --- | --- | --- | --- |\n" + table), table.toString());
  }
}
