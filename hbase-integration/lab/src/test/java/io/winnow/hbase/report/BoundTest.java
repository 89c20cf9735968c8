package io.winnow.hbase.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Table;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundTest {
  @Test
  void figureIsOnOneSideOrTheOther() {
    assertEquals("reached", new Bound("", true, 1, 1, 2).verdict());
    assertEquals("**not reached**", new Bound("", true, 1, 1.01, 2).verdict());
    assertEquals("**not reached**", new Bound("", false, 1, 0.9, 2).verdict());
    assertEquals("not in this run", new Bound("", true, 1, Double.NaN, 2).verdict());
  }

  /** A ratio of 0.9 is not known to be below 1 if it may as well be 1.1. */
  @Test
  void ratioCountsWithItsWholeInterval() {
    PairedRatio low = new PairedRatio(0.9, 0.8, 1);
    PairedRatio wide = new PairedRatio(0.9, 0.8, 1.1);
    PairedRatio high = new PairedRatio(1.2, 1.1, 1.3);
    assertEquals("reached", new Bound("", true, 1, low).verdict());
    assertEquals("**not certain**", new Bound("", true, 1, wide).verdict());
    assertEquals("**not reached**", new Bound("", true, 1, high).verdict());
    assertEquals("**not reached**", new Bound("", false, 1.01, low).verdict());
    assertEquals("**not certain**", new Bound("", false, 1, wide).verdict());
    assertEquals("reached", new Bound("", false, 1, high).verdict());
    PairedRatio none = PairedRatio.of(new double[0], new double[0]);
    assertEquals("not in this run", new Bound("", true, 1, none).verdict());
  }

  @Test
  void tableShowsTheInterval() {
    Table table =
        Bound.table(List.of(new Bound("wall time", true, 1, new PairedRatio(0.9, 0.8, 1.1))));
    assertTrue(
        table
            .markdown()
            .contains("| wall time | at most 1.00 | 0.90 (0.80 to 1.10) | **not certain** |"),
        table.markdown());
  }
}
