package io.winnow.hbase.contest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class WarmUpTest {

  /** In which window it stands, from 1; 0 if in none. */
  private static int window(IntToDoubleFunction throughput) {
    WarmUp warmUp = new WarmUp();
    for (int window = 1; window <= WarmUp.MAX_WINDOWS; window++) {
      if (warmUp.stands(throughput.applyAsDouble(window))) {
        return window;
      }
    }
    return 0;
  }

  @Test
  void whatStandsFromTheStartIsOverAtOnce() {
    assertEquals(WarmUp.MIN_WINDOWS, window(window -> 1000));
    assertEquals(WarmUp.MIN_WINDOWS, window(window -> window % 2 == 0 ? 900 : 1100), "noise");
  }

  @Test
  void whatRisesIsNotOverBeforeItStands() {
    assertEquals(0, window(window -> 1000 * window), "it rises till the end");
    // It rises till window 20; of windows 19 to 24 the last three are 1.7 % above the first three.
    assertEquals(24, window(window -> 100 * Math.min(window, 20)));
    // A rise of 2 % and less is taken for none.
    assertEquals(WarmUp.MIN_WINDOWS, window(window -> 1000 * Math.pow(1.005, window)));
    assertEquals(0, window(window -> 1000 * Math.pow(1.01, window)));
  }

  @Test
  void fewWindowsCanBeCompared() {
    WarmUp rounds = new WarmUp(2);
    for (double one : new double[] {100, 130, 150, 160}) {
      assertFalse(rounds.stands(one), "it rises");
    }
    assertFalse(rounds.stands(165), "160 and 165 are 16 % above 130 and 150");
    assertFalse(rounds.stands(166), "165 and 166 are 7 % above 150 and 160");
    assertTrue(rounds.stands(165), "166 and 165 are 1.8 % above 160 and 165");
  }
}
