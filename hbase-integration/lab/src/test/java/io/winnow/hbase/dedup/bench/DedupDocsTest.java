package io.winnow.hbase.dedup.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/dedup.md shows: its example is code that a test runs, its figures are those kept. */
class DedupDocsTest {
  private static final Path HOME = Path.of("..", "..");

  @Test
  void thePageShowsTheExample() throws IOException {
    String source = Files.readString(Path.of("src/test/java/io/winnow/hbase/it/DedupExample.java"));
    assertEquals(
        stripped(between(source, "// example begin\n", "    // example end")),
        stripped(between(page(), "```java\n", "```")));
  }

  @Test
  void thePageAndItsFilesHaveTheFiguresOfTheNewestRun(@TempDir Path home) throws IOException {
    assertEquals(DedupPage.renewed(page(), HOME), page());
    Path kept = DedupPage.results(HOME);
    Path results = Files.createDirectories(DedupPage.results(home));
    Files.createDirectories(home.resolve("docs"));
    Files.copy(DedupPage.file(HOME), DedupPage.file(home));
    try (Stream<Path> files = Files.list(kept)) {
      for (Path file : files.toList()) {
        Files.copy(file, results.resolve(file.getFileName()));
      }
    }
    DedupPage.renew(home);
    String goals = "docs/design/asked-dedup.md";
    assertEquals(Files.readString(HOME.resolve(goals)), Files.readString(home.resolve(goals)));
    try (Stream<Path> made = Files.list(home.resolve("docs/plots"))) {
      List<Path> files = made.toList();
      assertEquals(4, files.size(), files::toString);
      for (Path file : files) {
        assertEquals(
            Files.readString(HOME.resolve("docs/plots").resolve(file.getFileName())),
            Files.readString(file));
      }
    }
  }

  private static String page() throws IOException {
    return Files.readString(DedupPage.file(HOME));
  }

  private static String stripped(String text) {
    return text.lines().map(String::strip).collect(Collectors.joining("\n"));
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }
}
