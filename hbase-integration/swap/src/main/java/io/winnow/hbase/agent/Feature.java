package io.winnow.hbase.agent;

import java.util.Set;

/** What Winnow does in an HBase, by the name that the agent's messages give it. */
enum Feature {
  /** The swap itself. Without it the agent refuses. */
  FILTERS(
      "filters",
      "filters",
      "io/winnow/hbase/hooks/WinnowHooks",
      "io/winnow/hbase/agent/HookFailures"),
  /** A site-wide filter is for user tables only. */
  SYSTEM_TABLES(
      "system-tables",
      "stock filters of system tables",
      "io/winnow/hbase/hooks/SystemTableHooks",
      "io/winnow/hbase/settings/SystemTables"),
  /** Settings are checked when a table is created or altered. */
  SETTINGS_CHECK(
      "settings-check",
      "check of settings at create and alter",
      "io/winnow/hbase/hooks/SettingsHooks"),
  /** A region server tells its metrics. */
  METRICS("metrics", "metrics", "io/winnow/hbase/hooks/ServerHooks"),
  /** What a filter lets through is compared with what is in the file. */
  FALSE_POSITIVES(
      "false-positive-count", "count of false positives", "io/winnow/hbase/hooks/AnswerHooks"),
  /** A scan skips files in which a filter knows no row between the scan's bounds. */
  SCANS("scans", "files that scans skip", "io/winnow/hbase/hooks/ScanHooks"),
  /** The region server's web pages have one of ours, and a link to it. */
  PAGE("page", "page /winnow of the web UI, and the link to it", "io/winnow/hbase/hooks/PageHooks"),
  /** A file's rate comes from what a Get pays in its store, and its filter from the occasion. */
  STORE_RATES(
      "store-rates", "rates by store, filters by occasion", "io/winnow/hbase/hooks/StoreHooks"),
  /** The tools of bulk load know what filter a family asks for. */
  BULK_LOAD(
      "bulk-load", "settings of families in bulk loads", "io/winnow/hbase/hooks/BulkLoadHooks"),
  /** HBase has such metrics from 2.5.12 and 2.6.4 on. */
  SCAN_METRICS(
      "scan-metrics", "bytes from the cache in scan metrics", "io/winnow/hbase/read/ScanMetrics"),
  REMEMBERED_CHUNKS(
      "short-cut", "short cut to remembered chunks", "io/winnow/hbase/read/CacheWatch");

  private final String label;
  private final String words;
  private final Set<String> entries;

  /**
   * @param label what the agent's argument calls it
   * @param words what it is, in messages
   * @param entries internal names of our classes by which it is entered. They may fail to link
   *     where the feature is off, and whoever calls them knows; what they use, only this feature
   *     uses.
   */
  Feature(String label, String words, String... entries) {
    this.label = label;
    this.words = words;
    this.entries = Set.of(entries);
  }

  /** The name by which it is switched off. */
  String label() {
    return label;
  }

  /** Whether nothing works without it. */
  boolean isRequired() {
    return this == FILTERS;
  }

  /**
   * Whether the classes of HBase that it weaves belong to tools. Many JVMs do not have these, so
   * they are looked at when they are loaded.
   */
  boolean isOfTools() {
    return this == BULK_LOAD;
  }

  /**
   * The internal name of the class that it is about, if not each HBase has one. Without the class
   * there is nothing to do, and so nothing is off.
   */
  String subject() {
    return this == SCAN_METRICS
        ? "org/apache/hadoop/hbase/monitoring/ThreadLocalServerSideScanMetrics"
        : null;
  }

  /** What to do without it. */
  String advice() {
    switch (this) {
      case BULK_LOAD:
        return "; name the filter with -Dwinnow.filter=..., or compact the table after the load";
      case PAGE:
        return "; look for the page at /winnow";
      default:
        return "";
    }
  }

  Set<String> entries() {
    return entries;
  }

  @Override
  public String toString() {
    return words;
  }
}
