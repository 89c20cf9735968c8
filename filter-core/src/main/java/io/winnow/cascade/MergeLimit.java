package io.winnow.cascade;

import java.util.concurrent.locks.LockSupport;

/**
 * Bytes per second, for all merges together. What was not used is lost after a tenth of a second,
 * so that a rest is not followed by a burst.
 */
final class MergeLimit {
  private static final long BURST_NANOS = 100_000_000;

  private volatile long bytesPerSecond;
  private long freeAt = System.nanoTime();

  MergeLimit(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** 0 is no limit. What was taken under the limit before does not count any more. */
  synchronized void set(long limit) {
    bytesPerSecond = limit;
    freeAt = System.nanoTime();
  }

  long get() {
    return bytesPerSecond;
  }

  /** Returns when {@code bytes} more bytes may go. */
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
