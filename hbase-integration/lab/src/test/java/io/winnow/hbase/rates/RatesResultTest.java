package io.winnow.hbase.rates;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.report.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IntSummaryStatistics;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatesResultTest {
  private static final Rates OPTIONS = Program.read(new Rates(), "--flushes", "2");

  private static Moment moment(int flush, long bytes, double sum, long absent, long lost) {
    return new Moment(flush, Moment.FLUSH, 2, 800, bytes, sum, 100, absent, absent / 2, lost);
  }

  private static RatesResult result(int seeds) {
    List<RatesResult.Outcome> outcomes = new ArrayList<>();
    for (Policy policy : List.of(Policy.STOCK, Policy.FILE, Policy.STORE, Policy.store(0.7))) {
      boolean isStock = policy == Policy.STOCK;
      outcomes.add(
          RatesResult.Outcome.of(
              policy,
              13,
              Collections.nCopies(
                  seeds,
                  List.of(
                      moment(1, isStock ? 1000 : 700, 0.02, 2, 0),
                      moment(2, isStock ? 1200 : 800, 0.04, 6, isStock ? 0 : 1)))));
    }
    return new RatesResult(Machine.setting("./winnow rates"), OPTIONS.workload(), outcomes);
  }

  @Test
  void theDocumentHasWhatOthersReadInIt() throws Exception {
    JsonNode policies = new ObjectMapper().readTree(RatesPage.json(result(1))).get("policies");
    assertEquals(
        List.of("stock", "file", "store", "store-0.7"), policies.findValuesAsText("policy"));
    JsonNode file = policies.get(1);
    assertEquals(7.5, file.get("bitsPerKey").doubleValue());
    assertEquals(0.04, file.get("falseReadsPerAbsentGet").doubleValue());
    assertEquals(0.02, file.get("falseReadsPerPresentGet").doubleValue());
    assertEquals(0.03, file.get("sumOfRates").doubleValue());
    assertEquals(1, file.get("rowsLost").longValue());
    assertEquals(0, policies.get(0).get("rowsLost").longValue());
  }

  @Test
  void theDocumentIsReadBack() throws Exception {
    assertEquals(result(1), RatesPage.JSON.readValue(RatesPage.json(result(1)), RatesResult.class));
  }

  private static RatesResult.Workload workload(String options) {
    return Program.read(new Rates(), options.split(" ")).workload();
  }

  @Test
  void flushesDifferAndHaveTheSizeThatIsSetOnAverage() {
    RatesResult.Workload workload = workload("--rows-per-flush 1000 --flushes 1000");
    IntSummaryStatistics rows = Arrays.stream(workload.rowsOfFlushes()).summaryStatistics();
    assertEquals(1000, rows.getCount());
    assertTrue(rows.getMin() >= 300 && rows.getMin() < 330, rows::toString);
    assertTrue(rows.getMax() <= 1700 && rows.getMax() > 1670, rows::toString);
    // Uniform: the standard deviation of the mean of 1000 is 12.8 rows.
    assertEquals(1000, rows.getAverage(), 5 * 12.8);
    assertEquals(80_000 + rows.getSum(), workload.rows(), "with the large file");
    assertEquals(0, workload("--large 0").largeRows());
  }

  @Test
  void theSeedDecides() {
    int[] usual = workload("--seed 13").rowsOfFlushes();
    assertArrayEquals(usual, workload("--large 9").rowsOfFlushes());
    assertFalse(Arrays.equals(usual, workload("--seed 14").rowsOfFlushes()));
  }

  @Test
  void lostRowsOfAllPoliciesAreLost() {
    assertEquals(3, result(1).rowsLost());
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

  /** Seeds that agree have an interval of no width; one seed, and an old result, have none. */
  @Test
  void severalSeedsHaveAnInterval(@TempDir Path directory) throws Exception {
    RatesResult several = result(6);
    assertEquals(several, RatesPage.JSON.readValue(RatesPage.json(several), RatesResult.class));
    assertEquals(18, several.policies().get(2).bySeed().get(5).seed());
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
