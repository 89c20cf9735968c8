package io.winnow.hbase.standalone;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Steps that are done when this JVM ends in any way but a kill, one after the other. The last that
 * was added comes first: servers end before the directory in which they work is deleted. The JVM's
 * own shutdown hooks would run at the same time. Thread-safe.
 */
final class EndOfJvm {
  private static final Deque<Runnable> STEPS = new ArrayDeque<>();
  private static boolean isHooked;
  private static boolean isOver;

  private EndOfJvm() {}

  /** Work whose result needs a step at the end of this JVM. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws IOException;
  }

  /**
   * Does work that makes something and adds the step that ends it. If this JVM ends meanwhile, the
   * steps wait for the work.
   *
   * @throws IllegalStateException if this JVM is going down already: nothing is done
   */
  static synchronized <T> T before(Work<T> work) throws IOException {
    if (isOver) {
      throw new IllegalStateException("this JVM is going down");
    }
    if (!isHooked) {
      Runtime.getRuntime().addShutdownHook(new Thread(EndOfJvm::run, "winnow-end"));
      isHooked = true;
    }
    return work.run();
  }

  /** Adds a step, within {@link #before}. */
  static synchronized void add(Runnable step) {
    STEPS.push(step);
  }

  /** Removes a step that is done already. */
  static synchronized void remove(Runnable step) {
    STEPS.remove(step);
  }

  private static synchronized Runnable next() {
    isOver = true;
    return STEPS.poll();
  }

  private static void run() {
    for (Runnable step = next(); step != null; step = next()) {
      try {
        step.run();
      } catch (RuntimeException | Error e) {
        // the other steps must run
      }
    }
  }
}
