package io.winnow.hbase.agent;

import java.util.Set;

/** What Winnow does in an HBase, by the name that the agent's messages give it. */
enum Feature {
  /** The swap itself. Without it the agent refuses. */
  FILTERS("filters", "io/winnow/hbase/WinnowHooks"),
  /** A site-wide filter is for user tables only. */
  SYSTEM_TABLES("stock filters of system tables", "io/winnow/hbase/SystemTables"),
  /** Settings are checked when a table is created or altered. */
  SETTINGS_CHECK("check of settings at create and alter", "io/winnow/hbase/SettingsCheck"),
  /** A region server tells its metrics. */
  METRICS("metrics", "io/winnow/hbase/metrics/ServerHooks"),
  /** What a filter lets through is compared with what is in the file. */
  FALSE_POSITIVES("count of false positives", "io/winnow/hbase/metrics/AnswerHooks"),
  /** Tools: their classes are often absent, and are looked at when they are loaded. */
  BULK_LOAD("settings of families in bulk loads", "io/winnow/hbase/BulkLoadHooks"),
  /** Not before 2.5.13 and 2.6.3, nor in 3.0.0-beta-1. */
  SCAN_METRICS("bytes from the cache in scan metrics", "io/winnow/hbase/ScanMetrics"),
  /** HBase 2.5 does not tell a reader's cache. */
  REMEMBERED_CHUNKS("short cut to remembered chunks", "io/winnow/hbase/CacheWatch");

  private final String words;
  private final Set<String> entries;

  /**
   * @param words what it is, in messages
   * @param entries internal names of our classes by which it is entered. They may fail to link
   *     where the feature is off, and whoever calls them knows; what they use, only this feature
   *     uses.
   */
  Feature(String words, String... entries) {
    this.words = words;
    this.entries = Set.of(entries);
  }

  /** Whether nothing works without it. */
  boolean isRequired() {
    return this == FILTERS;
  }

  /** Whether its classes are looked at no earlier than when HBase loads them. */
  boolean isOfTools() {
    return this == BULK_LOAD;
  }

  /** What to do without it. */
  String advice() {
    return this == BULK_LOAD
        ? "; name the filter with -Dwinnow.filter=..., or compact the table after the load"
        : "";
  }

  Set<String> entries() {
    return entries;
  }

  @Override
  public String toString() {
    return words;
  }
}
