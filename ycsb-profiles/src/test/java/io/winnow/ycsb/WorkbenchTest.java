package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.PairedRatio;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkbenchTest {
  @Test
  void numbersOfRoundsAreOfWholeSets() {
    for (int rounds :
        List.of(
            Ycsb.DEFAULT_ROUNDS,
            Ycsb.OTHER_ROUNDS,
            Ycsb.RATES_ROUNDS,
            Ycsb.SCANS_ROUNDS,
            Comparison.MAX_BUCKET_ROUNDS)) {
      assertEquals(0, rounds % Ycsb.ORDERS, rounds + " rounds");
    }
  }

  @Test
  void eachRoundHasADrawOfItsOwn() {
    Set<Integer> draws = new HashSet<>();
    for (int round = -Workbench.MAX_FIRST_ROUNDS; round < Ycsb.DEFAULT_ROUNDS; round++) {
      draws.add(Workbench.draw(round));
      assertNotEquals(0, Workbench.draw(round), "which would be the first rows");
    }
    assertEquals(Ycsb.DEFAULT_ROUNDS + Workbench.MAX_FIRST_ROUNDS, draws.size());
  }

  @Test
  void anIntervalIsNarrowIfItIsWithinTenPercent() {
    assertTrue(Workbench.isNarrow(new PairedRatio(1, 0.96, 1.05)));
    assertFalse(Workbench.isNarrow(new PairedRatio(1, 0.94, 1.05)));
    assertFalse(Workbench.isNarrow(new PairedRatio(1, 1, 1, 5)), "of too few rounds");
  }
}
