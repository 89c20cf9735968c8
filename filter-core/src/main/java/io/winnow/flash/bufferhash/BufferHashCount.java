package io.winnow.flash.bufferhash;

/** Names of the state values and counters in {@link BufferHash#statistics}. */
public enum BufferHashCount {
  /** Number of entries and of tombstones of deletes in buffers in memory. */
  BUFFERED_ENTRIES,

  /** Number of incarnations (written buffers) on flash. */
  INCARNATIONS,

  /**
   * Number of entries on flash, including older ones of the same keys, and tombstones of deletes.
   */
  FLASH_ENTRIES,

  /**
   * Number of incarnations (written buffers) whose index cannot be read: lookups that need them
   * fail.
   */
  LOST_INCARNATIONS,

  /** Number of puts since the table was opened. */
  PUTS,
  /** Number of deletes since the table was opened. */
  DELETES,
  /** Number of lookups since the table was opened. */
  LOOKUPS,

  /** Number of lookups that found a value. */
  HITS,

  /** Number of lookups that found a value in memory and read no page. */
  HITS_IN_MEMORY,

  /** Number of pages that lookups read. */
  LOOKUP_READS,

  /** Number of pages that lookups read without a result, because of a filter's false positive. */
  FALSE_READS,

  /** Number of lookups that failed because a page could not be read or was damaged. */
  FAILED_LOOKUPS,

  /** Number of buffers that were written to flash, each as an incarnation. */
  INCARNATIONS_WRITTEN,

  /** Number of incarnations (written buffers) that were evicted from flash. */
  INCARNATIONS_EVICTED,

  /** Number of entries that eviction put back into a buffer because of their priority. */
  RETAINED,

  /**
   * Number of entries of high priority that were lost in an eviction, because there was no room or
   * because a necessary page was damaged.
   */
  NOT_RETAINED,

  /** Number of entries that were put back into a buffer because a lookup used them. */
  REINSERTED,

  /** Number of waits of puts and deletes for the write of a buffer. */
  WAITS,

  /** Nanoseconds that puts and deletes waited in total for the write of a buffer. */
  WAITED_NANOS
}
