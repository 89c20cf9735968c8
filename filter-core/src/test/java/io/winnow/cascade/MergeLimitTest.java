package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MergeLimitTest {
  /**
   * Whoever sets a limit far too low by mistake, and then a better one, is not to wait for days.
   */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void anotherLimitForgetsWhatWasTakenUnderTheOneBefore() throws InterruptedException {
    MergeLimit limiter = new MergeLimit();
    limiter.set(1);
    Thread waiting = new Thread(() -> limiter.acquire(1 << 20));
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    limiter.set(1L << 40);
    waiting.join();
    limiter.acquire(1 << 20);
    assertEquals(1L << 40, limiter.bytesPerSecond);
  }
}
