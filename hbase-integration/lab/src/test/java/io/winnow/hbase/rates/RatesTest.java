package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatesTest {
  private static final Rates OPTIONS = Program.read(new Rates(), "--flushes", "2");

  private static Moment moment(long bytes, double sum, long absent, long lost) {
    return new Moment(2, bytes / 100.0, sum, absent / 100.0, absent / 200.0, lost);
  }

  private static Results result(int seeds) {
    Results results = new Results(Machine.setting("./winnow rates"));
    OPTIONS.addOptionsTo(results);
    for (Policy policy : List.of(Policy.STOCK, Policy.FILE, Policy.STORE, Policy.store(0.7))) {
      boolean isStock = policy == Policy.STOCK;
      for (int seed = 0; seed < seeds; seed++) {
        Rates.add(
            results,
            policy,
            List.of(
                moment(isStock ? 1000 : 700, 0.02, 2, 0),
                moment(isStock ? 1200 : 800, 0.04, 6, isStock ? 0 : 1)));
      }
    }
    return results;
  }

  @Test
  void theDocumentHasWhatOthersReadInIt() throws Exception {
    Results read = Results.ofJson(result(1).json());
    assertEquals(
        List.of("stock", "file", "store", "store-0.7"), read.values(Rates.BENCHMARK, "filters"));
    Map.of(
            "bitsPerKey",
            7.5,
            "falseReadsPerAbsentGet",
            0.04,
            "falseReadsPerPresentGet",
            0.02,
            "sumOfRates",
            0.03,
            "rowsLost",
            1.0)
        .forEach(
            (metric, value) ->
                assertArrayEquals(
                    new double[] {value},
                    read.samples(Rates.BENCHMARK, metric, "filters", "file"),
                    metric));
    assertEquals(0, read.sum(Rates.BENCHMARK, "rowsLost", "filters", "stock"));
  }

  private static Rates options(String words) {
    return Program.read(new Rates(), words.split(" "));
  }

  @Test
  void flushesDifferAndHaveTheSizeThatIsSetOnAverage() {
    Rates options = options("--rows-per-flush 1000 --flushes 1000");
    IntSummaryStatistics rows = Arrays.stream(options.rowsOfFlushes(13)).summaryStatistics();
    assertEquals(1000, rows.getCount());
    assertTrue(rows.getMin() >= 300 && rows.getMin() < 330, rows::toString);
    assertTrue(rows.getMax() <= 1700 && rows.getMax() > 1670, rows::toString);
    // Uniform: the standard deviation of the mean of 1000 is 12.8 rows.
    assertEquals(1000, rows.getAverage(), 5 * 12.8);
    assertEquals(80_000 + rows.getSum(), options.rows(13), "with the large file");
    assertEquals(0, options("--large 0").largeRows());
  }

  @Test
  void theSeedDecides() {
    int[] usual = OPTIONS.rowsOfFlushes(13);
    assertArrayEquals(usual, options("--flushes 2 --large 9").rowsOfFlushes(13));
    assertFalse(Arrays.equals(usual, OPTIONS.rowsOfFlushes(14)));
  }

  @Test
  void boundsAreJudged() {
    String bounds = RatesPage.of(result(1), true).text();
    assertTrue(
        bounds.lines().anyMatch(l -> l.matches(" *absent Gets, over stock .* 1.00 .*not.*")),
        bounds);
    assertTrue(
        bounds.lines().anyMatch(l -> l.matches(" *bytes, over stock .* 0.68 +reached")), bounds);
  }

  /** Seeds that agree have an interval of no width; one seed has none. */
  @Test
  void severalSeedsHaveAnInterval(@TempDir Path directory) throws Exception {
    Results several = result(6);
    String bounds = RatesPage.of(several, true).text();
    assertTrue(
        bounds
            .lines()
            .anyMatch(l -> l.matches(" *bytes, over stock .* 0.68 \\(0.68 to 0.68\\) .*")),
        bounds);
    RatesPage.of(several, true).writePlots(directory);
    String plot = Files.readString(directory.resolve("store-rates-bits.svg"));
    assertTrue(plot.contains(">7.50 (7.50 to 7.50)<"), plot);
    assertTrue(plot.contains("of 6 seeds"), plot);
    RatesPage.of(result(1), true).writePlots(directory);
    plot = Files.readString(directory.resolve("store-rates-bits.svg"));
    assertTrue(plot.contains(">7.50<") && !plot.contains("seeds"), plot);
  }
}
