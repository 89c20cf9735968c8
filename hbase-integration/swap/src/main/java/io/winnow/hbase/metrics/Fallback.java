package io.winnow.hbase.metrics;

/** The reason why a file got the stock filter, though its family wants one of ours. */
public enum Fallback {
  /** A setting has a value without a meaning. */
  WRONG_SETTING,
  /** Filters under construction use all the memory that they may. */
  MEMORY_LIMIT,
  /** Our code failed. */
  FAILURE
}
