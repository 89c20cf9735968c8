package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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

  /** Rounds of a machine that gets slower and slower: only pairs show what a filter gains. */
  private static final int ROUNDS = 12;

  private static void reads(
      Results results, String benchmark, Map<String, String> at, double gain) {
    for (TableFilter kind : TableFilter.KINDS) {
      double faster = kind == TableFilter.BLOOM ? 1 : gain;
      Map<String, String> its = new TreeMap<>(at);
      its.put("filter", kind.id());
      for (int round = 0; round < ROUNDS; round++) {
        // From one round to the other by 1 % up and down.
        double noise = kind == TableFilter.BLOOM ? 1 : 1 + 0.01 * (round % 3 - 1);
        double slow = 1 + round;
        results.add(benchmark, its, "rowsPerSecond", 1000 / slow * faster * noise);
        results.add(benchmark, its, "meanMicros", 1000 * slow / faster / noise);
        results.add(benchmark, its, "hitRatio", 0.5 * faster * noise);
        results.add(benchmark, its, "blocksReadPerRow", 0.5 / faster);
        results.add(benchmark, its, "serverCpuMicrosPerRow", 20 * slow / faster);
        results.add(benchmark, its, "repeats", round == 0 ? 2 : 0);
        results.add(benchmark, its, "warmUpSeconds", 0.8);
        results.add(benchmark, its, "warmUpStood", round == 5 ? 0 : 1);
      }
      for (String metric : List.of("p50Micros", "p95Micros", "p99Micros")) {
        results.add(benchmark, its, metric, 900, 900, 900, 900, 900, 900);
      }
      results.add(benchmark, its, "dataHitRatio", 0.5);
      results.add(benchmark, its, "filterHitRatio", 1);
    }
  }

  private static void filters(Results results) {
    for (TableFilter kind : TableFilter.KINDS) {
      Map<String, String> at = Map.of("filter", kind.id(), "keyLength", "25", "files", "4");
      results.add(Measurement.TABLES.files, at, "bytes", kind == TableFilter.BLOOM ? 1000 : 700);
      results.add(Measurement.TABLES.files, at, "keys", 1000);
      results.add(Measurement.TABLES.files, at, "maxKeys", 1000);
    }
  }

  private static Results run() {
    Results results = new Results(SETTING);
    filters(results);
    for (int length : new int[] {25, 10}) {
      reads(
          results,
          Measurement.TABLES.reads,
          Map.of("profile", "lindorm", "keyLength", Integer.toString(length)),
          length == 10 ? 1.2 : 0.98);
      results.add(
          Measurement.TABLES.setup,
          Map.of("profile", "lindorm", "keyLength", Integer.toString(length)),
          "hotRows",
          1_234);
    }
    reads(
        results, Measurement.TABLES.reads, Map.of("profile", "lindorm@4", "keyLength", "25"), 1.1);
    reads(results, Measurement.TABLES.reads, Map.of("profile", "miss-only", "keyLength", "25"), 1);
    reads(results, Measurement.BUCKET.reads, Map.of("profile", "lindorm", "keyLength", "25"), 1);
    for (TableFilter kind : TableFilter.KINDS) {
      Map<String, String> at = Map.of("filter", kind.id(), "keyLength", "25");
      double wall = kind == TableFilter.BLOOM ? 1 : 0.9;
      for (int round = 0; round < ROUNDS; round++) {
        results.add(Compactions.COMPACTION, at, "wallSeconds", (2 + round) * wall);
        results.add(
            Compactions.COMPACTION,
            at,
            "cpuSeconds",
            kind == TableFilter.BLOOM ? 3 : 3 + 0.1 * (round % 2));
      }
    }
    return results;
  }

  private static Results sweep() {
    Results results = new Results(SETTING);
    filters(results);
    for (String cache : List.of("2000", "1000")) {
      reads(
          results,
          Measurement.TABLES.reads,
          Map.of("profile", "lindorm", "keyLength", "25", "cacheBytes", cache),
          1.1);
    }
    return results;
  }

  /** Rates by store: a fifth of the false reads of absent rows; a tenth more absent reads. */
  private static Results stores() {
    Results results = new Results(SETTING);
    for (TableFilter policy : TableFilter.OF_STORES) {
      boolean byStore = policy == TableFilter.STORE;
      for (int file = 0; file < 2; file++) {
        Map<String, String> at = Map.of("filter", policy.id(), "file", Integer.toString(file));
        results.add(Measurement.STORES.files, at, "keys", file == 0 ? 900 : 100);
        results.add(
            Measurement.STORES.files, at, "bytes", policy == TableFilter.STOCK ? 1200 : 900);
        results.add(Measurement.STORES.files, at, "falsePositiveRate", byStore ? 0.002 : 0.01);
      }
      for (String profile : Profile.RATES) {
        Map<String, String> run = new TreeMap<>(Map.of("profile", profile, "keyLength", "25"));
        double absent =
            profile.equals("store-absent") ? 1 : profile.equals("store-mixed") ? 0.5 : 0;
        results.add(Measurement.STORES.setup, run, "absent", absent);
        run.put("filter", policy.id());
        double gets = byStore && absent > 0 ? 1100 : byStore ? 995 : 1000;
        for (int round = 0; round < ROUNDS; round++) {
          double noise = byStore ? 1 + 0.01 * (round % 3 - 1) : 1;
          results.add(Measurement.STORES.reads, run, "rowsPerSecond", gets * noise);
          results.add(Measurement.STORES.reads, run, "falseReadsPerRow", byStore ? 0.01 : 0.05);
          results.add(
              Measurement.STORES.reads, run, "dataBlocksReadPerRow", byStore ? 0.024 : 0.05);
        }
        results.add(Measurement.STORES.reads, run, "meanMicros", 1e6 / gets);
        results.add(Measurement.STORES.reads, run, "filterBlocksReadPerRow", 0);
        results.add(Measurement.STORES.reads, run, "serverCpuMicrosPerRow", 10);
        results.add(Measurement.STORES.reads, run, "repeats", 0);
        results.add(Measurement.STORES.reads, run, "warmUpSeconds", 1);
        results.add(Measurement.STORES.reads, run, "warmUpStood", 1);
      }
    }
    return results;
  }

  @Test
  void storesOfSeveralFiles() {
    String text = Ycsb.page(stores(), "").text();
    assertVerdict(text, "absent reads: false reads per Get", "0.20 (0.20 to 0.20)", "reached");
    assertVerdict(text, "absent reads: data blocks read", "0.48 (0.48 to 0.48)", "**not reached**");
    assertVerdict(text, "absent reads: throughput", "1.10 (1.09 to 1.11)", "reached");
    assertVerdict(text, "mixed reads: throughput", "1.10 (1.09 to 1.11)", "reached");
    // Half a percent less, where rounds differ by two: nothing can be said.
    assertVerdict(text, "present reads: throughput", "1.00 (0.99 to 1.00)", "**not certain**");
    assertVerdict(text, "filter bytes of the store", "0.750", "reached");
    String sum =
        text.lines().filter(line -> line.strip().startsWith("all; sum")).findFirst().orElseThrow();
    assertTrue(sum.matches(" *all; sum of rates +1,000 +19.20 +2.000 % .* 14.40 +0.400 %"), sum);
    assertFalse(text.contains("NaN"), text);
  }

  @Test
  void askedAndMeasured() {
    String text = Ycsb.page(run(), "").text();
    String ten = "Lindorm's profile, 10-byte keys: ";
    assertVerdict(text, ten + "throughput over stock Bloom's  ", "1.20 (1.19 to 1.21)", "reached");
    assertVerdict(
        text, ten + "throughput over stock Bloom's, as", "1.20 (1.19 to 1.21)", "reached");
    assertVerdict(text, ten + "mean latency", "0.83 (0.83 to 0.84)", "reached");
    assertVerdict(text, ten + "block-cache hit ratio", "1.20 (1.19 to 1.21)", "reached");
    String other = "Lindorm's profile, 25-byte keys: ";
    assertVerdict(
        text, other + "throughput over stock Bloom's  ", "0.98 (0.97 to 0.99)", "**not reached**");
    assertVerdict(text, "major compaction, wall time", "0.90 (0.90 to 0.90)", "reached");
    // Every other round as long, every other one longer.
    assertVerdict(text, "major compaction, cpu time", "1.02 (1.00 to 1.03)", "**not certain**");
    assertVerdict(text, "filter bytes in the store files, 25-byte", "0.700", "reached");
    assertFalse(text.contains("best"), text);
    assertFalse(text.contains("NaN"), text);
  }

  private static void assertVerdict(String text, String what, String measured, String verdict) {
    String line = line(text, what);
    assertTrue(line.contains(" " + measured + " ") && line.endsWith(" " + verdict), line);
  }

  private static String line(String text, String start) {
    return text.lines().filter(one -> one.strip().startsWith(start)).findFirst().orElseThrow();
  }

  /** Where the interval holds 1, the page says that nothing is gained, and nothing else. */
  @Test
  void whatGainsNothingIsSaidInAsManyWords() {
    String page = Ycsb.page(run(), "").markdown();
    String gains = page.substring(page.indexOf("## What is gained"), page.indexOf("## Throughput"));
    assertTrue(
        gains.contains(
            "Reads are faster with bumped-ribbon filters in: lindorm, 10; lindorm@4, 25.\n"),
        gains);
    assertTrue(gains.contains("Reads are as fast in: miss-only, 25; BucketCache, 25.\n"), gains);
    assertTrue(gains.contains("Reads are slower in: lindorm, 25.\n"), gains);
    assertTrue(line(gains, "| BucketCache, 25").contains("| no difference |"), gains);
    assertTrue(
        line(gains, "| lindorm, 10").contains("| 1,234 | 12 | 1.20 (1.19 to 1.21) |"), gains);
    assertTrue(line(gains, "| miss-only").startsWith("| miss-only, 25 | - | 12 |"), gains);
  }

  /** Six rounds can prove one row, and not one of many. */
  @Test
  void aRowOfALongTableWithFewRoundsIsExploratory() {
    Results results = new Results(SETTING);
    for (String profile : List.of("lindorm", "uniform")) {
      for (TableFilter kind : TableFilter.KINDS) {
        double[] rows = new double[6];
        Arrays.fill(rows, kind == TableFilter.BLOOM ? 1 : 2);
        results.add(
            Measurement.TABLES.reads,
            Map.of("filter", kind.id(), "profile", profile, "keyLength", "25"),
            "rowsPerSecond",
            rows);
      }
    }
    String page = Ycsb.page(results, "").markdown();
    assertTrue(
        page.contains(
            "Too few draws for a claim in a table of this length (exploratory): lindorm, 25;"
                + " uniform, 25.\n"),
        page);
    assertFalse(page.contains("faster with"), page);
  }

  /** HBase and Winnow as they come: setup, special conditions, a fixed rate of arrival. */
  @Test
  void asTheyCome() {
    Results results = stores();
    for (String profile : Profile.STORES) {
      Map<String, String> at = Map.of("profile", profile, "keyLength", "25");
      results.add(Measurement.STORES.setup, at, "blockBytes", 65_536);
      results.add(Measurement.STORES.setup, at, "indexBlockBytes", 131_072);
      results.add(Measurement.STORES.setup, at, "files", 6);
      results.add(Measurement.STORES.setup, at, "rows", 1_000);
      results.add(Measurement.STORES.setup, at, "cacheBytes", 6_000);
      if (Profile.RATES.contains(profile)) {
        continue;
      }
      for (TableFilter policy : TableFilter.DEFAULTS) {
        Map<String, String> its = new TreeMap<>(at);
        its.put("filter", policy.id());
        int rounds = profile.equals("store-bucket") ? 36 : profile.equals("store-hot") ? 24 : 6;
        for (int round = 0; round < rounds; round++) {
          double gain = policy == TableFilter.STOCK ? 1 : round % 2 == 0 ? 1.3 : 1.2;
          double wide = policy == TableFilter.STOCK ? 1 : round % 2 == 0 ? 1.2 : 0.9;
          results.add(
              Measurement.STORES.reads,
              its,
              "rowsPerSecond",
              1000 * (profile.equals("store-bucket") ? wide : gain));
          results.add(Measurement.STORES.reads, its, "p50Micros", 200 / gain);
          results.add(Measurement.STORES.reads, its, "p99Micros", 400 / gain);
          results.add(Measurement.STORES.reads, its, "p999Micros", 800);
          results.add(Measurement.STORES.reads, its, "serverCpuMicrosPerRow", 10);
          if (profile.equals("store-cold")) {
            results.add(Measurement.STORES.reads, its, Reads.DRIVE, 0);
          }
        }
      }
    }
    results.add(
        Reads.ARRIVALS, Map.of("profile", "store-arrivals", "keyLength", "25"), "perSecond", 4_321);
    String page = Ycsb.page(results, "some.json").markdown();
    assertTrue(page.contains("Data blocks have 64 KiB, index blocks 128 KiB."), page);
    assertTrue(
        page.contains("the block cache has 0.0 MB, and stock's filters take\n40 % of it."), page);
    assertTrue(line(page, "| hot |").contains("| 24 | 1.25 (1.20 to 1.30) | faster |"), page);
    assertTrue(line(page, "| cold |").contains("| 6 | 1.25 (1.20 to 1.30) | exploratory |"), page);
    assertTrue(line(page, "| bucket |").contains("| undecided |"), page);
    assertTrue(line(page, "| absent |").contains("| 12 | 1.10 (1.09 to 1.11) | faster |"), page);
    assertTrue(line(page, "| 999 of 1,000 within").contains("| 800 | 800 | 1.00"), page);
    assertTrue(page.contains("In the last table 4,321 Gets are due in each second"), page);
    assertFalse(page.contains("| arrivals |"), page);
  }

  @Test
  void aTrialCarriesNoClaim() {
    Results trial = new Results(SETTING);
    for (TableFilter kind : TableFilter.KINDS) {
      trial.add(
          Measurement.TABLES.reads,
          Map.of("filter", kind.id(), "profile", "lindorm", "keyLength", "25"),
          "rowsPerSecond",
          kind == TableFilter.BLOOM ? new double[] {1, 1, 1, 1, 1} : new double[] {2, 2, 2, 2, 2});
    }
    String text = Ycsb.page(trial, "").text();
    assertFalse(text.contains("reached"), text);
    assertFalse(text.contains("faster"), text);
    assertTrue(text.contains("too few rounds"), text);
  }

  @Test
  void repeatedTurnsAndWarmUpsAreTold() {
    String text = Ycsb.page(run(), "").text();
    String turns = text.substring(text.indexOf("\nturns\n"));
    // Of three tables, two turns each again; one warm-up each that did not stand.
    assertTrue(line(turns, "lindorm, 10").matches(" *lindorm, 10 +12 +36 +6 +0.8 +0.8 +3"), turns);
    assertTrue(turns.contains("BucketCache, lindorm, 25"), turns);
  }

  @Test
  void resultsOfOlderRunsAreRefused() throws IOException {
    Results old = new Results(SETTING);
    old.add(
        Measurement.TABLES.reads,
        Map.of("filter", "bloom", "profile", "lindorm", "keyLength", "25"),
        "rowsPerSecond",
        1000);
    IOException e =
        assertThrows(IOException.class, () -> Ycsb.requireNew(old, "old.json", "./winnow ycsb"));
    assertTrue(e.getMessage().startsWith("old.json is of an older kind of run"), e.getMessage());
    assertTrue(e.getMessage().endsWith("make a new run: ./winnow ycsb"), e.getMessage());
    for (Results results : List.of(run(), sweep(), stores())) {
      Ycsb.requireNew(results, "new.json", "");
    }
  }

  @Test
  void theSweepIsOrderedByItsCaches() {
    String text = Ycsb.page(sweep(), "").text();
    assertEquals(
        List.of("50 %,", "100 %,"),
        text.lines()
            .map(String::strip)
            .filter(line -> line.matches("\\d+ %, .*"))
            .map(line -> line.substring(0, line.indexOf(',') + 1))
            .toList());
    assertTrue(line(text, "50 %,").contains("1.10 (1.09 to 1.11)"), text);
    assertFalse(text.contains("Goals and results"), text);
  }

  @Test
  void eachPageHasItsSectionsAndItsPlots() throws IOException {
    assertPage(
        run(),
        "# YCSB: what a smaller filter does for reads",
        "What is gained, and where",
        "Throughput and latency",
        "Block cache and store files",
        "How the turns went",
        "The filters in the files",
        "Major compaction",
        "How it is measured");
    assertPage(sweep(), "# YCSB: where the gain begins and ends", "Where the gain begins and ends");
    assertPage(stores(), "# YCSB: stores of several files", "Stores of several files");
  }

  /** The run on a large store, ended after its primary figures: it says what it does not have. */
  @Test
  void aLargeStoreWithItsPrimaryFiguresOnly() {
    Results results = new Results(SETTING);
    for (TableFilter filter : ScaleStore.CONTENDERS) {
      Map<String, String> at = Map.of("filter", filter.id(), "file", "0");
      results.add(ScaleStore.FILES, at, "keys", 1_000_000);
      results.add(ScaleStore.FILES, at, "bytes", filter == ScaleStore.STOCK ? 1_200 : 900);
      results.add(ScaleStore.FILES, at, "falsePositiveRate", 0.01);
    }
    for (int launch = 1; launch <= 7; launch++) {
      String name = Integer.toString(launch);
      results.add("scaleRun", Map.of("launch", name), "cacheBytes", 360e6);
      results.add("firstRounds", Map.of("launch", name), "stood", launch == 3 ? 0 : 1);
      for (ScaleCase one : ScaleCase.PRIMARY) {
        for (TableFilter filter : List.of(ScaleStore.STOCK, one.ours())) {
          boolean isStock = filter == ScaleStore.STOCK;
          Map<String, String> its =
              new TreeMap<>(ScaleReads.at(one, ScaleReads.Storage.MS_2, name));
          its.put("filter", filter.id());
          for (double round : new double[] {1, 2, 3, 4}) {
            results.add(
                ScaleReads.READS,
                its,
                "operationsPerSecond",
                isStock ? 100 * round : (300 + launch) * round);
            results.add(ScaleReads.READS, its, "fileReadsPerOperation", isStock ? 1 : 0.25);
            results.add(ScaleReads.READS, its, "warmUpStood", launch == 2 && round == 4 ? 0 : 1);
            results.add(ScaleReads.READS, its, "repeats", launch == 1 ? 1 : 0);
          }
        }
      }
    }
    String page = Ycsb.page(results, "some.json").markdown();
    assertTrue(
        line(page, "| batches of 20").contains("| 3.04 (3.01 to 3.07) | 1.000 | 0.250 |"), page);
    assertTrue(page.contains("an entity | 250 | 760 |"), page);
    assertFalse(page.contains("## Secondary"), page);
    assertFalse(page.contains("with a BucketCache it has"), page);
    assertTrue(page.contains("It has no figures of 20 ms a read, present rows,"), page);
    assertTrue(page.contains("The block cache has 360 MB. Turns counted: 168;"), page);
    assertTrue(page.contains(" made again:\n24; warm-ups still rising: 6;"), page);
    assertTrue(page.contains("reached their maximum:\n1.\n"), page);
  }

  private void assertPage(Results results, String title, String... headings) throws IOException {
    PageTemplate made = Ycsb.page(results, "some.json");
    String page = made.markdown();
    assertTrue(page.startsWith(title + "\n"), page);
    assertEquals(
        List.of(headings),
        page.lines()
            .filter(line -> line.startsWith("## "))
            .map(line -> line.substring(3))
            .toList());
    // One run: the table at the top tells where and how, no section does.
    assertTrue(page.contains("\n| machine | A Processor, 2 cores, Linux amd64 |\n"), page);
    assertTrue(page.contains("`ycsb-profiles/results/some.json`"), page);
    assertFalse(page.contains("\n*A Processor"), page);
    assertFalse(page.contains("NaN"), page);
    Path plots = Files.createDirectories(dir.resolve(title.replaceAll("[^a-z]", "")));
    made.writePlots(plots);
    try (Stream<Path> files = Files.list(plots)) {
      for (Path file : files.toList()) {
        assertTrue(page.contains("(plots/" + file.getFileName() + ")"), page);
        assertFalse(Files.readString(file).contains("NaN"), file.toString());
      }
    }
  }
}
