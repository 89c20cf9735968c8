package io.winnow.hbase.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.versions.VersionsTable.Release;
import io.winnow.hbase.versions.VersionsTable.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code docs/versions.md} says what the tests say. */
class VersionsPageTest {
  private static final Path DOCS = Path.of("..", "..", "docs");

  @Test
  void theRunsAreAsTheyAreWritten() throws IOException {
    Collection<Row> rows = VersionsTable.read(DOCS.resolve("versions.csv")).values();
    assertEquals(VersionsTable.csv(rows), Files.readString(DOCS.resolve("versions.csv")));
  }

  @Test
  void everyVersionThatTheBuildRunsHasARow() throws IOException {
    Collection<Row> rows = VersionsTable.read(DOCS.resolve("versions.csv")).values();
    List<String> kinds =
        List.of(
            VersionsTable.UNIT,
            VersionsTable.STORE_FILES,
            VersionsTable.INTEGRATION,
            VersionsTable.SERVERS);
    for (Row row : rows) {
      assertTrue(kinds.contains(row.tests()), row.key());
    }
    for (String version : System.getProperty("winnow.tested.hbases").split(",")) {
      assertTrue(rows.stream().anyMatch(row -> row.hbase().equals(version)), version);
    }
  }

  @Test
  void theReleasesAreThoseOfTheFile() throws IOException {
    String page = Files.readString(DOCS.resolve("versions.md"));
    Collection<Row> rows = VersionsTable.read(DOCS.resolve("versions.csv")).values();
    List<Release> releases = Release.read(DOCS.resolve("releases.csv"));
    int begin = page.indexOf(VersionsTable.BEGIN_LINKS) + VersionsTable.BEGIN_LINKS.length();
    assertEquals(
        VersionsTable.links(releases, rows),
        page.substring(begin, page.indexOf(VersionsTable.END_LINKS)));
    for (Row row : rows) {
      assertTrue(releases.stream().anyMatch(one -> one.server().equals(row.hbase())), row.hbase());
    }
  }

  /** README's table is of the releases that link. */
  @Test
  void readmeNamesTheOldestAndTheNewest() throws IOException {
    String readme = Files.readString(Path.of("..", "..", "README.md"));
    for (Release one : Release.read(DOCS.resolve("releases.csv"))) {
      String release = one.server().replaceFirst("-hadoop3$", "");
      if (List.of("2.5.0", "2.5.15", "2.6.0", "2.6.6").contains(release)) {
        assertTrue(readme.contains(release), release);
        assertEquals("nothing", one.off(), release);
      }
    }
  }
}
