package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class YcsbReportTest {
  private static final Results.Setting SETTING =
      new Results.Setting(
          "2026-01-01", "A Processor", 2, "Linux amd64", "a JDK", "0123", "./winnow ycsb", 900);

  @TempDir Path dir;

  private static void reads(Results results, Map<String, String> at, double gain) {
    for (FilterKind kind : FilterKind.values()) {
      double faster = kind == FilterKind.BLOOM ? 1 : gain;
      Map<String, String> its = new TreeMap<>(at);
      its.put("filter", kind.id());
      results.add(
          Comparison.READS, its, "rowsPerSecond", 1000 * faster, 1100 * faster, 900 * faster);
      results.add(Comparison.READS, its, "meanMicros", 1000 / faster);
      for (String metric : List.of("p50Micros", "p95Micros", "p99Micros")) {
        results.add(Comparison.READS, its, metric, 900);
      }
      results.add(Comparison.READS, its, "hitRatio", 0.9 * Math.sqrt(faster));
      results.add(Comparison.READS, its, "dataHitRatio", 0.5);
      results.add(Comparison.READS, its, "filterHitRatio", 1);
    }
  }

  private static void filters(Results results) {
    for (FilterKind kind : FilterKind.values()) {
      Map<String, String> at = Map.of("filter", kind.id(), "keyLength", "25", "files", "4");
      results.add(Comparison.FILTERS, at, "bytes", kind == FilterKind.BLOOM ? 1000 : 700);
      results.add(Comparison.FILTERS, at, "keys", 1000);
      results.add(Comparison.FILTERS, at, "maxKeys", 1000);
    }
  }

  private static Results run() {
    Results results = new Results(SETTING);
    filters(results);
    for (int length : new int[] {10, 25}) {
      reads(
          results,
          Map.of("profile", "lindorm", "keyLength", Integer.toString(length)),
          length == 10 ? 1.2 : 0.98);
    }
    reads(results, Map.of("profile", "miss-only", "keyLength", "25"), 1);
    for (FilterKind kind : FilterKind.values()) {
      Map<String, String> at = Map.of("filter", kind.id(), "keyLength", "25");
      double seconds = kind == FilterKind.BLOOM ? 10 : 10.4;
      results.add(Comparison.COMPACTION, at, "wallSeconds", seconds - 0.3, seconds, seconds + 0.3);
      results.add(Comparison.COMPACTION, at, "cpuSeconds", seconds, seconds, seconds);
    }
    return results;
  }

  private static Results sweep() {
    Results results = new Results(SETTING);
    filters(results);
    for (String cache : List.of("2000", "1000")) {
      reads(results, Map.of("profile", "lindorm", "keyLength", "25", "cacheBytes", cache), 1.1);
    }
    return results;
  }

  /** Rates by store: a fifth of the false reads of absent rows; a tenth more absent reads. */
  private static Results stores() {
    Results results = new Results(SETTING);
    for (StorePolicy policy : StorePolicy.values()) {
      boolean byStore = policy == StorePolicy.STORE;
      for (int file = 0; file < 2; file++) {
        Map<String, String> at = Map.of("filter", policy.id(), "file", Integer.toString(file));
        results.add(StoreComparison.FILES, at, "keys", file == 0 ? 900 : 100);
        results.add(StoreComparison.FILES, at, "bytes", policy == StorePolicy.STOCK ? 1200 : 900);
        results.add(StoreComparison.FILES, at, "falsePositiveRate", byStore ? 0.002 : 0.01);
      }
      for (String profile : Profile.STORES) {
        Map<String, String> run = new TreeMap<>(Map.of("profile", profile, "keyLength", "25"));
        double absent =
            profile.equals("store-absent") ? 1 : profile.equals("store-mixed") ? 0.5 : 0;
        results.add(StoreComparison.RUN, run, "absent", absent);
        run.put("filter", policy.id());
        double gets = byStore && absent > 0 ? 1100 : byStore ? 995 : 1000;
        results.add(StoreComparison.READS, run, "rowsPerSecond", gets * 0.99, gets, gets * 1.01);
        results.add(StoreComparison.READS, run, "meanMicros", 1e6 / gets);
        results.add(StoreComparison.READS, run, "falseReadsPerRow", byStore ? 0.01 : 0.05);
        results.add(StoreComparison.READS, run, "dataBlocksReadPerRow", byStore ? 0.024 : 0.05);
        results.add(StoreComparison.READS, run, "filterBlocksReadPerRow", 0);
        results.add(StoreComparison.READS, run, "serverCpuMicrosPerRow", 10);
      }
    }
    return results;
  }

  @Test
  void storesOfSeveralFiles() {
    String text = StoreReport.page(stores()).text();
    assertVerdict(text, "absent reads: false reads per Get", "0.200", "reached");
    assertVerdict(text, "absent reads: data blocks read", "0.480", "**not reached**");
    assertVerdict(text, "absent reads: throughput", "1.100", "reached");
    assertVerdict(text, "mixed reads: throughput", "1.100", "reached");
    // One half of a percent less, where rounds differ by two.
    assertVerdict(text, "present reads: throughput", "0.995", "reached");
    assertVerdict(text, "filter bytes of the store", "0.750", "reached");
    String sum =
        text.lines().filter(line -> line.strip().startsWith("all; sum")).findFirst().orElseThrow();
    assertTrue(sum.matches(" *all; sum of rates +1,000 +19.20 +2.000 % .* 14.40 +0.400 %"), sum);
    assertFalse(text.contains("NaN"), text);
  }

  @Test
  void askedAndMeasured() {
    String text = YcsbReport.page(run(), run(), run()).text();
    assertVerdict(text, "Lindorm's profile, best key length: throughput", "1.20", "reached");
    assertVerdict(text, "Lindorm's profile, 10-byte keys: throughput", "1.200", "reached");
    assertVerdict(text, "Lindorm's profile, 25-byte keys: throughput", "0.980", "**not reached**");
    assertVerdict(text, "Lindorm's profile, best key length: mean latency", "0.83", "reached");
    assertVerdict(text, "miss-only, 25-byte keys: block-cache hit ratio", "1.0000", "reached");
    assertVerdict(text, "major compaction, wall time", "1.040", "reached");
    assertVerdict(text, "major compaction, cpu time", "1.040", "**not reached**");
    assertVerdict(text, "filter bytes in the store files, 25-byte", "0.700", "reached");
    assertFalse(text.contains("NaN"), text);
  }

  private static void assertVerdict(String text, String what, String measured, String verdict) {
    String line =
        text.lines().filter(one -> one.strip().startsWith(what)).findFirst().orElseThrow();
    assertTrue(line.contains(" " + measured + " ") && line.endsWith(" " + verdict), line);
  }

  @Test
  void theSweepIsOrderedByItsCaches() {
    String text = YcsbReport.page(sweep(), sweep(), sweep()).text();
    assertEquals(
        List.of("50 %,", "100 %,"),
        text.lines()
            .map(String::strip)
            .filter(line -> line.matches("\\d+ %, .*"))
            .map(line -> line.substring(0, line.indexOf(',') + 1))
            .toList());
    assertFalse(text.contains("Asked and measured"), text);
  }

  @Test
  void thePageHasEverySectionAndItsPlots() throws IOException {
    String page =
        YcsbReport.markdown(
            new YcsbReport.Source(run(), "run.json"),
            new YcsbReport.Source(sweep(), "sweep.json"),
            new YcsbReport.Source(stores(), "stores.json"));
    for (String heading :
        List.of(
            "Asked and measured",
            "Throughput and latency",
            "Block cache and store files",
            "The filters in the files",
            "Major compaction",
            "Where the gain begins and ends",
            "Stores of several files")) {
      assertTrue(page.contains("\n## " + heading + "\n"), heading);
    }
    assertTrue(page.contains("`ycsb-profiles/results/run.json`"), page);
    assertTrue(page.contains("`ycsb-profiles/results/sweep.json`"), page);
    assertTrue(page.contains("`ycsb-profiles/results/stores.json`"), page);
    assertFalse(page.contains("NaN"), page);
    YcsbReport.page(run(), sweep(), stores()).writePlots(dir);
    try (Stream<Path> files = Files.list(dir)) {
      for (Path file : files.toList()) {
        assertTrue(page.contains("(plots/" + file.getFileName() + ")"), file.toString());
        assertFalse(Files.readString(file).contains("NaN"), file.toString());
      }
    }
  }
}
