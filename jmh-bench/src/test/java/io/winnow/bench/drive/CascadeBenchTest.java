package io.winnow.bench.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.bench.Run;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CascadeBenchTest {
  private static final String COMPUTED = "cascade, fan-out 56";
  private static final String PAGE_LOCAL = "page-local Bloom";

  @TempDir private Path home;

  private CascadeBench bench() {
    return new CascadeBench(home);
  }

  /** The whole command, small: the figures mean nothing, that they are there does. */
  @Test
  void aSmallRunGivesResultsAndFromThemThePage() throws IOException {
    Path json = Benches.measure(bench(), home, "--quick");
    Results results = ResultFiles.read(json);
    assertEquals(0, bench().lost(results));
    List<String> cascades = List.of("cascade", "cascade, tombstones");
    assertEquals(
        List.of(
            "cascade",
            "cascade, tombstones",
            "plain Bloom",
            "elevator Bloom, large requests",
            "elevator Bloom"),
        results.values("cascade.ingest", "filter"));
    for (String filter : cascades) {
      assertEquals(2e6, ingest(results, "operations", filter));
      assertEquals(0, ingest(results, "failedLookups", filter));
      assertEquals(
          CascadeCase.BUCKETS,
          results.samples("cascade.ingest", "bucketSeconds", "filter", filter).length);
    }
    checkMix(results);

    String page =
        Benches.page(
            bench(),
            home,
            json,
            "De-duplication",
            "What a fan-out costs",
            "Inserts",
            "Lookups",
            "What 10 TB of flash would hold");
    assertFalse(page.contains("keys, billions"), "so small a run carries no extrapolation");
    for (String missing :
        List.of(
            "on the drive, in times the memory",
            "times each key was written, by merges",
            "seconds of inserts")) {
      assertTrue(page.contains("| " + missing + " | "), missing);
    }
  }

  private static double ingest(Results results, String metric, String filter) {
    return results.median("cascade.ingest", metric, "filter", filter).orElseThrow();
  }

  /** Each filter does what it is there for, in loops of all kinds. */
  private static void checkMix(Results results) {
    List<String> filters = results.values("cascade.mix", "filter");
    List<String> shares = results.values("cascade.mix", "repeats");
    assertEquals(List.of("0 %", "50 %", "95 %"), shares);
    int computed = (int) results.median("cascade.mix-setup", "computedFanOut").orElseThrow();
    assertTrue(filters.contains(PAGE_LOCAL), filters::toString);
    assertTrue(filters.contains("cascade, fan-out " + computed), filters::toString);
    assertTrue(filters.size() >= 6, filters::toString);
    for (String filter : filters) {
      for (String share : shares) {
        for (String work : List.of("in batches", "one by one")) {
          String what = filter + ", " + share + ", " + work;
          assertTrue(mix(results, "perSecond", filter, share, work).orElse(0) > 0, what);
          assertTrue(mix(results, "drivePerSecond", filter, share, work).orElse(0) > 0, what);
          assertEquals(0, mix(results, "missed", filter, share, work).orElse(-1), what);
          double repeated = mix(results, "repeated", filter, share, work).orElse(-1);
          // On a busy machine a loop may have few events, and none of them a repeat.
          boolean areFew = mix(results, "fresh", filter, share, work).orElse(0) < 20;
          assertTrue(share.equals("0 %") ? repeated == 0 : repeated > 0 || areFew, what);
        }
      }
      double pages = mix(results, "pages", filter, "0 %", "in batches").orElseThrow();
      if (filter.equals(PAGE_LOCAL)) {
        assertEquals(1, pages, 0.01, "a page for each key that does not wait in memory");
      } else {
        assertTrue(pages >= 0.9 && pages <= 8, filter + ": " + pages);
      }
    }
  }

  private static OptionalDouble mix(
      Results results, String metric, String filter, String share, String work) {
    return results.median("cascade.mix", metric, "filter", filter, "repeats", share, "work", work);
  }

  /** A very large run may have one part only; its tables name the others. */
  @ParameterizedTest
  @ValueSource(strings = {"cascade", "tombstones", "bloom", "bloom,cascade"})
  void partsAreRunByThemselves(String parts) throws IOException {
    String[] small = "--keys 50e3 --memory 1M --seconds 0.02 --only".split(" ");
    String[] arguments = Arrays.copyOf(small, small.length + 1);
    arguments[small.length] = parts;
    Results results = ResultFiles.read(Benches.measure(bench(), home, arguments));
    List<String> filters = results.values("cascade.ingest", "filter");
    assertEquals(parts.contains("cascade"), filters.contains("cascade"));
    assertEquals(parts.contains("tombstones"), filters.contains("cascade, tombstones"));
    assertEquals(parts.contains("bloom"), filters.contains("plain Bloom"));
  }

  @Test
  void sizesAreRead() {
    CascadeBench options =
        Program.read(bench(), "--keys", "8.59e9", "--memory", "256m", "--rate", "0.01");
    assertEquals(8_590_000_000L, options.keys);
    assertEquals(256 << 20, options.memoryBytes);
    assertEquals(0.01, options.rate);
  }

  private Run usual(String io, double memoryBytes) {
    Run run = Benches.made();
    run.samples("cascade.setup", "io", io)
        .add("keys", 500e6)
        .add("memoryBytes", memoryBytes)
        .add("rate", 0.0004);
    return run;
  }

  /** A run that carries the extrapolation, without one of the things that make it so. */
  @ParameterizedTest
  @ValueSource(strings = {"", "flashBytes", "levels", "rewrites", "seconds", "io"})
  void tenTerabytesAreComputedFromARunThatCarriesThem(String missing) {
    Run run = usual(missing.equals("io") ? "BUFFERED" : "DIRECT", 64e6);
    double flashBytes = missing.equals("flashBytes") ? 7 * 64e6 : 9 * 64e6;
    run.samples("cascade.ingest", "filter", "cascade")
        .add("flashBytes", flashBytes)
        .add("peakBytes", 2 * flashBytes)
        .add("levels", missing.equals("levels") ? 1 : 2)
        .add("rewrites", missing.equals("rewrites") ? 3.9 : 4)
        .add("seconds", missing.equals("seconds") ? 19 : 21)
        .add("perSecond", 1e7);
    String text = bench().page(run.results, "").text();
    assertEquals(missing.isEmpty(), text.contains("keys, billions"), text);
    assertEquals(!missing.isEmpty(), text.contains("not computed"), text);
  }

  @Test
  void aBoundIsReachedOrNotOrNotMeasured() {
    Run run = usual("DIRECT", 64 << 20);
    run.samples("cascade.ingest", "filter", "cascade").add("perSecond", 5e6);
    run.samples("cascade.ingest", "filter", "elevator Bloom").add("perSecond", 200e3);
    run.samples("cascade.lookup", "filter", "cascade", "work", "absent, batched")
        .add("operations", 1e6)
        .add("positives", 440); // 2 sampling errors
    assertEquals("reached", Benches.verdict(bench(), run, "inserts per second"));
    assertEquals(
        "**not reached**", Benches.verdict(bench(), run, "inserts per second over the elevator"));
    assertEquals(
        "not in this run", Benches.verdict(bench(), run, "inserts per second over the plain"));
    assertEquals("reached", Benches.verdict(bench(), run, "cascade: false-positive rate"));
  }

  @Test
  void runOfAnotherSizeIsHeldToNothingButLostKeys() {
    Run run = usual("DIRECT", 256 << 20);
    run.samples("cascade.ingest", "filter", "cascade").add("perSecond", 5e6);
    List<Bound> bounds = bench().page(run.results, "").bounds();
    assertEquals(List.of("keys lost"), bounds.stream().map(Bound::what).toList());
    assertEquals("not in this run", Benches.verdict(bench(), run, "keys lost"));
  }

  @Test
  void lostKeysAreCounted() {
    Run run = Benches.made();
    for (String work : List.of("present", "left after deletes", "absent")) {
      run.samples("cascade.lookup", "filter", "cascade, tombstones", "work", work)
          .add("operations", 1000)
          .add("positives", 997);
    }
    assertEquals(6, bench().lost(run.results));
    for (String share : List.of("0 %", "50 %")) {
      run.samples("cascade.mix", "filter", PAGE_LOCAL, "repeats", share).add("missed", 2);
    }
    assertEquals(10, bench().lost(run.results));
  }

  private void mix(Run run, String filter, double[] perSecond, double[] pages, double[] drive) {
    run.samples("cascade.mix", "filter", filter, "work", "in batches", "repeats", "50 %")
        .add("perSecond", perSecond)
        .add("pages", pages)
        .add("drivePerSecond", drive);
  }

  private static double[] six(double value) {
    double[] values = new double[6];
    Arrays.fill(values, value);
    return values;
  }

  private Run withMix(double memoryBytes) {
    Run run = usual("DIRECT", memoryBytes);
    run.samples("cascade.mix-setup").add("computedFanOut", 56);
    return run;
  }

  /** Of two sizes with as many events each, one takes three times as long. */
  @Test
  void eachSizeHasAsManyEvents() {
    Run run = withMix(64 << 20);
    mix(run, PAGE_LOCAL, new double[] {30_000, 10_000}, new double[] {1, 3}, six(1));
    mix(run, COMPUTED, six(1), six(1), six(1));
    String page = bench().page(run.results, "").markdown();
    assertTrue(page.contains("| page-local Bloom, 50 % | 15,000 | 2.00 |"), page);
    assertTrue(page.contains("| 50 %, one by one | - | - | - |"), page);
  }

  /** Size by size: a drive that is slow for a while is slow for both. */
  @Test
  void ratiosAreThoseOfOneSize() {
    Run run = withMix(64 << 20);
    double[] drive = {100e3, 100e3, 100e3, 50e3, 50e3, 50e3};
    double[] half = {45e3, 45e3, 45e3, 22.5e3, 22.5e3, 22.5e3};
    double[] whole = {90e3, 90e3, 90e3, 45e3, 45e3, 45e3};
    mix(run, COMPUTED, whole, six(1), drive);
    mix(run, PAGE_LOCAL, half, six(2), drive);
    String page = bench().page(run.results, "").markdown();
    String headline =
        page.lines().filter(line -> line.startsWith("| 50 %, in batches |")).findAny().orElse("");
    assertTrue(headline.contains("| 2.00 (2.00 to 2.00) | 1.00 | 2.00 |"), headline);
    assertTrue(headline.endsWith("| 0.90 (0.90 to 0.90) |"), headline);
    assertTrue(page.contains("| page-local Bloom, 50 % | 30,000 | 2.00 | 0.90 |"), page);
  }

  @Test
  void goalsOfDeduplicationAreThoseOfTheComputedFanOut() {
    Run run = withMix(64 << 20);
    mix(run, "cascade, fan-out 4", six(10e3), six(1), six(100e3));
    mix(run, COMPUTED, six(70e3), six(1), six(100e3));
    mix(run, PAGE_LOCAL, six(60e3), six(1), six(100e3));
    assertEquals("**not reached**", Benches.verdict(bench(), run, "of the drive's page reads"));
    assertEquals("reached", Benches.verdict(bench(), run, "over the page-local Bloom filter"));
    assertEquals(
        "not in this run", Benches.verdict(bench(), run, "lookups one at a time during inserts"));
  }

  /** A run without the mixed loop has no section of it, and one without a part no row. */
  @Test
  void partThatWasNotRunIsNotShown() {
    Run run = Benches.made();
    run.samples("cascade.deletes", "filter", "cascade").add("perSecond", 480);
    String text = bench().page(run.results, "").text();
    assertTrue(text.contains("keys deleted"), text);
    assertFalse(text.contains("de-duplication") || text.contains("NaN"), text);
  }

  /** The bits that the Bloom filters begin with are as many as a full filter has. */
  @ParameterizedTest
  @ValueSource(ints = {1, 32_178, 32_768, 50_000, 65_535})
  void aShareOfRandomBitsIsSet(int fraction) {
    int words = 20_000;
    long set = 0;
    for (int i = 0; i < words; i++) {
      set += Long.bitCount(FlashBloom.word(i, fraction));
    }
    double bits = 64.0 * words;
    double share = fraction / 65_536.0;
    assertEquals(share, set / bits, 5 * Math.sqrt(share * (1 - share) / bits));
  }
}
