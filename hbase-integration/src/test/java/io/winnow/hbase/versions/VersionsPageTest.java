package io.winnow.hbase.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.versions.VersionsTable.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code docs/versions.md} says what the tests say. */
class VersionsPageTest {
  private static final Path DOCS = Path.of("..", "docs");

  @Test
  void theTableIsMadeFromTheRuns() throws IOException {
    String page = Files.readString(DOCS.resolve("versions.md"));
    int begin = page.indexOf(VersionsTable.BEGIN) + VersionsTable.BEGIN.length();
    Collection<Row> rows = VersionsTable.read(DOCS.resolve("versions.csv")).values();
    assertEquals(VersionsTable.table(rows), page.substring(begin, page.indexOf(VersionsTable.END)));
    assertEquals(VersionsTable.csv(rows), Files.readString(DOCS.resolve("versions.csv")));
  }

  @Test
  void everyVersionThatTheBuildRunsHasARow() throws IOException {
    Collection<Row> rows = VersionsTable.read(DOCS.resolve("versions.csv")).values();
    List<String> kinds =
        List.of(VersionsTable.UNIT, VersionsTable.STORE_FILES, VersionsTable.INTEGRATION);
    for (Row row : rows) {
      assertTrue(kinds.contains(row.tests()), row.key());
    }
    for (String version : System.getProperty("winnow.tested.hbases").split(",")) {
      assertTrue(rows.stream().anyMatch(row -> row.hbase().equals(version)), version);
    }
  }

  @Test
  void everyVersionThatIsLinkedAgainstIsNamed() throws IOException {
    String page = Files.readString(DOCS.resolve("versions.md"));
    for (String version : List.of("2.5.13-hadoop3", "2.6.5", "2.6.6", "3.0.0-beta-1", "3.0.0")) {
      assertTrue(page.contains("| " + version + " |"), version);
    }
  }
}
