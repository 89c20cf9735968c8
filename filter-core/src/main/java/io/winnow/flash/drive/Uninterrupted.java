package io.winnow.flash.drive;

import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/**
 * Waits of a thread that an interrupt does not end. The thread stays interrupted afterwards.
 * Otherwise an interrupted insert would end halfway, and the caller would not know whether it was
 * done.
 */
public final class Uninterrupted {
  private Uninterrupted() {}

  /** A wait that an interrupt ends. */
  private interface Wait {
    /** Waits for an event, and ends at an interrupt. */
    void await() throws InterruptedException;
  }

  /**
   * Waits on a monitor, which the caller holds, until a condition is true, and goes on waiting
   * after an interrupt.
   */
  public static void await(Object monitor, BooleanSupplier condition) {
    through(
        () -> {
          while (!condition.getAsBoolean()) {
            monitor.wait();
          }
        });
  }

  /** Waits until a thread has ended, and goes on waiting after an interrupt. */
  public static void join(Thread thread) {
    through(thread::join);
  }

  /** Waits until a latch is at 0, and goes on waiting after an interrupt. */
  public static void await(CountDownLatch latch) {
    through(latch::await);
  }

  /** Repeats a wait after each interrupt, until it ends by itself. */
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
