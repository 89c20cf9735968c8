package io.winnow.flash.store;

import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/**
 * Waits that an interrupt does not end. The thread stays interrupted afterwards. Otherwise an
 * interrupted insert would end halfway, and the caller would not know whether it was done.
 */
public final class Uninterrupted {
  private Uninterrupted() {}

  /** An interruptible wait. */
  private interface Wait {
    /** Waits; it is called again after an interrupt. */
    void await() throws InterruptedException;
  }

  /** Waits on a monitor, which the caller holds, until a condition is true. */
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

  /** Repeats a wait until no interrupt ends it. */
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
