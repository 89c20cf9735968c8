package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** When a line is logged, by a clock that is moved by hand. */
class RepeatedLogTest {
  private static final long INTERVAL = 1000;

  private long now = Long.MAX_VALUE - 5; // nanoTime may be anything, and run over
  private final RepeatedLog log = new RepeatedLog(INTERVAL, () -> now);

  @Test
  void firstOfEachSubjectIsLoggedAtOnce() {
    assertEquals(0, log.next("a"));
    assertEquals(0, log.next("b"));
    assertEquals(RepeatedLog.HELD_BACK, log.next("a"));
  }

  @Test
  void othersAreHeldBackUntilTheIntervalIsOverAndThenCounted() {
    assertEquals(0, log.next("a"));
    for (int i = 0; i < 7; i++) {
      now += INTERVAL / 8;
      assertEquals(RepeatedLog.HELD_BACK, log.next("a"));
    }
    now += INTERVAL / 8;
    assertEquals(7, log.next("a"));
    now += INTERVAL - 1;
    assertEquals(RepeatedLog.HELD_BACK, log.next("a"));
    now += 1;
    assertEquals(1, log.next("a"));
    now += INTERVAL;
    assertEquals(0, log.next("a"));
  }

  @Test
  void subjectsThatCameLastAreRemembered() {
    for (int i = 0; i < RepeatedLog.MAX_SUBJECTS; i++) {
      assertEquals(0, log.next(i));
    }
    assertEquals(RepeatedLog.HELD_BACK, log.next(0));
    assertEquals(0, log.next("one more"));
    assertEquals(RepeatedLog.HELD_BACK, log.next(0));
    assertEquals(0, log.next(1), "forgotten");
  }
}
