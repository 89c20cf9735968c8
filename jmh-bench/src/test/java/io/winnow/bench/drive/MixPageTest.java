package io.winnow.bench.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is made of the samples of the mixed loop, and what is asked of them. */
class MixPageTest {
  private static final Work BATCHED = new Work(0.5, true);

  private final Results results =
      new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));

  MixPageTest() {
    results.add(CascadeMetrics.MIX_SETUP, Map.of(), "computedFanOut", 56);
  }

  private void add(String filter, double[] perSecond, double[] pages, double[] drive) {
    results.add(CascadeMetrics.MIX, BATCHED.at(filter), CascadeMetrics.PER_SECOND, perSecond);
    results.add(CascadeMetrics.MIX, BATCHED.at(filter), "pages", pages);
    results.add(CascadeMetrics.MIX, BATCHED.at(filter), "drivePerSecond", drive);
  }

  private static double[] six(double value) {
    double[] values = new double[6];
    Arrays.fill(values, value);
    return values;
  }

  private String page() {
    return CascadeBench.page(results, "").markdown();
  }

  /** Of two sizes with as many events each, where one takes three times as long. */
  @Test
  void eachSizeHasAsManyEvents() {
    add(CascadeMetrics.PAGE_LOCAL, new double[] {30_000, 10_000}, new double[] {1, 3}, six(1));
    add(CascadeMetrics.cascade(56), six(1), six(1), six(1));
    assertTrue(page().contains("| page-local Bloom, 50 % | 15,000 | 2.00 |"), this::page);
    assertTrue(page().contains("| 50 %, one by one | - | - | - |"), this::page);
  }

  /** Size by size: a drive that is slow for a while is slow for both. */
  @Test
  void ratiosAreThoseOfOneSize() {
    double[] drive = {100e3, 100e3, 100e3, 50e3, 50e3, 50e3};
    double[] half = {45e3, 45e3, 45e3, 22.5e3, 22.5e3, 22.5e3};
    double[] whole = {90e3, 90e3, 90e3, 45e3, 45e3, 45e3};
    add(CascadeMetrics.cascade(56), whole, six(1), drive);
    add(CascadeMetrics.PAGE_LOCAL, half, six(2), drive);
    String headline =
        page().lines().filter(line -> line.startsWith("| 50 %, in batches |")).findAny().orElse("");
    assertTrue(headline.contains("| 2.00 (2.00 to 2.00) | 1.00 | 2.00 |"), headline);
    assertTrue(headline.endsWith("| 0.90 (0.90 to 0.90) |"), headline);
    assertTrue(page().contains("| page-local Bloom, 50 % | 30,000 | 2.00 | 0.90 |"), this::page);
  }

  @Test
  void whatIsAskedIsAskedOfTheComputedFanOut() {
    add(CascadeMetrics.cascade(4), six(10e3), six(1), six(100e3));
    add(CascadeMetrics.cascade(56), six(70e3), six(1), six(100e3));
    add(CascadeMetrics.PAGE_LOCAL, six(60e3), six(1), six(100e3));
    results.add(CascadeMetrics.SETUP, Map.of(), "rate", 0.0004);
    results.add(CascadeMetrics.SETUP, Map.of(), "keys", 500e6);
    results.add(CascadeMetrics.SETUP, Map.of(), "memoryBytes", 64 << 20);
    List<Bound> bounds = CascadeBench.page(results, "").bounds();
    assertEquals("**not reached**", verdict(bounds, "of the drive's page reads"));
    assertEquals("reached", verdict(bounds, "over the page-local Bloom filter"));
    assertEquals("not in this run", verdict(bounds, "lookups one at a time during inserts"));
  }

  private static String verdict(List<Bound> bounds, String part) {
    return bounds.stream()
        .filter(bound -> bound.what().contains(part))
        .findFirst()
        .orElseThrow()
        .verdict();
  }

  /** A run without the mixed loop has no section of it, and one without a part no row. */
  @Test
  void whatWasNotRunIsNotShown() {
    Results other = new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));
    Map<String, String> cascade = Map.of(CascadeMetrics.FILTER, CascadeMetrics.CASCADE);
    other.add(CascadeMetrics.DELETES, cascade, CascadeMetrics.PER_SECOND, 480);
    String text = CascadeBench.page(other, "").text();
    assertTrue(text.contains("keys deleted"), text);
    assertFalse(text.contains("de-duplication") || text.contains("NaN"), text);
  }
}
