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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code ./winnow ycsb}, on few rows. */
@Tag("long")
class ComparisonIT {
  @TempDir Path home;

  @AfterEach
  void forgetHome() {
    System.clearProperty("winnow.home");
  }

  /** What it prints, if it succeeds. */
  private String run(String... options) {
    System.setProperty("winnow.home", home.toString());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("--rows=20000", "--key-lengths=10", "--dir=" + home.resolve("data")));
    int code =
        new Ycsb()
            .run(
                new PrintStream(bytes, true, StandardCharsets.UTF_8),
                System.err,
                all.toArray(String[]::new));
    String out = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(0, code, out);
    return out;
  }

  @Test
  void aRunFromTheLoadToTheTables() throws IOException {
    String out = run("--profile=lindorm,read-mostly", "--rounds=1", "--duration=0.5");
    assertTrue(out.contains("\nAsked and measured\n"), out);
    Results results = results();
    for (TableFilter kind : TableFilter.values()) {
      for (String profile : List.of("lindorm", "read-mostly")) {
        Object[] at = {"filter", kind.id(), "profile", profile, "keyLength", 10};
        String what = profile + ", " + kind.id();
        assertTrue(results.median(Comparison.READS, "rowsPerSecond", at).orElse(0) > 0, what);
        double hits = results.median(Comparison.READS, "hitRatio", at).orElse(0);
        assertTrue(hits > 0 && hits <= 1, what + ": " + hits);
        double asked = results.median(Comparison.READS, "filesAskedPerRow", at).orElse(0);
        assertEquals(4, asked, 0.04, what);
        assertTrue(results.median(Comparison.READS, "repeats", at).isPresent(), what);
        assertTrue(results.median(Comparison.READS, "warmUpSeconds", at).orElse(0) >= 0.3, what);
      }
      Object[] filter = {"filter", kind.id(), "files", 4};
      assertEquals(20_000, results.median(Comparison.FILTERS, "keys", filter).orElse(0));
      assertTrue(
          results.median(Comparison.COMPACTION, "wallSeconds", "filter", kind.id()).orElse(0) > 0);
    }
    // Files that are loaded take 0.84 of HBase's own, and a small one may take 512 bytes more.
    double share = size(results, TableFilter.BUMPED_RIBBON) / size(results, TableFilter.BLOOM);
    assertTrue(share > 0.5 && share < 0.9, "bumped-ribbon filters are in the files: " + share);
  }

  /** The rates in the files do not depend on how busy the machine is, and few reads show them. */
  @Test
  void storesOfSeveralFilesHaveRatesByTheirShares() throws IOException {
    String out = run("--stores", "--profile=store-mixed", "--rounds=1", "--duration=1");
    assertTrue(out.contains("\nAsked and measured\n"), out);
    Results results = results();
    double[] sums = new double[StorePolicy.values().length];
    for (StorePolicy policy : StorePolicy.values()) {
      double keys = 0;
      for (int file = 0; file < 6; file++) {
        Object[] at = {"filter", policy.id(), "file", file};
        double its = results.median(StoreComparison.FILES, "keys", at).orElse(0);
        assertTrue(file == 0 ? its > 18_000 : its > 200 && its < 450, file + ": " + its + out);
        keys += its;
        sums[policy.ordinal()] +=
            results.median(StoreComparison.FILES, "falsePositiveRate", at).orElse(1);
      }
      assertEquals(20_000, keys, out);
      Object[] at = {"filter", policy.id(), "profile", "store-mixed", "keyLength", 10};
      assertTrue(results.median(StoreComparison.READS, "rowsPerSecond", at).orElse(0) > 0, out);
      double read = results.median(StoreComparison.READS, "falseReadsPerRow", at).orElse(1);
      assertTrue(read >= (policy == StorePolicy.FILE ? 0.005 : 0) && read < 0.2, read + out);
    }
    assertEquals(0.06, sums[StorePolicy.FILE.ordinal()], 0.02, out);
    assertTrue(sums[StorePolicy.STORE.ordinal()] <= 0.45 * sums[StorePolicy.FILE.ordinal()], out);
  }

  private static double size(Results results, TableFilter kind) {
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
    assertEquals(0, new Ycsb().run(nowhere, System.err, "--help"));
    assertEquals(64, new Ycsb().run(nowhere, System.err, "--rows=few"));
  }
}
