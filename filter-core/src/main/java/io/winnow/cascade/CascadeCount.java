package io.winnow.cascade;

/** Names of the state values and counters of a cascade filter in {@link CascadeStatistics}. */
public enum CascadeCount {
  /** Number of keys and tombstones in the memory level that takes inserts now. */
  MEMORY_ENTRIES,

  /** Number of keys and tombstones at which a memory level is frozen and written to flash. */
  MEMORY_CAPACITY,

  /** Number of keys and tombstones in the frozen memory level, which is being written to flash. */
  FROZEN_ENTRIES,

  /** Number of keys and tombstones in all levels on flash. */
  FLASH_ENTRIES,

  /** Number of bytes that all levels on flash take. */
  FLASH_BYTES,

  /**
   * Fan-out of a cascade filter: the factor by which a rank's capacity exceeds that of the rank
   * before it.
   */
  FAN_OUT,

  /** Number of merges of levels that run now. */
  RUNNING_MERGES,

  /** Number of inserts and deletes since the cascade filter was opened. */
  OPERATIONS,

  /** Number of lookups since the cascade filter was opened; each key of a batch counts as one. */
  LOOKUPS,

  /** Number of pages that lookups read from flash. */
  LOOKUP_READS,

  /**
   * Number of pages that lookups read from a level on flash beyond its first one, for the same key.
   */
  CROSSINGS,

  /** Number of lookups that returned {@code true} because a page could not be read. */
  FAILED_LOOKUPS,

  /** Number of inserts that waited until the frozen memory level was written to flash. */
  STALLS,

  /**
   * Nanoseconds that inserts waited in total until the frozen memory level was written to flash.
   */
  STALLED_NANOS,

  /** Nanoseconds that inserts waited in total to let merges keep up. */
  PACED_NANOS,

  /** Nanoseconds of the longest wait of a single insert into a cascade filter, with any cause. */
  LONGEST_WAIT_NANOS,

  /** Number of keys and tombstones that were written from memory to flash. */
  ENTRIES_FLUSHED,

  /** Number of keys and tombstones that merges wrote to flash. */
  ENTRIES_MERGED
}
