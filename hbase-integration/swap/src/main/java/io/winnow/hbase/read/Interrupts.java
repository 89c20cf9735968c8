package io.winnow.hbase.read;

import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Checks that a read failed because its thread was interrupted: HBase interrupts reads whose caller
 * has gone away, and regions that close.
 */
public final class Interrupts {
  /** Maximum number of an exception's causes that are followed: they may form a circle. */
  private static final int MAX_CAUSES = 16;

  private Interrupts() {}

  /**
   * Returns true if an exception or one of its causes is an interrupt of the thread. A timeout of a
   * socket is none.
   */
  public static boolean isOne(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof InterruptedException
          || cause instanceof ClosedByInterruptException
          || (cause instanceof InterruptedIOException
              && !(cause instanceof SocketTimeoutException))) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
