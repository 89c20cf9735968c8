package io.winnow.flash.buffered;

import io.winnow.flash.store.FieldText;
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

  BufferedBloomStatistics(BufferedBloomFile file, long keys, BlockSweeps blocks) {
    BufferedBloomCounters counters = file.counters;
    this.keys = keys;
    this.waitingKeys = blocks.sum(block -> block.adds);
    this.waitingProbes = blocks.sum(BufferBlock::probes);
    this.sweeps = counters.sweeps.sum();
    this.timeouts = counters.timeouts.sum();
    this.longestWaitNanos = counters.longestWait.get();
    this.replacedPages = counters.replacedPages.sum();
    this.doubts = counters.doubts.sum();
    this.lastFailure = counters.lastFailure;
    this.io = file.pages.counters().snapshot();
    this.ioMode = file.pages.mode();
    this.expectedRate = file.sizing.expectedRate(keys);
  }

  @Override
  public String toString() {
    return FieldText.of(this);
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
