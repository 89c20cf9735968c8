package io.winnow.flash.bufferhash;

/** The numbers of {@link BufferHash#statistics}. */
public enum BufferHashCount {
  /** Entries, and marks of deletes, that are in buffers now. */
  BUFFERED_ENTRIES,

  /** Incarnations that are on flash now. */
  INCARNATIONS,

  /** Entries, older ones of the same keys, and marks of deletes in them. */
  FLASH_ENTRIES,

  /** Those of them whose index cannot be read: lookups that have to look there fail. */
  LOST_INCARNATIONS,

  PUTS,
  DELETES,
  LOOKUPS,

  /** Lookups that found a value. */
  HITS,

  /** Those of them that read no page. */
  HITS_IN_MEMORY,

  /** Pages that lookups read. */
  LOOKUP_READS,

  /** Those of them that had nothing of the key: filters' false positives. */
  FALSE_READS,

  /** Lookups that failed, since a page could not be read or was damaged. */
  FAILED_LOOKUPS,

  /** Buffers that were written. */
  INCARNATIONS_WRITTEN,

  /** Incarnations whose slots were taken. */
  INCARNATIONS_EVICTED,

  /** Entries that eviction put back for their priority. */
  RETAINED,

  /**
   * Entries of high priority that went, for there was no room, or a page that had to be read for it
   * was damaged.
   */
  NOT_RETAINED,

  /** Entries that went back to a buffer since a lookup used them. */
  REINSERTED,

  /** How often a put or delete had to wait for a write. */
  WAITS,

  /** For how long, in all. */
  WAITED_NANOS
}
