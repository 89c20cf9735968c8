package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.cascade.Pacing.Due;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How inserts are held back, by numbers and on a clock that is none. */
class PacingTest {
  private static final double MARGIN = 1.15;

  @Test
  void anOperationTakesItsShareOfWhatIsAhead() {
    Due memory = new Due(100_000, 30, 50_000, 1);
    Due large = new Due(9_000_000, 20, 1_000_000, 3);
    assertEquals(60 * MARGIN, Pacing.nanosPerOperation(List.of(memory), 2.5), 1e-9);
    assertEquals(
        (183 + 2 * 2.5 * 20) * MARGIN, Pacing.nanosPerOperation(List.of(memory, large), 2.5), 1e-9);
    assertEquals(0, Pacing.nanosPerOperation(List.of(), 2.5));
    Due late = new Due(1024, 10, -5, 1);
    assertEquals(20 * MARGIN, Pacing.nanosPerOperation(List.of(late), 2.5), 1e-9);
  }

  @Test
  void looksAreMoreWhereAWaitWouldBeLong() {
    assertEquals(4096, Pacing.operationsUntilNext(0));
    assertEquals(4096, Pacing.operationsUntilNext(4000));
    assertEquals(400, Pacing.operationsUntilNext(50_000));
    assertEquals(1, Pacing.operationsUntilNext(19e6));
    assertEquals(1, Pacing.operationsUntilNext(1e12));
  }

  @Test
  void aWaitIsWhatIsLeftOfTheShare() {
    assertEquals(3_000_000, Pacing.waitNanos(1000, 4096, 1_096_000));
    assertTrue(Pacing.waitNanos(1000, 4096, 5_000_000) <= 0);
    assertEquals(Pacing.MAX_WAIT_NANOS, Pacing.waitNanos(1e12, 4096, 0));
  }

  /**
   * Levels in memory of 100,000 are filled, and each is written with three times as many from the
   * first level, at 5 ns a slot or 100 times the time of the inserts.
   */
  @ParameterizedTest
  @ValueSource(doubles = {5, 50, 500, 5_000, 50_000})
  void noInsertWaitsLongWhateverTheDrive(double nanosPerSlot) {
    long entries = 100_000;
    double nanosPerInsert = 100;
    double now = 0;
    double pacedAt = 0;
    int until = Pacing.OPERATIONS;
    int sincePaced = until;
    int waits = 0;
    double longest = 0;
    double stall = 0;
    for (int level = 0; level < 10; level++) {
      double begun = now;
      double doneAt = begun + 4 * entries * nanosPerSlot;
      for (long i = 1; i <= entries; i++) {
        now += nanosPerInsert;
        if (--until > 0) {
          continue;
        }
        int next = Pacing.OPERATIONS;
        long slots = (long) Math.ceil((doneAt - now) / nanosPerSlot);
        if (slots > 0) {
          double nanos =
              Pacing.nanosPerOperation(List.of(new Due(slots, nanosPerSlot, entries - i, 1)), 2.5);
          long wait = Pacing.waitNanos(nanos, sincePaced, (long) (now - pacedAt));
          if (wait > 0) {
            waits++;
            longest = Math.max(longest, wait);
            now += wait;
          }
          next = Pacing.operationsUntilNext(nanos);
        }
        pacedAt = now;
        until = next;
        sincePaced = next;
      }
      stall = Math.max(stall, doneAt - now);
      now = Math.max(now, doneAt);
    }
    String message = waits + " waits, longest " + longest + " ns, then " + stall + " ns";
    assertTrue(longest <= Pacing.MAX_WAIT_NANOS, message);
    assertTrue(stall < 50_000_000, message);
    assertTrue(nanosPerSlot > 500 || waits <= 10 * entries / 1000, message);
    assertEquals(nanosPerSlot < 25, waits == 0, message);
  }

  @Test
  void whoIsInterruptedWaitsAllTheSame() {
    Thread.currentThread().interrupt();
    long began = System.nanoTime();
    Pacing.await(5_000_000);
    assertTrue(System.nanoTime() - began >= 5_000_000);
    assertTrue(Thread.interrupted(), "and is so afterwards");
    Pacing.await(1);
    assertFalse(Thread.interrupted());
  }
}
