package io.winnow.flash.buffered;

import io.winnow.flash.store.IoCounters;
import io.winnow.flash.store.IoMode;

/** A {@link BufferedBloomFilter} at one moment; counts are since it was opened. */
public final class BufferedBloomStatistics {
  private final long keys;
  private final long waitingKeys;
  private final long waitingProbes;
  private final long sweeps;
  private final long timeouts;
  private final long longestWaitNanos;
  private final long replacedPages;
  private final long doubts;
  private final Throwable lastFailure;
  private final IoCounters.Snapshot io;
  private final IoMode ioMode;
  private final double expectedRate;

  public BufferedBloomStatistics(
      long keys,
      long waitingKeys,
      long waitingProbes,
      long sweeps,
      long timeouts,
      long longestWaitNanos,
      long replacedPages,
      long doubts,
      Throwable lastFailure,
      IoCounters.Snapshot io,
      IoMode ioMode,
      double expectedRate) {
    this.keys = keys;
    this.waitingKeys = waitingKeys;
    this.waitingProbes = waitingProbes;
    this.sweeps = sweeps;
    this.timeouts = timeouts;
    this.longestWaitNanos = longestWaitNanos;
    this.replacedPages = replacedPages;
    this.doubts = doubts;
    this.lastFailure = lastFailure;
    this.io = io;
    this.ioMode = ioMode;
    this.expectedRate = expectedRate;
  }

  @Override
  public String toString() {
    return "BufferedBloomStatistics[keys="
        + keys
        + ", waitingKeys="
        + waitingKeys
        + ", waitingProbes="
        + waitingProbes
        + ", sweeps="
        + sweeps
        + ", timeouts="
        + timeouts
        + ", longestWaitNanos="
        + longestWaitNanos
        + ", replacedPages="
        + replacedPages
        + ", doubts="
        + doubts
        + ", lastFailure="
        + lastFailure
        + ", io="
        + io
        + ", ioMode="
        + ioMode
        + ", expectedRate="
        + expectedRate
        + "]";
  }

  /**
   * How many were inserted since the filter was made, each as often as it was; after a crash those
   * until the last sync and those since.
   */
  public long keys() {
    return keys;
  }

  /** Of these, those that are in memory alone. */
  public long waitingKeys() {
    return waitingKeys;
  }

  /** Deferred probes that are not answered yet. */
  public long waitingProbes() {
    return waitingProbes;
  }

  /** How often a block was swept since it was full, or by a drain or a sync. */
  public long sweeps() {
    return sweeps;
  }

  /** How often a block was swept since a probe in it had waited for long enough. */
  public long timeouts() {
    return timeouts;
  }

  /** The longest that a deferred probe waited until it was answered. */
  public long longestWaitNanos() {
    return longestWaitNanos;
  }

  /** Damaged pages that were replaced by ones that answer "present" for ever. */
  public long replacedPages() {
    return replacedPages;
  }

  /** Probes that were answered "present" because a page could not be read. */
  public long doubts() {
    return doubts;
  }

  /**
   * Why a page could not be read or written last, or what a listener threw out of the timer, or
   * null.
   */
  public Throwable lastFailure() {
    return lastFailure;
  }

  /** Reads and writes of pages. */
  public IoCounters.Snapshot io() {
    return io;
  }

  /** Whether they go past the page cache. */
  public IoMode ioMode() {
    return ioMode;
  }

  /** The false-positive rate by the number of keys. */
  public double expectedRate() {
    return expectedRate;
  }
}
