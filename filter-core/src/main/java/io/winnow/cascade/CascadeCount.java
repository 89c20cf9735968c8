package io.winnow.cascade;

/** Names of the numbers in {@link CascadeStatistics}. */
public enum CascadeCount {
  /** Keys and tombstones in the memory level that takes inserts now. */
  MEMORY_ENTRIES,

  /** Entries that the memory level has when it is frozen and written to flash. */
  MEMORY_CAPACITY,

  /** Keys and tombstones in the frozen memory level, which is being written to flash. */
  FROZEN_ENTRIES,

  /** Keys and tombstones in the levels on flash. */
  FLASH_ENTRIES,

  /** Bytes of the levels on flash. */
  FLASH_BYTES,

  /** Factor by which a rank's capacity exceeds that of the rank before it. */
  FAN_OUT,

  /** Merges that run now. */
  RUNNING_MERGES,

  /** Inserts and deletes since the opening. */
  OPERATIONS,

  /** Lookups since the opening; each key of a batch counts as one. */
  LOOKUPS,

  /** Pages that lookups read. */
  LOOKUP_READS,

  /** Pages that lookups read beyond the first one of a level, for the same key. */
  CROSSINGS,

  /** Lookups that returned {@code true} because a page could not be read. */
  FAILED_LOOKUPS,

  /** Inserts that waited until the frozen memory level was written. */
  STALLS,

  /** Total time that inserts waited until the frozen memory level was written. */
  STALLED_NANOS,

  /** Total time that inserts waited to let merges keep up. */
  PACED_NANOS,

  /** Longest wait of a single insert, whatever it waited for. */
  LONGEST_WAIT_NANOS,

  /** Keys and tombstones that were written from memory to flash. */
  ENTRIES_FLUSHED,

  /** Keys and tombstones that merges wrote. */
  ENTRIES_MERGED
}
