package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hash.KeyHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/cascade.md shows: its example is the code between the marks, its table is computed. */
class CascadeDocsTest {
  private static final Path PAGE = Path.of("..", "docs", "cascade.md");

  @TempDir private Path directory;
  private final Set<String> stored = new HashSet<>();

  private void store(byte[] event) {
    assertTrue(stored.add(new String(event, StandardCharsets.UTF_8)), "stored twice");
  }

  private boolean isStored(byte[] event) {
    return stored.contains(new String(event, StandardCharsets.UTF_8));
  }

  @Test
  void theExampleStoresEachEventOnce() throws IOException {
    List<byte[]> events =
        IntStream.range(0, 20_000)
            .mapToObj(i -> ("event-" + i % 15_000).getBytes(StandardCharsets.UTF_8))
            .toList();
    example(events);
    assertEquals(15_000, stored.size());
  }

  private void example(List<byte[]> events) throws IOException {
    // example begin
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(64L << 20)
            .expectedMaximum(500_000_000)
            .rate(0.0004)
            .durability(Durability.everyN(100_000));
    try (CascadeFilter seen = CascadeFilter.open(directory, options)) {
      for (byte[] event : events) {
        long hash = KeyHash.XXH3.hash(event);
        if (!seen.mightContain(hash)) {
          store(event); // certainly new
        } else if (!isStored(event)) {
          store(event); // one new event in 2500 asks the store
        }
        seen.insert(hash);
      }
      seen.sync();
    }
    // example end
  }

  @Test
  void thePageShowsTheExample() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/io/winnow/cascade/CascadeDocsTest.java"));
    assertEquals(
        stripped(between(source, "// example begin\n", "    // example end")),
        stripped(between(Files.readString(PAGE), "```java\n", "```")));
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
    for (int ratio : new int[] {4, 16, 64, 256, 1024}) {
      StringBuilder row = new StringBuilder("| " + ratio);
      for (int fanOut : new int[] {2, 4, 8}) {
        int levels = 0;
        for (long capacity = 1; capacity < ratio; capacity *= fanOut) {
          levels++;
        }
        row.append(String.format(Locale.ROOT, " | %d | %.1f", levels, levels * (fanOut + 1) / 2.0));
      }
      assertTrue(page.contains("\n" + row + " |\n"), row.toString());
    }
  }
}
