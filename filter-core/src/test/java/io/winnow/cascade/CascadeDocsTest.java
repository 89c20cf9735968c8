package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/cascade.md shows: its example is the code between the marks, its table is computed. */
class CascadeDocsTest {
  private static final Path PAGE = Path.of("..", "docs", "cascade.md");

  @TempDir private Path temporary;
  private Path directory;
  private final Set<String> stored = new HashSet<>();
  private int crashes;

  private void store(byte[] event) {
    assertTrue(stored.add(new String(event, StandardCharsets.UTF_8)), "stored twice");
    if (stored.size() % 1500 == 7) {
      afterACrash();
    }
  }

  private boolean isStored(byte[] event) {
    return stored.contains(new String(event, StandardCharsets.UTF_8));
  }

  /** Whatever is stored, the filter that a crash leaves has seen. */
  private void afterACrash() {
    Path left = temporary.resolve("crash-" + crashes++);
    try (Stream<Path> files = Files.list(directory)) {
      Files.createDirectory(left);
      for (Path file : files.toList()) {
        Files.copy(file, left.resolve(file.getFileName()));
      }
      try (CascadeFilter filter = CascadeFilter.open(left, options())) {
        for (String event : stored) {
          long hash = KeyHash.XXH3.hash(event.getBytes(StandardCharsets.UTF_8));
          assertTrue(filter.mightContain(hash), event + " would be stored twice");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static CascadeOptions options() {
    return CascadeOptions.defaults().expectedMaximum(500_000_000).rate(0.0004);
  }

  @Test
  void theExampleStoresEachEventOnceThoughItCrashes() throws IOException {
    directory = temporary.resolve("seen");
    List<List<byte[]>> batches = new ArrayList<>();
    for (int batch = 0; batch < 20; batch++) {
      int first = 1000 * batch;
      batches.add(
          IntStream.range(first, first + 1000)
              .map(i -> i % 4 == 0 ? i / 2 : i % 9 == 0 ? i - 1 : i)
              .mapToObj(i -> ("event-" + i).getBytes(StandardCharsets.UTF_8))
              .toList());
    }
    example(batches);
    long events =
        batches.stream()
            .flatMap(List::stream)
            .map(e -> new String(e, StandardCharsets.UTF_8))
            .distinct()
            .count();
    assertEquals(events, stored.size());
    assertTrue(crashes > 5);
  }

  private void example(List<List<byte[]>> batches) throws IOException {
    // example begin
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(64L << 20)
            .expectedMaximum(500_000_000)
            .rate(0.0004)
            .fanOutFor(CascadeMix.of(1)); // one lookup per insert
    try (CascadeFilter seen = CascadeFilter.open(directory, options)) {
      for (List<byte[]> batch : batches) {
        long[] hashes = batch.stream().mapToLong(event -> KeyHash.XXH3.hash(event)).toArray();
        BitSet maybe = seen.mightContain(hashes, 0, hashes.length);
        seen.insert(hashes, 0, hashes.length);
        seen.sync(); // before anything is stored
        Set<Long> inBatch = new HashSet<>();
        for (int i = 0; i < hashes.length; i++) {
          boolean certainlyNew = inBatch.add(hashes[i]) && !maybe.get(i);
          if (certainlyNew || !isStored(batch.get(i))) {
            store(batch.get(i)); // one new event in 2500 queries the store
          }
        }
      }
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

  @Test
  void theTableOfFanOutsIsComputed() throws IOException {
    String page = Files.readString(PAGE);
    for (String lookups : new String[] {"0", "0.01", "0.1", "1"}) {
      int fanOut = CascadeMix.of(Double.parseDouble(lookups)).fanOut(56);
      String row =
          String.format(
              Locale.ROOT,
              "\n| %s | %d | %.1f | %.1f |\n",
              lookups,
              fanOut,
              CascadeMix.pages(fanOut, 56),
              CascadeMix.writes(fanOut, 56));
      assertTrue(page.contains(row), row);
    }
  }
}
