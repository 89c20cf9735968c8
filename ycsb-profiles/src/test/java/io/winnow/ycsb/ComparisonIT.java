package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Results;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code ./winnow ycsb}, on few rows. */
class ComparisonIT {
  @TempDir Path home;

  @AfterEach
  void forgetHome() {
    System.clearProperty("winnow.home");
  }

  @Test
  void aRunFromTheLoadToTheTables() throws IOException {
    System.setProperty("winnow.home", home.toString());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int code =
        Ycsb.run(
            new PrintStream(bytes, true, StandardCharsets.UTF_8),
            "--rows=20000",
            "--key-lengths=10",
            "--profile=lindorm,read-mostly",
            "--rounds=1",
            "--duration=0.5",
            "--dir=" + home.resolve("data"));
    String out = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(0, code, out);
    assertTrue(out.contains("\nAsked and measured\n"), out);
    Results results = results();
    for (FilterKind kind : FilterKind.values()) {
      for (String profile : List.of("lindorm", "read-mostly")) {
        Object[] at = {"filter", kind.id(), "profile", profile, "keyLength", 10};
        String what = profile + ", " + kind.id();
        assertTrue(results.median(Comparison.READS, "rowsPerSecond", at).orElse(0) > 0, what);
        double hits = results.median(Comparison.READS, "hitRatio", at).orElse(0);
        assertTrue(hits > 0 && hits <= 1, what + ": " + hits);
        double asked = results.median(Comparison.READS, "filesAskedPerRow", at).orElse(0);
        double files = profile.equals("lindorm") ? 4 : 8;
        assertTrue(asked > 0.5 * files && asked < 1.1 * files, what + ": " + asked);
      }
      Object[] filter = {"filter", kind.id(), "files", 4};
      assertEquals(20_000, results.median(Comparison.FILTERS, "keys", filter).orElse(0));
      assertTrue(
          results.median(Comparison.COMPACTION, "wallSeconds", "filter", kind.id()).orElse(0) > 0);
    }
    assertTrue(
        size(results, FilterKind.BUMPED_RIBBON) < 0.71 * size(results, FilterKind.BLOOM),
        "bumped-ribbon filters are in the files");
  }

  private static double size(Results results, FilterKind kind) {
    return results
        .median(Comparison.FILTERS, "bytes", "filter", kind.id(), "files", 4)
        .orElseThrow();
  }

  private Results results() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("ycsb-profiles").resolve("results"))) {
      List<Path> all = files.toList();
      assertEquals(1, all.size());
      return Results.ofJson(Files.readString(all.get(0)));
    }
  }

  @Test
  void helpAndWrongOptions() {
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true);
    assertEquals(0, Ycsb.run(nowhere, "--help"));
    assertEquals(64, Ycsb.run(nowhere, "--rows=few"));
  }
}
