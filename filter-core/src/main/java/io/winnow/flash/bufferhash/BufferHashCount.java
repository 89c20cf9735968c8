package io.winnow.flash.bufferhash;

/** Names of the numbers in {@link BufferHash#statistics}. */
public enum BufferHashCount {
  /** Entries and tombstones of deletes in buffers. */
  BUFFERED_ENTRIES,

  /** Incarnations on flash. */
  INCARNATIONS,

  /** Entries in incarnations, including older ones of the same keys, and tombstones of deletes. */
  FLASH_ENTRIES,

  /** Incarnations whose index cannot be read: lookups that need them fail. */
  LOST_INCARNATIONS,

  /** Puts since the opening. */
  PUTS,
  /** Deletes since the opening. */
  DELETES,
  /** Lookups since the opening. */
  LOOKUPS,

  /** Lookups that found a value. */
  HITS,

  /** Lookups that found a value in memory and read no page. */
  HITS_IN_MEMORY,

  /** Pages that lookups read. */
  LOOKUP_READS,

  /** Pages that lookups read without a result, because of a filter's false positive. */
  FALSE_READS,

  /** Lookups that failed because a page could not be read or was damaged. */
  FAILED_LOOKUPS,

  /** Buffers that were written to flash as incarnations. */
  INCARNATIONS_WRITTEN,

  /** Incarnations that were evicted. */
  INCARNATIONS_EVICTED,

  /** Entries that eviction put back into a buffer because of their priority. */
  RETAINED,

  /**
   * Entries of high priority that were lost in an eviction, because there was no room or because a
   * necessary page was damaged.
   */
  NOT_RETAINED,

  /** Entries that were put back into a buffer because a lookup used them. */
  REINSERTED,

  /** Waits of puts and deletes for a write. */
  WAITS,

  /** Total time that puts and deletes waited for a write. */
  WAITED_NANOS
}
