package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Pages that are made anew in a copy of the checkout, from the committed results. */
public final class MadeAgain {
  private MadeAgain() {}

  /** Makes the pages. */
  public interface Making {
    void run() throws IOException;
  }

  /**
   * Compares all that is made with what is committed.
   *
   * @param home an empty directory, where it is made
   * @param pages their names, without the extension
   * @return how many files were made
   */
  public static int compare(Path checkout, Path home, Making making, String... pages)
      throws IOException {
    Path docs = Files.createDirectories(home.resolve("docs"));
    for (String page : pages) {
      Files.copy(checkout.resolve("docs").resolve(page + ".md"), docs.resolve(page + ".md"));
    }
    for (String module : List.of("hbase-integration", "ycsb-profiles")) {
      Path results = Files.createDirectories(home.resolve(module).resolve("results"));
      try (Stream<Path> files = Files.list(checkout.resolve(module).resolve("results"))) {
        for (Path file : files.toList()) {
          Files.copy(file, results.resolve(file.getFileName()));
        }
      }
    }
    making.run();
    try (Stream<Path> made = Files.walk(docs).filter(Files::isRegularFile)) {
      List<Path> files = made.toList();
      for (Path file : files) {
        Path committed = checkout.resolve(home.relativize(file));
        assertEquals(Files.readString(committed), Files.readString(file), committed::toString);
      }
      return files.size();
    }
  }
}
