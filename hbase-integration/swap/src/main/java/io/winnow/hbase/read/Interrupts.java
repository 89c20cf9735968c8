package io.winnow.hbase.read;

import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Tells a thread that was interrupted while it read from a read that failed: HBase interrupts reads
 * whose caller has gone away, and regions that close.
 */
public final class Interrupts {
  /** Causes may go round in a circle. */
  private static final int MOST_CAUSES = 16;

  private Interrupts() {}

  /** Whether this, or what caused it, is an interrupt; a timeout of a socket is none. */
  public static boolean isOne(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; i < MOST_CAUSES && cause != null; i++) {
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
