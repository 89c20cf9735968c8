package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.PairedRatio;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkbenchTest {
  private static final List<String> TABLES = List.of("a", "b", "c");

  /** Each table is each time equally often first, second and third, and after each other. */
  @Test
  void ordersOfSixRoundsAreBalanced() {
    Map<String, Integer> places = new HashMap<>();
    Map<String, Integer> neighbours = new HashMap<>();
    for (int round = 0; round < Ycsb.DEFAULT_ROUNDS; round++) {
      List<String> order = Workbench.order(TABLES, round);
      assertEquals(Set.copyOf(TABLES), Set.copyOf(order));
      for (int place = 0; place < 3; place++) {
        places.merge(order.get(place) + place, 1, Integer::sum);
        if (place > 0) {
          neighbours.merge(order.get(place - 1) + order.get(place), 1, Integer::sum);
        }
      }
    }
    assertEquals(9, places.size());
    assertEquals(Set.of(Ycsb.DEFAULT_ROUNDS / 3), Set.copyOf(places.values()));
    assertEquals(6, neighbours.size());
    assertEquals(Set.of(Ycsb.DEFAULT_ROUNDS / 3), Set.copyOf(neighbours.values()));
  }

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
  void ordersOfTwoTablesAreBalanced() {
    Map<String, Integer> firsts = new HashMap<>();
    for (int round = 0; round < Ycsb.ORDERS; round++) {
      firsts.merge(Workbench.order(List.of("a", "b"), round).get(0), 1, Integer::sum);
    }
    assertEquals(Map.of("a", 3, "b", 3), firsts);
  }

  @Test
  void anIntervalIsNarrowIfItIsWithinTenPercent() {
    assertTrue(Workbench.isNarrow(new PairedRatio(1, 0.96, 1.05)));
    assertFalse(Workbench.isNarrow(new PairedRatio(1, 0.94, 1.05)));
    assertFalse(Workbench.isNarrow(new PairedRatio(1, 1, 1, 5)), "of too few rounds");
  }
}
