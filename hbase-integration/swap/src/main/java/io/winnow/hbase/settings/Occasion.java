package io.winnow.hbase.settings;

/** Reason for which a store file is written. */
public enum Occasion {
  /** Flush of a memstore: the file is small, and soon compacted away. */
  FLUSH,
  /** Compaction of some of a store's files. */
  MINOR_COMPACTION,
  /**
   * Compaction of all files of a store, or an unknown reason: a bulk load, a tool, a file of
   * another kind.
   */
  OTHER
}
