package io.winnow.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pages that stand in {@code docs/} are those that the committed results make. */
class PagesTest {
  private static final Path REPOSITORY = Path.of("").toAbsolutePath().getParent();
  private static final Pattern LINKED = Pattern.compile("\\(plots/([^)]+)\\)");

  @TempDir Path home;

  @ParameterizedTest
  @CsvSource({
    "benchmarks.md, io.winnow.bench.Bench",
    "cascade-bench.md, io.winnow.bench.drive.CascadeBench",
    "flash-bench.md, io.winnow.bench.drive.FlashBench"
  })
  void committedResultsMakeTheCommittedPage(String page, String command) throws Exception {
    Path results = Files.createDirectories(home.resolve("jmh-bench/results"));
    Files.createDirectories(home.resolve("docs/plots"));
    try (Stream<Path> files = Files.list(REPOSITORY.resolve("jmh-bench/results"))) {
      for (Path file : files.toList()) {
        Files.copy(file, results.resolve(file.getFileName()));
      }
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dwinnow.home=" + home,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                command,
                "--report")
            .redirectErrorStream(true)
            .start();
    java.getInputStream().transferTo(said);
    assertEquals(0, java.waitFor(), said.toString(StandardCharsets.UTF_8));
    assertSame("docs/" + page);
    List<String> plots =
        LINKED
            .matcher(Files.readString(home.resolve("docs").resolve(page)))
            .results()
            .map((MatchResult link) -> link.group(1))
            .toList();
    assertTrue(plots.size() > 2, plots::toString);
    for (String plot : plots) {
      assertSame("docs/plots/" + plot);
    }
  }

  private void assertSame(String file) throws IOException {
    assertArrayEquals(
        Files.readAllBytes(REPOSITORY.resolve(file)), Files.readAllBytes(home.resolve(file)), file);
  }
}
