package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {
  @TempDir Path directory;

  private static Results results(String date, String commit) {
    Results results =
        new Results(new Results.Setting(date, "A CPU 6/1", 2, "an OS", "a JDK", commit, "x", 1));
    results.add("a benchmark", Map.of(), "ns", 1);
    return results;
  }

  /** A clone gives its files whatever times: only what they say counts. */
  @Test
  void newestIsWhatTheDocumentsSay() throws IOException {
    ResultFiles files = new ResultFiles(directory.resolve("results"), "x_");
    assertEquals(Optional.empty(), files.newest(""));
    Path evening = files.write(results("2026-01-02 20:15 UTC", "a"), "");
    Path morning = files.write(results("2026-01-02 09:15 UTC", "b"), "");
    files.write(results("2026-01-01", "c"), "");
    Path part = files.write(results("2026-01-03 09:15 UTC", "d"), "_part");
    Files.setLastModifiedTime(evening, FileTime.fromMillis(0));
    assertEquals("x_2026-01-02_a-cpu-6-1_b.json", morning.getFileName().toString());
    assertEquals(Optional.of(evening), files.newest(""));
    assertEquals(Optional.of(part), files.newest("_part"));
    assertEquals(Optional.empty(), files.newest("_other"));
    assertEquals(Optional.empty(), new ResultFiles(directory.resolve("results")).newest(""));
  }

  @Test
  void theNewestIsThatOfTheLatestTime() throws IOException {
    ResultFiles files = new ResultFiles(directory);
    Path later = directory.resolve("2026-01-02_a-cpu_a_kind.json");
    Files.writeString(
        later, "{\"setting\": {\"date\": \"2026-01-02 20:15 UTC\"}, \"results\": []}");
    Path earlier = directory.resolve("2026-01-02_a-cpu_b_kind.json");
    Files.writeString(
        earlier, "{\"setting\": {\"date\": \"2026-01-02 09:15 UTC\"}, \"results\": []}");
    assertEquals(Optional.of(later), files.newest("_kind"));
    Files.writeString(earlier, "{\"results\": []}");
    assertThrows(IOException.class, () -> files.newest("_kind"));
  }

  @Test
  void whatIsNoDocumentIsNamed() throws IOException {
    Path garbage = Files.writeString(directory.resolve("garbage.json"), "no JSON\nat all");
    String said = assertThrows(IOException.class, () -> ResultFiles.read(garbage)).getMessage();
    assertTrue(said.startsWith(garbage + " has no results that can be read: "), said);
    assertTrue(said.lines().count() == 1, said);
    Path list = Files.writeString(directory.resolve("list.json"), "{}");
    assertTrue(
        assertThrows(IOException.class, () -> ResultFiles.read(list))
            .getMessage()
            .contains("list"));
    assertEquals(
        "there is no file " + directory.resolve("nothing"),
        assertThrows(IOException.class, () -> ResultFiles.read(directory.resolve("nothing")))
            .getMessage());
    assertEquals(
        directory + " is a directory: name a file of results",
        assertThrows(IOException.class, () -> ResultFiles.read(directory)).getMessage());
  }
}
