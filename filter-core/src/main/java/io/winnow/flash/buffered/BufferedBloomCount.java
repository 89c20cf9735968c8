package io.winnow.flash.buffered;

/** Names of the numbers in {@link BufferedBloomFilter#statistics}. */
public enum BufferedBloomCount {
  /**
   * Keys inserted since the filter was created; a key counts as often as it was inserted. After a
   * crash, those until the last sync and those since.
   */
  KEYS,

  /** Keys that are only in memory. */
  WAITING_KEYS,

  /** Deferred probes that are not answered yet. */
  WAITING_PROBES,

  /** Sweeps of blocks that were full, or for a drain or a sync. */
  SWEEPS,

  /** Sweeps of blocks because a probe had waited long enough. */
  TIMEOUTS,

  /** Longest time that a deferred probe waited for its answer. */
  LONGEST_WAIT_NANOS,

  /** Damaged pages that were replaced by pages whose answer is always {@code true}. */
  REPLACED_PAGES,

  /** Probes whose answer was {@code true} because a page could not be read. */
  DOUBTS
}
