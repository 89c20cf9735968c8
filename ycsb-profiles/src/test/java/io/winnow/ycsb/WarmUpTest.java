package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class WarmUpTest {

  /** In which window it stands, from 1; 0 if in none. */
  private static int window(IntToDoubleFunction throughput) {
    WarmUp warmUp = new WarmUp();
    for (int window = 1; window <= WarmUp.MOST_WINDOWS; window++) {
      if (warmUp.stands(throughput.applyAsDouble(window))) {
        return window;
      }
    }
    return 0;
  }

  @Test
  void whatStandsFromTheStartIsOverAtOnce() {
    assertEquals(WarmUp.LEAST_WINDOWS, window(window -> 1000));
    assertEquals(WarmUp.LEAST_WINDOWS, window(window -> window % 2 == 0 ? 900 : 1100), "noise");
  }

  @Test
  void whatRisesIsNotOverBeforeItStands() {
    assertEquals(0, window(window -> 1000 * window), "it rises till the end");
    // It rises till window 20; of windows 19 to 24 the last three are 1.7 % above the first three.
    assertEquals(24, window(window -> 100 * Math.min(window, 20)));
    // A rise of 2 % and less is taken for none.
    assertEquals(WarmUp.LEAST_WINDOWS, window(window -> 1000 * Math.pow(1.005, window)));
    assertEquals(0, window(window -> 1000 * Math.pow(1.01, window)));
  }
}
