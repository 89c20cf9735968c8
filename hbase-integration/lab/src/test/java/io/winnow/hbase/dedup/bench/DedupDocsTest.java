package io.winnow.hbase.dedup.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.hbase.report.MadeAgain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
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

  /** If not: {@code ./winnow dedup bench --report}. */
  @Test
  void thePageAndItsFilesHaveTheFiguresOfTheNewestRun(@TempDir Path home) throws IOException {
    assertEquals(3, MadeAgain.compare(HOME, home, () -> DedupPage.renew(home), "dedup"), "files");
  }

  private static String page() throws IOException {
    return Files.readString(HOME.resolve("docs/dedup.md"));
  }

  private static String stripped(String text) {
    return text.lines().map(String::strip).collect(Collectors.joining("\n"));
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }
}
