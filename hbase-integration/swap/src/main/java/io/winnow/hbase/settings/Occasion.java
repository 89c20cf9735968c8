package io.winnow.hbase.settings;

/** Why a store file is written. */
public enum Occasion {
  /** A memstore is flushed: the file is small, and soon compacted away. */
  FLUSH,
  /** Some of a store's files become one. */
  MINOR_COMPACTION,
  /**
   * All of a store's files become one, or nobody can tell: a bulk load, a tool, a file of another
   * kind.
   */
  OTHER
}
