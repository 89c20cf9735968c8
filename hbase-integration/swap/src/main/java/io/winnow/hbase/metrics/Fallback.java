package io.winnow.hbase.metrics;

/** Why a file whose family asked for one of our filters got the stock one. */
public enum Fallback {
  /** A setting has a value that means nothing. */
  WRONG_SETTING,
  /** Filters under construction take all the memory that they may. */
  MEMORY_LIMIT,
  /** Our code failed. */
  FAILURE
}
