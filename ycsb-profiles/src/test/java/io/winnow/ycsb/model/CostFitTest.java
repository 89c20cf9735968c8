package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class CostFitTest {

  private static CostFit.Sample sample(double blocks, double read, double micros) {
    return new CostFit.Sample(micros, 1, read, blocks);
  }

  @Test
  void exactTimesGiveTheirCosts() {
    assertArrayEquals(
        new double[] {7, 60, 3},
        CostFit.of(
            List.of(
                sample(1, 0.3, 7 + 18 + 3),
                sample(2, 0.5, 7 + 30 + 6),
                sample(0.1, 0, 7.3),
                sample(1, 1, 70))),
        1e-6);
  }

  @Test
  void noCostIsBelowZero() {
    // More blocks looked up take less time: they count for nothing.
    double[] costs =
        CostFit.of(List.of(sample(1, 0.1, 20), sample(4, 0.1, 15), sample(1, 0.9, 110)));
    assertEquals(0, costs[2]);
    assertEquals(110, costs[0] + 0.9 * costs[1], 15);
  }

  @Test
  void oneSampleIsExplainedSomehow() {
    double[] costs = CostFit.of(List.of(sample(1, 0.5, 40)));
    assertEquals(40, costs[0] + 0.5 * costs[1] + costs[2], 1e-9);
  }
}
