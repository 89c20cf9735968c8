package io.winnow.bench.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CascadeBenchTest {
  @TempDir private Path home;

  /** The whole command, small: the figures mean nothing, that they are there does. */
  private CascadeBench read(String... arguments) {
    return Program.read(new CascadeBench(home), arguments);
  }

  private int run(PrintStream out, String... arguments) {
    return new CascadeBench(home).run(out, out, arguments);
  }

  @Test
  void aSmallRunGivesResultsAndFromThemThePage() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    Path dir = home.resolve("drive");
    String[] small = {"--quick", "--dir", dir.toString()};
    assertEquals(0, run(out, small), bytes::toString);
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("[100 %"), text);
    assertEquals(List.of(), files(dir), "nothing is left behind");

    Path json = files(home.resolve("jmh-bench/results")).get(0);
    Results results = Results.ofJson(Files.readString(json));
    assertEquals(0, CascadeBench.lost(results));
    assertEquals(
        List.of(
            CascadeMetrics.CASCADE,
            CascadeMetrics.TOMBSTONES,
            CascadeMetrics.PLAIN,
            CascadeMetrics.WIDE_ELEVATOR,
            CascadeMetrics.ELEVATOR),
        results.values(CascadeMetrics.INGEST, CascadeMetrics.FILTER));
    for (String filter : List.of(CascadeMetrics.CASCADE, CascadeMetrics.TOMBSTONES)) {
      assertEquals(
          2e6,
          results
              .median(CascadeMetrics.INGEST, "operations", CascadeMetrics.FILTER, filter)
              .orElse(0));
      assertEquals(
          CascadeRuns.BUCKETS,
          results.samples(CascadeMetrics.INGEST, "bucketSeconds", CascadeMetrics.FILTER, filter)
              .length);
    }
    assertEquals(0, failedLookups(results));
    checkMix(results);

    assertEquals(0, run(out, "--report=" + json));
    String page = Files.readString(home.resolve("docs/cascade-bench.md"));
    for (String heading :
        List.of(
            "De-duplication",
            "What a fan-out costs",
            "Inserts",
            "Lookups",
            "How cost grows with n/M",
            "What 10 TB of flash would hold")) {
      assertTrue(page.contains("\n## " + heading + "\n"), heading);
    }
    assertTrue(page.contains(json.getFileName().toString()), page);
    assertFalse(page.contains("keys, billions"), "so small a run carries no extrapolation");
    for (String missing :
        List.of(
            "on the drive, in times the memory",
            "times each key was written, by merges",
            "seconds of inserts")) {
      assertTrue(page.contains("| " + missing + " | "), missing);
    }
    assertFalse(page.contains("NaN"), page);
    for (Path file : files(home.resolve("docs/plots"))) {
      assertTrue(page.contains("plots/" + file.getFileName() + ")"), file.toString());
      assertFalse(Files.readString(file).contains("NaN"), file.toString());
    }
  }

  /** Each filter does what it is there for, in loops of all kinds. */
  private static void checkMix(Results results) {
    List<String> filters = results.values(CascadeMetrics.MIX, CascadeMetrics.FILTER);
    assertEquals(List.of("0 %", "50 %", "95 %"), results.values(CascadeMetrics.MIX, Work.REPEATS));
    int computed = (int) results.median(CascadeMetrics.MIX_SETUP, "computedFanOut").orElseThrow();
    assertTrue(filters.contains(CascadeMetrics.PAGE_LOCAL), filters::toString);
    assertTrue(filters.contains(CascadeMetrics.cascade(computed)), filters::toString);
    assertTrue(filters.size() >= 6, filters::toString);
    for (String filter : filters) {
      for (Work work : Work.ALL) {
        String what = filter + ", " + work;
        assertTrue(work.median(results, filter, CascadeMetrics.PER_SECOND).orElse(0) > 0, what);
        assertTrue(work.median(results, filter, "drivePerSecond").orElse(0) > 0, what);
        assertEquals(0, work.median(results, filter, "missed").orElse(-1), what);
        if (work.repeats() == 0) {
          assertEquals(0, work.median(results, filter, "repeated").orElse(-1), what);
        }
      }
      double pages = new Work(0, true).median(results, filter, "pages").orElseThrow();
      if (filter.equals(CascadeMetrics.PAGE_LOCAL)) {
        assertEquals(1, pages, 0.01, "a page for each key that does not wait in memory");
      } else {
        assertTrue(pages >= 0.9 && pages <= 8, filter + ": " + pages);
      }
    }
  }

  /** Of a very large run somebody may want one part; its tables say what was not in it. */
  @ParameterizedTest
  @ValueSource(strings = {"cascade", "tombstones", "bloom", "bloom,cascade"})
  void partsAreRunByThemselves(String parts) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    String[] small = {
      "--keys",
      "50e3",
      "--memory",
      "1M",
      "--seconds",
      "0.02",
      "--only",
      parts,
      "--dir",
      home.resolve("drive").toString()
    };
    assertEquals(0, run(out, small), bytes::toString);
    String text = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("[100 %") && !text.contains("NaN"), text);
    Path json = files(home.resolve("jmh-bench/results")).get(0);
    Results results = Results.ofJson(Files.readString(json));
    List<String> filters = results.values(CascadeMetrics.INGEST, CascadeMetrics.FILTER);
    assertEquals(parts.contains("cascade"), filters.contains(CascadeMetrics.CASCADE));
    assertEquals(parts.contains("tombstones"), filters.contains(CascadeMetrics.TOMBSTONES));
    assertEquals(parts.contains("bloom"), filters.contains(CascadeMetrics.PLAIN));
  }

  /** A run that carries the extrapolation, without one of the things that make it so. */
  @ParameterizedTest
  @ValueSource(strings = {"", "flashBytes", "levels", "rewrites", "seconds", "io"})
  void tenTerabytesAreComputedFromARunThatCarriesThem(String missing) {
    Results results = new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));
    Map<String, String> io = Map.of("io", missing.equals("io") ? "BUFFERED" : "DIRECT");
    results.add(CascadeMetrics.SETUP, io, "keys", 500e6);
    results.add(CascadeMetrics.SETUP, io, "memoryBytes", 64e6);
    Map<String, String> at = Map.of(CascadeMetrics.FILTER, CascadeMetrics.CASCADE);
    double flashBytes = missing.equals("flashBytes") ? 7 * 64e6 : 9 * 64e6;
    results.add(CascadeMetrics.INGEST, at, "flashBytes", flashBytes);
    results.add(CascadeMetrics.INGEST, at, "peakBytes", 2 * flashBytes);
    results.add(CascadeMetrics.INGEST, at, "levels", missing.equals("levels") ? 1 : 2);
    results.add(CascadeMetrics.INGEST, at, "rewrites", missing.equals("rewrites") ? 3.9 : 4);
    results.add(CascadeMetrics.INGEST, at, "seconds", missing.equals("seconds") ? 19 : 21);
    results.add(CascadeMetrics.INGEST, at, CascadeMetrics.PER_SECOND, 1e7);
    String text = CascadeBench.page(results, "").text();
    assertEquals(missing.isEmpty(), text.contains("keys, billions"), text);
    assertEquals(!missing.isEmpty(), text.contains("not computed"), text);
  }

  private static double failedLookups(Results results) {
    return results
        .median(
            CascadeMetrics.INGEST, "failedLookups", CascadeMetrics.FILTER, CascadeMetrics.CASCADE)
        .orElseThrow();
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Test
  void aBoundIsReachedOrNotOrNotMeasured() {
    Results results = new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));
    results.add(CascadeMetrics.SETUP, Map.of(), "rate", 0.0004);
    results.add(CascadeMetrics.SETUP, Map.of(), "keys", 500e6);
    results.add(CascadeMetrics.SETUP, Map.of(), "memoryBytes", 64 << 20);
    results.add(
        CascadeMetrics.INGEST,
        Map.of(CascadeMetrics.FILTER, CascadeMetrics.CASCADE),
        CascadeMetrics.PER_SECOND,
        5e6);
    results.add(
        CascadeMetrics.INGEST,
        Map.of(CascadeMetrics.FILTER, CascadeMetrics.ELEVATOR),
        CascadeMetrics.PER_SECOND,
        200e3);
    Map<String, String> batched =
        Map.of(
            CascadeMetrics.FILTER,
            CascadeMetrics.CASCADE,
            CascadeMetrics.WORK,
            CascadeMetrics.BATCHED);
    results.add(CascadeMetrics.LOOKUP, batched, "operations", 1e6);
    results.add(CascadeMetrics.LOOKUP, batched, "positives", 440);
    List<Bound> bounds = CascadeBench.page(results, "").bounds();
    assertEquals("reached", verdict(bounds, "inserts per second"));
    assertEquals("**not reached**", verdict(bounds, "inserts per second over the elevator"));
    assertEquals("not in this run", verdict(bounds, "inserts per second over the plain"));
    assertEquals("reached", verdict(bounds, "cascade: false-positive rate")); // 2 sampling errors
  }

  @Test
  void runOfAnotherSizeIsHeldToNothingButLostKeys() {
    Results results = new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));
    results.add(CascadeMetrics.SETUP, Map.of(), "rate", 0.0004);
    results.add(CascadeMetrics.SETUP, Map.of(), "keys", 500e6);
    results.add(CascadeMetrics.SETUP, Map.of(), "memoryBytes", 256 << 20);
    results.add(
        CascadeMetrics.INGEST,
        Map.of(CascadeMetrics.FILTER, CascadeMetrics.CASCADE),
        CascadeMetrics.PER_SECOND,
        5e6);
    List<Bound> bounds = CascadeBench.page(results, "").bounds();
    assertEquals(List.of("keys lost"), bounds.stream().map(Bound::what).toList());
    assertEquals("not in this run", verdict(bounds, "keys lost"));
  }

  private static String verdict(List<Bound> bounds, String start) {
    return bounds.stream()
        .filter(bound -> bound.what().startsWith(start))
        .findFirst()
        .orElseThrow()
        .verdict();
  }

  @Test
  void lostKeysAreCounted() {
    Results results = new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));
    for (String work :
        List.of(CascadeMetrics.PRESENT, CascadeMetrics.LEFT, CascadeMetrics.ABSENT)) {
      Map<String, String> at =
          Map.of(CascadeMetrics.FILTER, CascadeMetrics.TOMBSTONES, CascadeMetrics.WORK, work);
      results.add(CascadeMetrics.LOOKUP, at, "operations", 1000);
      results.add(CascadeMetrics.LOOKUP, at, "positives", 997);
    }
    assertEquals(6, CascadeBench.lost(results));
    for (Work work : Work.ALL) {
      results.add(
          CascadeMetrics.MIX, work.at(CascadeMetrics.PAGE_LOCAL), "missed", work.batched() ? 2 : 1);
    }
    assertEquals(6 + 3 * 3, CascadeBench.lost(results));
  }

  /** A page is of one run: a later one of a part alone has other conditions. */
  @Test
  void aPartThatRanAgainStandsOnNoPage() throws IOException {
    Path directory = Files.createDirectories(home.resolve("jmh-bench/results"));
    Files.writeString(
        directory.resolve("cascade_2026-01-02_x_aaaa.json"), mix("2026-01-02", 480).json());
    Files.writeString(
        directory.resolve("cascade_2026-01-03_x_bbbb_mix.json"), mix("2026-01-03", 490).json());
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream());
    assertEquals(0, run(nowhere, "--report"));
    String page = Files.readString(home.resolve("docs/cascade-bench.md"));
    assertTrue(page.contains("| 480 |"), page);
    assertFalse(page.contains("| 490 |"), page);
    assertTrue(page.contains("cascade_2026-01-02_x_aaaa.json"), page);
  }

  private static Results mix(String date, double perSecond) {
    Results results = new Results(new Results.Setting(date, "", 2, "", "", "", "", 0));
    results.add(CascadeMetrics.SETUP, Map.of(), "keys", 500e6);
    results.add(CascadeMetrics.MIX_SETUP, Map.of(), "computedFanOut", 56);
    for (String filter : List.of(CascadeMetrics.PAGE_LOCAL, CascadeMetrics.cascade(56))) {
      results.add(
          CascadeMetrics.MIX, Work.ALL.get(0).at(filter), CascadeMetrics.PER_SECOND, perSecond);
    }
    return results;
  }

  @Test
  void sizesAreRead() {
    CascadeBench options = read("--keys", "8.59e9", "--memory", "256m", "--rate", "0.01");
    assertEquals(8_590_000_000L, options.keys);
    assertEquals(256 << 20, options.memoryBytes);
    assertEquals(0.01, options.rate);
    assertFalse(options.isDefault());
    assertTrue(read("--dir", "/elsewhere").isDefault());
    assertTrue(read("--report").isReport());
    assertEquals("_bloom-mix", read("--only", "mix,bloom").variant());
    assertEquals("_quick_mix", read("--quick", "--only", "mix").variant());
    assertEquals("_8590000000-keys", options.variant());
    assertEquals("", read("--dir", "/elsewhere").variant());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--keys many",
        "--keys 12",
        "--memory 1K",
        "--memory 5X",
        "--memory 9999999999G",
        "--rate 0",
        "--fan-out 1",
        "--only everything",
        "--quick --keys 1e6",
        "--beside a.jar",
        "--colour blue",
        "keys"
      })
  void wrongOptionsAreRefused(String arguments) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> read(arguments.split(" ")));
    assertFalse(e.getMessage().isEmpty());
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream());
    assertEquals(64, run(nowhere, arguments.split(" ")));
  }

  @Test
  void helpNamesEveryOption() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    assertEquals(0, run(new PrintStream(bytes, true), "--help"));
    for (String option :
        List.of(
            "keys", "memory", "rate", "dir", "fan-out", "threads", "only", "quick", "json",
            "report")) {
      assertTrue(bytes.toString().contains("--" + option), option);
    }
  }

  /** The bits that the Bloom filters begin with are as many as a full filter has. */
  @ParameterizedTest
  @ValueSource(ints = {1, 32_178, 32_768, 50_000, 65_535})
  void aShareOfRandomBitsIsSet(int fraction) {
    int words = 20_000;
    long set = 0;
    for (int i = 0; i < words; i++) {
      set += Long.bitCount(FlashBlooms.word(i, fraction));
    }
    double bits = 64.0 * words;
    double share = fraction / 65_536.0;
    assertEquals(share, set / bits, 5 * Math.sqrt(share * (1 - share) / bits));
  }
}
