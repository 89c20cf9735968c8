package io.winnow.hbase.agent;

import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.WinnowMetrics;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What woven code asks when a hook fails that should not: one that cannot be linked, above all.
 *
 * <p>It depends on the JDK alone, but for counting, and throws nothing. The first failure of a JVM
 * is told on standard error, since HBase's log may be what failed.
 */
public final class HookFailures {
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private HookFailures() {}

  /** The hook failed for a file that is written, and stock code goes on. */
  public static void passedOver(Throwable failure) {
    try {
      tell(failure);
      WinnowMetrics.fallback(Fallback.FAILURE);
    } catch (Throwable e) { // nothing is left to be done
    }
  }

  /** The hook failed for a file that is read, and stock code goes on. */
  public static void passedOverRead(Throwable failure) {
    try {
      tell(failure);
      WinnowMetrics.openFailure();
    } catch (Throwable e) { // nothing is left to be done
    }
  }

  /** A hook that no filter hangs on failed, and stock code goes on. */
  public static void skipped(Throwable failure) {
    try {
      tell(failure);
    } catch (Throwable e) { // nothing is left to be done
    }
  }

  /**
   * The hook failed when stock code cannot go on any more: what is to be thrown, by which HBase
   * serves the file without its filter.
   */
  public static Throwable refusal(Throwable failure) {
    if (failure instanceof IOException || failure instanceof IllegalArgumentException) {
      return failure;
    }
    try {
      tell(failure);
      WinnowMetrics.openFailure();
    } catch (Throwable e) { // the refusal itself must go out
    }
    return new IllegalArgumentException("Winnow cannot open this filter", failure);
  }

  private static void tell(Throwable failure) {
    if (TOLD.compareAndSet(false, true)) {
      System.err.println(
          "Winnow: ERROR: a call from HBase fails, so HBase goes on without (said once): "
              + failure);
    }
  }
}
