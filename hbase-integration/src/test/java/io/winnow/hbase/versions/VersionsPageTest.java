package io.winnow.hbase.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code docs/versions.md} says what the tests say. */
class VersionsPageTest {
  private static final Path DOCS = Path.of("..", "docs");

  @Test
  void theTableIsMadeFromTheRuns() throws IOException {
    String page = Files.readString(DOCS.resolve("versions.md"));
    int begin = page.indexOf(VersionsTable.BEGIN) + VersionsTable.BEGIN.length();
    Map<String, int[]> rows = VersionsTable.read(DOCS.resolve("versions.csv"));
    assertEquals(VersionsTable.table(rows), page.substring(begin, page.indexOf(VersionsTable.END)));
    assertEquals(VersionsTable.csv(rows), Files.readString(DOCS.resolve("versions.csv")));
  }

  @Test
  void everyVersionThatTheBuildRunsHasARow() throws IOException {
    Map<String, int[]> rows = VersionsTable.read(DOCS.resolve("versions.csv"));
    for (String version : System.getProperty("winnow.tested.hbases").split(",")) {
      assertTrue(
          rows.entrySet().stream()
              .anyMatch(row -> row.getKey().startsWith(version + ",") && row.getValue()[0] > 0),
          version);
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
