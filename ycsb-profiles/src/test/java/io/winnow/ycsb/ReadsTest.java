package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadsTest {
  @Test
  void numbersOfRoundsAreOfWholeSets() {
    for (int rounds :
        List.of(
            Ycsb.DEFAULT_ROUNDS,
            Ycsb.OTHER_ROUNDS,
            Ycsb.RATES_ROUNDS,
            Ycsb.SCANS_ROUNDS,
            Reads.MAX_BUCKET_ROUNDS)) {
      assertEquals(0, rounds % Ycsb.ORDERS, rounds + " rounds");
    }
  }

  @Test
  void eachRoundHasADrawOfItsOwn() {
    Set<Integer> draws = new HashSet<>();
    for (int round = -Workbench.MAX_FIRST_ROUNDS; round < Ycsb.DEFAULT_ROUNDS; round++) {
      draws.add(Reads.draw(round));
      assertNotEquals(0, Reads.draw(round), "which would be the first rows");
    }
    assertEquals(Ycsb.DEFAULT_ROUNDS + Workbench.MAX_FIRST_ROUNDS, draws.size());
  }
}
