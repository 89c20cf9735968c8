package io.winnow.cascade;

/** The numbers of {@link CascadeStatistics}. */
public enum CascadeCount {
  /** Keys and tombstones that are in the level that takes inserts now. */
  MEMORY_ENTRIES,

  /** How many it has when it is written to flash. */
  MEMORY_CAPACITY,

  /** Those in the level that is being written. */
  FROZEN_ENTRIES,

  /** Those in levels on flash. */
  FLASH_ENTRIES,

  /** Bytes of these levels. */
  FLASH_BYTES,

  /** How many times larger each rank may be than the one before it. */
  FAN_OUT,

  /** Merges under way. */
  RUNNING_MERGES,

  /** Inserts and deletes. */
  OPERATIONS,

  /** Lookups, each key of a batch one. */
  LOOKUPS,

  /** Pages that lookups read. */
  LOOKUP_READS,

  /** Pages among these that were a level's second or later one, for one key. */
  CROSSINGS,

  /** Lookups that were answered "present" since a page could not be read. */
  FAILED_LOOKUPS,

  /** How often an insert had to wait until a level in memory was written. */
  STALLS,

  /** For how long, in all. */
  STALLED_NANOS,

  /** For how long inserts waited so that merges keep up, in all. */
  PACED_NANOS,

  /** The longest wait of one insert, of both kinds. */
  LONGEST_WAIT_NANOS,

  /** Keys and tombstones that left memory. */
  ENTRIES_FLUSHED,

  /** Keys and tombstones that merges wrote. */
  ENTRIES_MERGED
}
