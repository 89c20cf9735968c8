package io.winnow.bench.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is made of the samples of the mixed loop, and what is asked of them. */
class MixFiguresTest {
  private static final Work BATCHED = new Work(0.5, true);

  private final Results results =
      new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));

  MixFiguresTest() {
    results.add(Metrics.MIX_SETUP, Map.of(), "computedFanOut", 56);
  }

  private void add(String filter, double[] perSecond, double[] pages, double[] drive) {
    results.add(Metrics.MIX, BATCHED.at(filter), Metrics.PER_SECOND, perSecond);
    results.add(Metrics.MIX, BATCHED.at(filter), "pages", pages);
    results.add(Metrics.MIX, BATCHED.at(filter), "drivePerSecond", drive);
  }

  private static double[] six(double value) {
    double[] values = new double[6];
    Arrays.fill(values, value);
    return values;
  }

  /** Of two sizes with as many events each, where one takes three times as long. */
  @Test
  void eachSizeHasAsManyEvents() {
    add(Metrics.PAGE_LOCAL, new double[] {30_000, 10_000}, new double[] {1, 3}, six(1));
    MixFigures figures = MixFigures.of(results);
    assertEquals(
        15_000, figures.perSecond(Metrics.PAGE_LOCAL, Work.BATCHED, "50 %").orElseThrow(), 1e-6);
    assertEquals(2, figures.pages(Metrics.PAGE_LOCAL, Work.BATCHED, "50 %").orElseThrow());
    assertTrue(figures.perSecond(Metrics.PAGE_LOCAL, Work.SINGLE, "50 %").isEmpty());
  }

  /** Size by size: a drive that is slow for a while is slow for both. */
  @Test
  void ratiosAreThoseOfOneSize() {
    double[] drive = {100e3, 100e3, 100e3, 50e3, 50e3, 50e3};
    double[] half = {45e3, 45e3, 45e3, 22.5e3, 22.5e3, 22.5e3};
    double[] whole = {90e3, 90e3, 90e3, 45e3, 45e3, 45e3};
    add(Metrics.cascade(56), whole, six(1), drive);
    add(Metrics.PAGE_LOCAL, half, six(2), drive);
    MixFigures figures = MixFigures.of(results);
    assertEquals("0.90 (0.90 to 0.90)", share(figures, figures.computed()));
    assertEquals("0.90 (0.90 to 0.90)", share(figures, Metrics.PAGE_LOCAL));
    assertEquals(
        "2.00 (2.00 to 2.00)",
        figures.over(figures.computed(), Metrics.PAGE_LOCAL, Work.BATCHED, "50 %").text());
  }

  private static String share(MixFigures figures, String filter) {
    return figures.shareOfDrive(filter, Work.BATCHED, "50 %").text();
  }

  @Test
  void whatIsAskedIsAskedOfTheComputedFanOut() {
    add(Metrics.cascade(4), six(10e3), six(1), six(100e3));
    add(Metrics.cascade(56), six(70e3), six(1), six(100e3));
    add(Metrics.PAGE_LOCAL, six(60e3), six(1), six(100e3));
    List<Bound> bounds = new ArrayList<>();
    MixBounds.addTo(bounds, results);
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
    Map<String, String> cascade = Map.of(Metrics.FILTER, Metrics.CASCADE);
    other.add(Metrics.DELETES, cascade, Metrics.PER_SECOND, 480);
    String text = CascadeReport.of(other).text();
    assertTrue(text.contains("keys deleted"), text);
    assertFalse(text.contains("de-duplication") || text.contains("NaN"), text);
  }
}
