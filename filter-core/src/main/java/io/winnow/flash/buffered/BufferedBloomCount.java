package io.winnow.flash.buffered;

/** Names of the state values and counters in {@link BufferedBloomFilter#statistics}. */
public enum BufferedBloomCount {
  /**
   * Number of keys inserted since the filter was created; a key counts as often as it was inserted.
   * After a crash, those until the last sync and those since.
   */
  KEYS,

  /** Number of keys that are only in memory. */
  WAITING_KEYS,

  /** Number of deferred probes that are not answered yet. */
  WAITING_PROBES,

  /**
   * Number of sweeps of blocks of waiting keys and probes that were full, or for a drain or a sync.
   */
  SWEEPS,

  /** Number of sweeps of blocks because a deferred probe had waited long enough. */
  TIMEOUTS,

  /** Nanoseconds of the longest time that a deferred probe waited for its answer. */
  LONGEST_WAIT_NANOS,

  /** Number of damaged pages that were replaced by pages whose answer is always {@code true}. */
  REPLACED_PAGES,

  /** Number of probes whose answer was {@code true} because a page could not be read. */
  DOUBTS
}
