package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages that stand in {@code docs/} are those that the committed results make. */
class YcsbPageTest {
  private static final Path REPOSITORY = Path.of("").toAbsolutePath().getParent();
  private static final String HOME = "winnow.home";

  @TempDir Path home;

  @Test
  void committedResultsMakeTheCommittedPages() throws IOException {
    Path results = Files.createDirectories(home.resolve("ycsb-profiles/results"));
    Path plots = Files.createDirectories(home.resolve("docs/plots"));
    try (Stream<Path> files = Files.list(REPOSITORY.resolve("ycsb-profiles/results"))) {
      for (Path file : files.toList()) {
        Files.copy(file, results.resolve(file.getFileName()));
      }
    }
    String before = System.getProperty(HOME);
    System.setProperty(HOME, home.toString());
    try {
      PrintStream nowhere = new PrintStream(new ByteArrayOutputStream());
      assertEquals(0, new Ycsb().run(nowhere, System.err, "--report"));
    } finally {
      if (before == null) {
        System.clearProperty(HOME);
      } else {
        System.setProperty(HOME, before);
      }
    }
    for (String page : List.of("ycsb.md", "ycsb-sweep.md", "ycsb-stores.md", "ycsb-scale.md")) {
      assertSame("docs/" + page);
    }
    try (Stream<Path> made = Files.list(plots)) {
      List<Path> files = made.toList();
      assertTrue(files.size() > 5, files::toString);
      for (Path plot : files) {
        assertSame("docs/plots/" + plot.getFileName());
      }
    }
  }

  private void assertSame(String file) throws IOException {
    assertArrayEquals(
        Files.readAllBytes(REPOSITORY.resolve(file)), Files.readAllBytes(home.resolve(file)), file);
  }
}
