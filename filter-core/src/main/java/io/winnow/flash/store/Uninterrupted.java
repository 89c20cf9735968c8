package io.winnow.flash.store;

import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/**
 * Waits that an interrupt does not end: the thread finds itself interrupted afterwards. An insert
 * that gave up half-way would have to say whether it was done.
 */
public final class Uninterrupted {
  private Uninterrupted() {}

  private interface Wait {
    /** Waits; called again after an interrupt. */
    void await() throws InterruptedException;
  }

  /** With a monitor: waits for notifications until something is so. */
  public static void await(Object monitor, BooleanSupplier condition) {
    through(
        () -> {
          while (!condition.getAsBoolean()) {
            monitor.wait();
          }
        });
  }

  /** Waits until a thread has ended. */
  public static void join(Thread thread) {
    through(thread::join);
  }

  /** Waits until a latch is at 0. */
  public static void await(CountDownLatch latch) {
    through(latch::await);
  }

  private static void through(Wait wait) {
    boolean interrupted = false;
    while (true) {
      try {
        wait.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
