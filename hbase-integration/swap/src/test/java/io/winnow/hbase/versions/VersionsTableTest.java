package io.winnow.hbase.versions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.versions.VersionsTable.Classes;
import io.winnow.hbase.versions.VersionsTable.Release;
import io.winnow.hbase.versions.VersionsTable.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run makes a row only if it was a whole one. */
class VersionsTableTest {
  private static final Instant SOURCES = Instant.parse("2026-11-21T10:00:00Z");
  private static final Instant RUN = Instant.parse("2026-11-22T09:00:00Z");
  private static final Classes CLASSES =
      new Classes(
          Set.of("p.ATest", "p.BTest"),
          Set.of("p.BTest"),
          Set.of("p.AnIT", "p.BigIT"),
          Set.of("p.BigIT"));

  @TempDir Path reports;

  private void report(String name, String outcome, Instant time) throws IOException {
    String xml =
        "<testsuite xmlns:xsi=\"x\" name=\"%s\" time=\"1.2\" tests=\"5\" %s>\n"
                .formatted(name, outcome)
            + "<property name=\"winnow.test.hbase\" value=\"2.6.4\"/>\n"
            + "<property name=\"java.specification.version\" value=\"17\"/>\n";
    Path file = Files.writeString(reports.resolve("TEST-" + name + ".xml"), xml);
    Files.setLastModifiedTime(file, FileTime.from(time));
  }

  private void passed(String... names) throws IOException {
    for (String name : names) {
      report(name, "errors=\"0\" skipped=\"0\" failures=\"0\"", RUN);
    }
  }

  private List<Row> rows() throws IOException {
    return VersionsTable.rows(reports, CLASSES, SOURCES, "abc1234");
  }

  @Test
  void wholeRunMakesARow() throws IOException {
    passed("p.ATest", "p.BTest");
    assertEquals(
        List.of(new Row("2.6.4", "17", VersionsTable.UNIT, "2026-11-22", "abc1234", "")), rows());
  }

  @Test
  void narrowedRunMakesNone() throws IOException {
    passed("p.ATest");
    assertEquals(List.of(), rows());
  }

  @Test
  void storeFileTestsAreAKind() throws IOException {
    passed("p.BTest");
    assertEquals(VersionsTable.STORE_FILES, rows().get(0).tests());
  }

  @Test
  void integrationTestsAreAKind() throws IOException {
    passed("p.AnIT");
    assertEquals(List.of(), rows());
    passed("p.BigIT");
    assertEquals(VersionsTable.INTEGRATION, rows().get(0).tests());
  }

  @Test
  void someOfTheIntegrationTestsAreAKind() throws IOException {
    passed("p.BigIT");
    assertEquals(VersionsTable.SERVERS, rows().get(0).tests());
  }

  @Test
  void releasesAreShownWithWhatRanOnThem() {
    Row run = new Row("2.6.4", "17", VersionsTable.UNIT, "2026-11-22", "abc1234", "");
    Release ran = new Release("2.6.4", "2.6.4", "2.6.4", "nothing");
    String table =
        VersionsTable.links(
            List.of(
                linked("2.5.15", "nothing"),
                linked("2.6.1", "nothing"),
                linked("2.6.2-hadoop3", "nothing"),
                linked("2.6.3", "nothing"),
                ran,
                linked("2.6.5", "nothing"),
                linked("2.6.6", "metrics; page"),
                linked("2.6.7", "metrics; page")),
            List.of(run));
    assertEquals(
        """
        | hbase-server | off | ran |
        | --- | --- | --- |
        | 2.5.15 | nothing | |
        | 2.6.1 to 2.6.3 | nothing | |
        | 2.6.4 | nothing | unit and store-file tests on Java 17 |
        | 2.6.5 | nothing | |
        | 2.6.6 to 2.6.7 | metrics; page | |
        """,
        table);
  }

  private static Release linked(String server, String off) {
    return new Release(server, server, server, off);
  }

  @Test
  void reportFromBeforeTheLastChangeDoesNotCount() throws IOException {
    passed("p.AnIT", "p.BigIT");
    report("p.BigIT", "errors=\"0\" skipped=\"0\" failures=\"0\"", SOURCES.minusSeconds(1));
    assertEquals(List.of(), rows());
  }

  @Test
  void skippedTestIsTold() throws IOException {
    passed("p.ATest");
    report("p.BTest", "errors=\"0\" skipped=\"2\" failures=\"0\"", RUN);
    assertEquals("BTest", rows().get(0).skipsIn());
  }

  @Test
  void failedTestStopsIt() throws IOException {
    passed("p.ATest");
    report("p.BTest", "errors=\"0\" skipped=\"0\" failures=\"1\"", RUN);
    assertThrows(IOException.class, this::rows);
    report("p.BTest", "errors=\"1\" skipped=\"0\" failures=\"0\"", RUN);
    assertThrows(IOException.class, this::rows);
  }

  @Test
  void classesAreThoseOfTheModules() throws IOException {
    Classes classes = Classes.of(Path.of(".."));
    assertTrue(classes.unit().contains(VersionsTableTest.class.getName()));
    assertTrue(classes.storeFiles().contains("io.winnow.hbase.read.StoreFileRoundTripTest"));
    assertTrue(classes.integration().contains("io.winnow.hbase.it.AgentStartIT"));
    assertFalse(classes.integration().contains("io.winnow.hbase.it.BrokenClusterIT"));
  }
}
