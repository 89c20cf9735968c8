package io.winnow.hbase.metrics;

/**
 * Reason why a store file got the stock filter, though the settings of its family select a Winnow
 * filter.
 */
public enum Fallback {
  /** Fallback to the stock filter because a setting has a value that is not allowed. */
  WRONG_SETTING(ServerMetric.FALLBACKS_WRONG_SETTING),
  /**
   * Fallback to the stock filter because filters under construction use all the memory that they
   * may.
   */
  MEMORY_LIMIT(ServerMetric.FALLBACKS_MEMORY_LIMIT),
  /** Fallback to the stock filter because Winnow's code failed. */
  FAILURE(ServerMetric.FALLBACKS_FAILURE);

  /** The metric that counts the files with the stock filter for one reason. */
  public final ServerMetric metric;

  Fallback(ServerMetric metric) {
    this.metric = metric;
  }
}
