package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadPlanTest {
  private static final int ROWS = 40_000;

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.25, 1})
  void everyRowIsSomewhereAndItsNewestVersionIsThatOfItsLastFile(double rewritten) {
    int files = 8;
    LoadPlan plan = LoadPlan.of(files, rewritten);
    int[] rowsOf = new int[files];
    for (long index = 0; index < ROWS; index++) {
      long newest = -1;
      for (int file = 0; file < files; file++) {
        if (plan.holds(file, index)) {
          rowsOf[file]++;
          newest = file;
        }
      }
      assertTrue(newest >= 0);
      assertEquals(newest, plan.newestVersion(index));
    }
    double share = 1.0 / files;
    for (int file = 0; file < files; file++) {
      double expected = ROWS * share * (1 + file * rewritten);
      assertEquals(expected, rowsOf[file], 5 * Math.sqrt(expected), "file " + file);
    }
  }

  @Test
  void oneLargeFileAndSmallOnes() {
    double share = 1 / 64.0;
    LoadPlan plan = new LoadPlan(6, 0, share, 1);
    int[] rowsOf = new int[6];
    for (long index = 0; index < ROWS; index++) {
      int newest = (int) plan.newestVersion(index);
      for (int file = 0; file < 6; file++) {
        assertEquals(file == newest, plan.holds(file, index));
      }
      rowsOf[newest]++;
    }
    for (int file = 1; file < 6; file++) {
      assertEquals(ROWS * share, rowsOf[file], 5 * Math.sqrt(ROWS * share), "file " + file);
    }
    assertEquals(ROWS * (1 - 5 * share), rowsOf[0], 5 * Math.sqrt(ROWS * 5 * share));
    assertThrows(IllegalArgumentException.class, () -> new LoadPlan(3, 0, 0.51, 1));
    assertThrows(IllegalArgumentException.class, () -> new LoadPlan(3, 0, 0, 1));
  }

  @Test
  void rowsOfAGroupLieInTheSameFiles() {
    LoadPlan plan = new LoadPlan(13, 0.04, 0.02, 20);
    int second = 0;
    for (long index = 0; index < 20 * ROWS; index++) {
      for (int file = 0; file < 13; file++) {
        assertEquals(plan.holds(file, index / 20 * 20), plan.holds(file, index));
        second += plan.holds(file, index) ? 1 : 0;
      }
      assertEquals(plan.newestVersion(index / 20 * 20), plan.newestVersion(index));
    }
    assertEquals(1.4, second / (20.0 * ROWS), 0.1);
  }

  @Test
  void oneFileHoldsAll() {
    LoadPlan plan = LoadPlan.of(1, 0.5);
    for (long index = 0; index < 100; index++) {
      assertTrue(plan.holds(0, index));
      assertEquals(0, plan.newestVersion(index));
    }
    assertTrue(LoadPlan.timestamp(1) > LoadPlan.timestamp(0));
    assertThrows(IllegalArgumentException.class, () -> LoadPlan.of(0, 0));
    assertThrows(IllegalArgumentException.class, () -> LoadPlan.of(1, 1.5));
    assertThrows(IllegalArgumentException.class, () -> LoadPlan.of(1, Double.NaN));
  }
}
