package io.winnow.cascade;

import java.util.concurrent.locks.LockSupport;

/**
 * A limit of bytes per second that all merges of a filter share. Unused bytes expire after a tenth
 * of a second, so that a pause is not followed by a burst.
 */
final class MergeLimit {
  private static final long BURST_NANOS = 100_000_000;

  /** Bytes per second, or 0 if there is no limit: there is none at first. */
  volatile long bytesPerSecond;

  private long freeAt = System.nanoTime();

  /**
   * Sets the limit of bytes per second of all merges; 0 means none. Bytes acquired under the former
   * limit no longer count.
   */
  synchronized void set(long limit) {
    bytesPerSecond = limit;
    freeAt = System.nanoTime();
  }

  /** Waits until a merge may read or write a given number of further bytes. */
  void acquire(long bytes) {
    long limit;
    long until;
    synchronized (this) {
      limit = bytesPerSecond;
      if (limit == 0 || bytes == 0) {
        return;
      }
      freeAt = Math.max(freeAt, System.nanoTime() - BURST_NANOS);
      freeAt += (long) (bytes * 1e9 / limit);
      until = freeAt;
    }
    long left;
    while ((left = until - System.nanoTime()) > 0 && bytesPerSecond == limit) {
      LockSupport.parkNanos(Math.min(left, BURST_NANOS));
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
    }
  }
}
