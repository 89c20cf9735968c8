package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class CountingTurnTest {
  private static final int FILES = 4;

  private final List<String> told = new ArrayList<>();

  private static Turn.Outcome outcome(long rows, double filesAsked, boolean settled) {
    return new Turn.Outcome(
        1,
        true,
        1,
        new Histogram(3),
        rows,
        new ServerCounters(Map.of("bloomFilterRequestsCount", Math.round(rows * filesAsked)), 0),
        settled);
  }

  private CountingTurn make(Turn.Outcome... outcomes) throws Exception {
    Iterator<Turn.Outcome> all = List.of(outcomes).iterator();
    return CountingTurn.of("lindorm", FILES, all::next, told::add);
  }

  @Test
  void aTurnAsPlannedCountsAtOnce() throws Exception {
    Turn.Outcome planned = outcome(1000, 4, true);
    assertEquals(new CountingTurn(planned, 0), make(planned));
    assertEquals(0, make(outcome(1000, 3.97, true)).repeats());
    assertEquals(0, make(outcome(1000, 4.03, true)).repeats());
    assertEquals(List.of(), told);
  }

  @Test
  void turnsThatCannotCountAreMadeAgain() throws Exception {
    Turn.Outcome planned = outcome(1000, 4, true);
    CountingTurn counting =
        make(
            outcome(1000, 3.77, true),
            outcome(1000, 5.52, true),
            outcome(1000, 4, false),
            outcome(0, 4, true),
            planned);
    assertSame(planned, counting.outcome());
    assertEquals(4, counting.repeats());
    assertTrue(told.get(0).contains("3.77 files, of 4"), told.get(0));
    assertTrue(told.get(1).contains("5.52 files"), told.get(1));
    assertTrue(told.get(2).contains("did not stand still"), told.get(2));
    assertTrue(told.get(3).contains("no row"), told.get(3));
  }

  @Test
  void noneThatCountsEndsTheRun() {
    Turn.Outcome[] wrong = new Turn.Outcome[CountingTurn.MAX_TRIES + 1];
    java.util.Arrays.fill(wrong, outcome(1000, 2.17, true));
    IOException e = assertThrows(IOException.class, () -> make(wrong));
    assertTrue(e.getMessage().startsWith("lindorm: none of 5 turns can count"), e.getMessage());
    assertTrue(e.getMessage().contains("2.17 files"), e.getMessage());
    assertEquals(CountingTurn.MAX_TRIES, told.size());
  }
}
