package io.winnow.hbase.settings;

/** Reason for which a store file is written: flush, minor compaction or another. */
public enum Occasion {
  /** Flush of a memstore, which writes a small file that is soon compacted away. */
  FLUSH,
  /** Minor compaction, which rewrites some of a store's files. */
  MINOR_COMPACTION,
  /**
   * Major compaction, which rewrites all files of a store, or an unknown reason: a bulk load, a
   * tool, a file of another kind.
   */
  OTHER
}
