package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static final long BLOCK = (64 << 10) + 600;
  private static final long INDEX_BLOCK = 128 << 10;

  @Test
  void hotRowsFillTheCacheBesideTheFilters() {
    assertEquals(100, Comparison.hotRows(4_000_000 + 100 * BLOCK, 4_000_000, 0, 1_000_000));
    assertEquals(99, Comparison.hotRows(4_000_000 + 100 * BLOCK - 1, 4_000_000, 0, 1_000_000));
    assertEquals(
        50, Comparison.hotRows(4_000_000 + 100 * BLOCK, 4_000_000, 0, 50), "all there are");
    assertEquals(1, Comparison.hotRows(1_000, 4_000_000, 0, 1_000_000), "one at least");
  }

  @Test
  void hotRowsNeedTheirShareOfTheBlockIndex() {
    long room = 4_000_000 + 100 * (BLOCK + INDEX_BLOCK);
    long hot = Comparison.hotRows(room, 4_000_000, 100_000 * INDEX_BLOCK, 1_000_000);
    assertEquals(100, hot, "an index so large that hardly any of its blocks is shared");
    assertEquals(
        (100 * (BLOCK + INDEX_BLOCK) - INDEX_BLOCK) / BLOCK,
        Comparison.hotRows(room, 4_000_000, INDEX_BLOCK, 1_000_000),
        "one index block for all");
  }

  @Test
  void aDefaultRunIsMeantToTakeTwentyMinutesAtMost() throws IOException {
    double seconds = Comparison.expectedSeconds(YcsbOptions.parse());
    assertTrue(seconds <= 20 * 60, "about " + seconds + " s");
    assertTrue(
        Comparison.expectedSeconds(YcsbOptions.parse("--rounds=10")) > 1.4 * seconds,
        "more rounds take longer");
  }

  @Test
  void aRunOnStoresIsMeantToTakeTwelveMinutesAtMost() {
    double seconds = StoreComparison.expectedSeconds(YcsbOptions.parse("--stores"));
    assertTrue(seconds > 5 * 60 && seconds <= 12 * 60, "about " + seconds + " s");
  }
}
