package io.winnow.hbase.agent;

import java.util.Set;

/** A part of Winnow that can be on or off in an HBase, and its name in the agent's messages. */
enum Feature {
  /** The swap of filters. Without it the agent refuses to start. */
  FILTERS(
      "filters",
      "filters",
      "io/winnow/hbase/hooks/WinnowHooks",
      "io/winnow/hbase/agent/HookFailures"),
  /** The rule that a site-wide filter is for user tables only. */
  SYSTEM_TABLES(
      "system-tables",
      "stock filters of system tables",
      "io/winnow/hbase/hooks/SystemTableHooks",
      "io/winnow/hbase/settings/SystemTables"),
  /** The check of settings when a table is created or altered. */
  SETTINGS_CHECK(
      "settings-check",
      "check of settings at create and alter",
      "io/winnow/hbase/hooks/SettingsHooks"),
  /** The metrics of a region server. */
  METRICS("metrics", "metrics", "io/winnow/hbase/hooks/ServerHooks"),
  /** The count of false positives: a filter's answer is compared with the cells of the file. */
  FALSE_POSITIVES(
      "false-positive-count", "count of false positives", "io/winnow/hbase/hooks/AnswerHooks"),
  /** The files that a scan skips, because a filter rules out rows between the scan's bounds. */
  SCANS("scans", "files that scans skip", "io/winnow/hbase/hooks/ScanHooks"),
  /** The page on the region server's web UI, and the link to it. */
  PAGE("page", "page /winnow of the web UI, and the link to it", "io/winnow/hbase/hooks/PageHooks"),
  /** The rate of a file by its store, and the filter of a file by flush or compaction. */
  STORE_RATES(
      "store-rates", "rates by store, filters by occasion", "io/winnow/hbase/hooks/StoreHooks"),
  /** The family's filter in files that the tools of bulk load write. */
  BULK_LOAD(
      "bulk-load", "settings of families in bulk loads", "io/winnow/hbase/hooks/BulkLoadHooks"),
  /** The bytes from the cache in scan metrics, which HBase has from 2.5.12 and 2.6.4 on. */
  SCAN_METRICS(
      "scan-metrics", "bytes from the cache in scan metrics", "io/winnow/hbase/read/ScanMetrics"),
  /** The short cut to chunks that a reader holds already. */
  REMEMBERED_CHUNKS(
      "short-cut", "short cut to remembered chunks", "io/winnow/hbase/read/CacheWatch");

  private final String label;
  private final String words;
  private final Set<String> entries;

  /**
   * Names a feature and its classes.
   *
   * @param label its name in the agent's argument
   * @param words its name in messages
   * @param entries internal names of our classes by which it is entered. They may fail to link if
   *     the feature is off, and their callers handle that. The classes that only they use belong to
   *     this feature alone.
   */
  Feature(String label, String words, String... entries) {
    this.label = label;
    this.words = words;
    this.entries = Set.of(entries);
  }

  /** Returns the name by which it is switched off. */
  String label() {
    return label;
  }

  /** Returns true if the agent refuses to start without it. */
  boolean isRequired() {
    return this == FILTERS;
  }

  /**
   * Returns true if the classes of HBase that it weaves belong to tools. Many JVMs do not have
   * these classes, so they are checked when they are loaded.
   */
  boolean isOfTools() {
    return this == BULK_LOAD;
  }

  /**
   * Returns the internal name of the class of HBase that it serves, if not each HBase has the
   * class, else null. Without the class there is nothing to do, so the feature does not count as
   * off.
   */
  String subject() {
    return this == SCAN_METRICS
        ? "org/apache/hadoop/hbase/monitoring/ThreadLocalServerSideScanMetrics"
        : null;
  }

  /** Returns the advice for an operator if the feature is off, as the end of a line. */
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

  /** Returns the internal names of our classes by which it is entered. */
  Set<String> entries() {
    return entries;
  }

  @Override
  public String toString() {
    return words;
  }
}
