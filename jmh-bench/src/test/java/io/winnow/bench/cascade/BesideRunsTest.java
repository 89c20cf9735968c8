package io.winnow.bench.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.cascade.CascadeFilter;
import io.winnow.hbase.report.Results;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Figures of several runs together: those of another commit, and parts that ran again. */
class BesideRunsTest {
  @TempDir private Path home;

  /** A filter beside itself: what is asked of a run is there, and nothing else was run. */
  @Test
  void aFilterIsMeasuredBesideThatOfAnotherCommit() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Path other =
        Path.of(CascadeFilter.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path json = home.resolve("new").resolve("beside.json");
    String[] arguments = {
      "--keys",
      "50e3",
      "--memory",
      "1M",
      "--seconds",
      "0.02",
      "--rounds",
      "1",
      "--beside",
      other.toString(),
      "--json",
      json.toString(),
      "--dir",
      home.resolve("drive").toString()
    };
    assertEquals(0, CascadeBench.run(arguments, home, out), bytes::toString);
    Results results = Results.ofJson(Files.readString(json));
    assertFalse(results.has(Metrics.INGEST) || results.has(Metrics.MIX), bytes::toString);
    for (String side : List.of(BesideRuns.THIS, BesideRuns.OTHER)) {
      for (String metric : List.of("insertsPerSecond", "longestMillis", "batchedDuring")) {
        assertEquals(1, BesideSection.of(results, metric, side).length, side + ", " + metric);
      }
    }
    assertTrue(CascadeReport.of(results).text().contains("this over the other"));
    assertFalse(Files.exists(home.resolve("jmh-bench/results")), "results go where they should");
  }

  /** The page takes the newer of two runs of a part, and says so. */
  @Test
  void aPartThatRanAgainStandsOnThePage() throws IOException {
    Path directory = Files.createDirectories(home.resolve("jmh-bench/results"));
    Files.writeString(
        directory.resolve("cascade_2026-01-01_x_aaaa.json"), commits("2026-01-01", 480).json());
    Files.writeString(
        directory.resolve("cascade_2026-01-02_x_bbbb_commit.json"),
        commits("2026-01-02", 490).json());
    Files.writeString(
        directory.resolve("cascade_2025-01-01_x_cccc_mix.json"), commits("2025-01-01", 470).json());
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream());
    assertEquals(0, CascadeBench.run(new String[] {"--report"}, home, nowhere));
    String page = Files.readString(home.resolve("docs/cascade-bench.md"));
    assertTrue(page.contains("| 1 | 490 |"), page);
    assertTrue(page.contains("2026-01-02_x_bbbb_commit.json"), page);
    assertFalse(page.contains("470") || page.contains("480"), page);
  }

  private static Results commits(String date, double perSecond) {
    Results results = new Results(new Results.Setting(date, "", 2, "", "", "", "", 0));
    results.add(Metrics.SETUP, Map.of(), "keys", 500e6);
    results.add(Metrics.COMMIT, Map.of("threads", "1"), Metrics.PER_SECOND, perSecond);
    return results;
  }
}
