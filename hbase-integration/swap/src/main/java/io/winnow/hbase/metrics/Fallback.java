package io.winnow.hbase.metrics;

/** The reason why a file got the stock filter, though its family wants one of ours. */
public enum Fallback {
  /** A setting has a value without a meaning. */
  WRONG_SETTING(ServerMetric.FALLBACKS_WRONG_SETTING),
  /** Filters under construction use all the memory that they may. */
  MEMORY_LIMIT(ServerMetric.FALLBACKS_MEMORY_LIMIT),
  /** Our code failed. */
  FAILURE(ServerMetric.FALLBACKS_FAILURE);

  private final ServerMetric metric;

  Fallback(ServerMetric metric) {
    this.metric = metric;
  }

  /** Returns the counter of files with this reason. */
  public ServerMetric metric() {
    return metric;
  }
}
