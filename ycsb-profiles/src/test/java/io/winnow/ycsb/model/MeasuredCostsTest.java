package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import io.winnow.ycsb.FilterKind;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** From what a run would measure at known costs to these costs. */
class MeasuredCostsTest {
  /** In the order of {@link CostTerm}. */
  private static final double[] COSTS = {14, 6, 1.4, 0.6, 0.7, 4, 60, 3, 20};

  private static Results run(double noise) {
    Results results =
        new Results(
            new Results.Setting("2026-01-01", "a machine", 2, "an OS", "a JDK", "0", "", 0));
    CostRun.Effort effort = new CostRun.Effort(100_000, 12, 1);
    results.add(CostRun.RUN, Map.of(), "rows", effort.rows());
    Random random = new Random(7);
    for (CostRun.Situation situation : CostRun.situations(effort)) {
      double micros = CostFit.micros(new CostFit.Sample(1, CostTerm.counts(situation)), COSTS);
      for (int round = 0; round < effort.rounds(); round++) {
        double factor = 1 + noise * random.nextGaussian();
        results.add(CostRun.NAME, situation.parameters(), CostRun.MICROS, 2 * micros * factor);
        results.add(CostRun.NAME, situation.parameters(), CostRun.CPU, micros * factor);
      }
    }
    return results;
  }

  @Test
  void aRunTellsAllCostsApart() {
    MeasuredCosts costs = MeasuredCosts.of(run(0));
    for (CostTerm term : CostTerm.values()) {
      double its = COSTS[term.ordinal()];
      assertEquals(its, costs.cost(CostRun.CPU, term).median(), 0.01 * its, term.text());
      assertEquals(2 * its, costs.cost(CostRun.MICROS, term).median(), 0.02 * its, term.text());
    }
    Costs small = costs.costs(8 << 10);
    assertEquals(2 * 3, small.blockMicros(), 0.1);
    assertEquals(2 * 20, small.readMicros(), 0.5);
    assertEquals(2 * 1400, small.probeNanos().get(FilterKind.BLOOM), 20);
    assertEquals(2 * 60, costs.costs(64 << 10).readMicros(), 1);
  }

  @Test
  void withNoiseEachIntervalHasTheCost() {
    MeasuredCosts costs = MeasuredCosts.of(run(0.02));
    for (CostTerm term : CostTerm.values()) {
      PairedRatio cost = costs.cost(CostRun.CPU, term);
      double its = COSTS[term.ordinal()];
      assertTrue(cost.low() <= its && its <= cost.high(), term.text() + ": " + cost.text());
      assertTrue(cost.high() - cost.low() < 0.5 * its + 0.5, term.text() + ": " + cost.text());
    }
  }

  @Test
  void otherResultsAreRefused() {
    Results none =
        new Results(
            new Results.Setting("2026-01-01", "a machine", 2, "an OS", "a JDK", "0", "", 0));
    assertThrows(IllegalArgumentException.class, () -> MeasuredCosts.of(none));
  }
}
