package io.winnow.hbase.agent;

import io.winnow.hbase.metrics.ServerMetric;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Handlers that woven code calls if a hook fails, which happens if the hook cannot be linked.
 *
 * <p>They need the JDK only, except to count, and throw nothing. The first failure of a JVM is
 * reported on standard error, because HBase's log may be the part that failed.
 */
public final class HookFailures {
  private static final AtomicBoolean REPORTED = new AtomicBoolean();

  private HookFailures() {}

  /**
   * Reports and counts the failure of a hook for a file that is written, after which stock code
   * goes on.
   */
  public static void passedOver(Throwable failure) {
    try {
      report(failure);
      ServerMetric.FALLBACKS_FAILURE.count();
    } catch (Throwable e) { // nothing more can be done
    }
  }

  /**
   * Reports and counts the failure of a hook for a file that is read, after which stock code goes
   * on.
   */
  public static void passedOverRead(Throwable failure) {
    try {
      report(failure);
      ServerMetric.OPEN_FAILURES.count();
    } catch (Throwable e) { // nothing more can be done
    }
  }

  /** Reports the failure of a hook that makes no filter, after which stock code goes on. */
  public static void skipped(Throwable failure) {
    try {
      report(failure);
    } catch (Throwable e) { // nothing more can be done
    }
  }

  /**
   * Returns the exception that woven code throws if stock code cannot go on, so that HBase serves
   * the file without its filter.
   */
  public static Throwable refusal(Throwable failure) {
    if (failure instanceof IOException || failure instanceof IllegalArgumentException) {
      return failure;
    }
    try {
      report(failure);
      ServerMetric.OPEN_FAILURES.count();
    } catch (Throwable e) { // the refusal itself must go out
    }
    return new IllegalArgumentException("Winnow cannot open this filter", failure);
  }

  private static void report(Throwable failure) {
    if (REPORTED.compareAndSet(false, true)) {
      System.err.println(
          "Winnow: ERROR: a call from HBase fails, so HBase goes on without (said once): "
              + failure);
    }
  }
}
