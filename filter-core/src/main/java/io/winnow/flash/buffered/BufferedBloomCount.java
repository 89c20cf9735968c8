package io.winnow.flash.buffered;

/** The numbers of {@link BufferedBloomFilter#statistics}. */
public enum BufferedBloomCount {
  /**
   * How many keys were inserted since the filter was made, each as often as it was; after a crash
   * those until the last sync and those since.
   */
  KEYS,

  /** Of these, those that are in memory alone. */
  WAITING_KEYS,

  /** Deferred probes that are not answered yet. */
  WAITING_PROBES,

  /** How often a block was swept since it was full, or by a drain or a sync. */
  SWEEPS,

  /** How often a block was swept since a probe in it had waited for long enough. */
  TIMEOUTS,

  /** The longest that a deferred probe waited until it was answered. */
  LONGEST_WAIT_NANOS,

  /** Damaged pages that were replaced by ones that answer "present" for ever. */
  REPLACED_PAGES,

  /** Probes that were answered "present" because a page could not be read. */
  DOUBTS
}
