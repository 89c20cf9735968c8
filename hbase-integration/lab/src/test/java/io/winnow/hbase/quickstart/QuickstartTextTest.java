package io.winnow.hbase.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QuickstartTextTest {
  private static final Results.Setting SETTING =
      new Results.Setting("2026-01-01", "m", 2, "os", "jdk", "c", "./winnow quickstart", 60);

  private static final List<String> METRICS =
      List.of(
          "files",
          "filterBytes",
          "bitsPerKey",
          "readsPerPresentGet",
          "rowsLost",
          "readsPerAbsentGet",
          "filesPerScan");

  private static Results of(long rows, long absentKeys) {
    Results results = new Results(SETTING);
    results.add(QuickstartRun.RUN, Map.of(), "rows", rows);
    results.add(QuickstartRun.RUN, Map.of(), "absentKeys", absentKeys);
    return results;
  }

  /** Adds the figures of one kind of filter, in the order of {@link #METRICS}. */
  private static void add(Results results, String filter, double... figures) {
    for (int i = 0; i < figures.length; i++) {
      if (!Double.isNaN(figures[i])) {
        results.add(QuickstartRun.BENCHMARK, Map.of("filter", filter), METRICS.get(i), figures[i]);
      }
    }
  }

  private static Results large() {
    Results results = of(1_000_000, 500_000);
    add(results, "bloom", 9, 1_310_721, 10.48576, 0.0711, 0, 0.0789, 9);
    add(results, "ribbon", 9, 904_000, 7.232, 0.0101, 3, 0.02, 1.125);
    return results;
  }

  /**
   * Returns the results of two tables of ten rows without a prefix; reads are NaN if no key is
   * absent.
   */
  private static String small(double reads) {
    Results results = of(10, Double.isNaN(reads) ? 0 : 100_000);
    add(results, "bloom", 9, 100, 14, 0, 0, reads);
    add(results, "ribbon", 9, 100, 14, 0, 0, reads);
    return Quickstart.text(results);
  }

  @Test
  void theConclusionComesFirst() {
    assertEquals(
        """

        In this store of 9 files, ribbon takes 0.69 of the memory of HBase's own filters; absent\
         gets read 0.25 times as many files unnecessarily, present gets 0.14 times, and a scan of\
         one prefix reads 1.13 files instead of 9.00.
        File reads of absent gets are counted over 500,000 keys.

        figures of each kind of filter, and over those of bloom
                                                          bloom   ribbon  ribbon/bloom
          store files                                         9        9
          filter bytes                                1,310,721  904,000          0.69
          bits per key                                   10.486    7.232          0.69
          unnecessary file reads, 1,000 absent gets        78.9     20.0          0.25
          unnecessary file reads, 1,000 present gets       71.1     10.1          0.14
          files read by a scan of one prefix               9.00     1.13          0.13
          rows lost                                           0        3
        """,
        Quickstart.text(large()));
  }

  @Test
  void whereNoKeyIsAbsentNothingIsCounted() {
    String text = small(Double.NaN);
    assertTrue(text.contains("absent gets read unknown times as many"), text);
    assertFalse(text.contains(", and a scan of"), text);
    String line = text.lines().filter(one -> one.contains("1,000 absent")).findFirst().get();
    assertTrue(line.matches(" *unnecessary file reads, 1,000 absent gets +- +- +-"), line);
    assertTrue(text.contains("Absent gets are not counted: nothing fits between"), text);
    assertFalse(text.contains("NaN"), text);
  }

  @Test
  void fewRowsShowThatItWorks() {
    for (double rate : new double[] {0.0, 0.01}) {
      String text = small(rate);
      assertTrue(text.contains("With 10 rows this shows only that it works"), text);
      assertTrue(text.contains(" -"), text);
      assertFalse(text.contains("NaN") || text.contains("Infinity"), text);
    }
  }

  /** A count of bytes has more digits than a sample that is measured. */
  @Test
  void countsAreExactInTheResults() throws IOException {
    Results again = Results.ofJson(large().json());
    assertEquals(
        1_310_721,
        again.median(QuickstartRun.BENCHMARK, "filterBytes", "filter", "bloom").orElseThrow());
  }
}
