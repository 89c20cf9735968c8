package io.winnow.hbase.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** When a chunk that could not be loaded is tried again. */
class LoadFailuresTest {
  @Test
  void pausesGrow() {
    LoadFailures failures = new LoadFailures(2);
    long now = Long.MAX_VALUE - 1000; // as System.nanoTime may be: it overflows in this test
    for (int i = 1; i <= 100; i++) {
      assertTrue(failures.mayTry(1, now), "failure " + i);
      failures.failed(1, now);
      long pause = i <= 3 ? 0 : Math.min(30, Math.max(1, Math.min(i, 40) - 10));
      assertEquals(pause, LoadFailures.pauseSeconds(Math.min(i, 40)));
      if (pause > 0) {
        assertFalse(failures.mayTry(1, now + pause * 1_000_000_000 - 1), "failure " + i);
      }
      now += pause * 1_000_000_000;
      assertTrue(failures.mayTry(0, now), "another chunk");
      if (pause > 0) {
        assertTrue(failures.mayTry(1, now));
        assertFalse(failures.mayTry(1, now), "one tries, others do not wait for it");
        now += pause * 1_000_000_000;
      }
    }
    failures.loaded(1);
    assertEquals(0, failures.inARow(1));
    assertTrue(failures.mayTry(1, now));
  }
}
