package io.winnow.hbase.agent;

import java.util.Set;

/**
 * A part of Winnow that can be on or off in a JVM of HBase, and its name in the agent's messages.
 */
enum Feature {
  /** The replacement of HBase's filters by Winnow's. Without it the agent refuses to start. */
  FILTERS(
      "filters",
      "filters",
      "io/winnow/hbase/hooks/WinnowHooks",
      "io/winnow/hbase/agent/HookFailures"),
  /**
   * The rule that a filter which hbase-site.xml selects is for user tables only, not for system
   * tables.
   */
  SYSTEM_TABLES(
      "system-tables",
      "stock filters of system tables",
      "io/winnow/hbase/hooks/SystemTableHooks",
      "io/winnow/hbase/settings/SystemTables"),
  /** The check of Winnow's settings when a table is created or altered. */
  SETTINGS_CHECK(
      "settings-check",
      "check of settings at create and alter",
      "io/winnow/hbase/hooks/SettingsHooks"),
  /** The publication of Winnow's metrics by a region server. */
  METRICS("metrics", "metrics", "io/winnow/hbase/hooks/ServerHooks"),
  /**
   * The count of false positives: a filter's answer <i>maybe</i> is compared with the cells of the
   * file.
   */
  FALSE_POSITIVES(
      "false-positive-count", "count of false positives", "io/winnow/hbase/hooks/AnswerHooks"),
  /**
   * The skipping of files by a scan, if a filter or key segments rule out all rows between the
   * scan's bounds.
   */
  SCANS(
      "scans",
      "files that scans skip",
      "io/winnow/hbase/hooks/ScanHooks",
      "io/winnow/hbase/hooks/SegmentHooks"),
  /**
   * The skipping of files by the ranges of rows that the filter of a scan states, if files that
   * scans skip are on.
   */
  FILTER_RANGES("filter-ranges", "ranges of filters in scans", "io/winnow/hbase/hooks/RangeHooks"),
  /** The page {@code /winnow} on the region server's web UI, and the link to it. */
  PAGE("page", "page /winnow of the web UI, and the link to it", "io/winnow/hbase/hooks/PageHooks"),
  /**
   * The choice of a filter's false-positive rate by the other files of the store, and of the kind
   * of filter by flush or compaction.
   */
  STORE_RATES(
      "store-rates", "rates by store, filters by occasion", "io/winnow/hbase/hooks/StoreHooks"),
  /**
   * The use of the filter that a family selects by HBase's tools of bulk load, in the files that
   * they write.
   */
  BULK_LOAD(
      "bulk-load", "settings of families in bulk loads", "io/winnow/hbase/hooks/BulkLoadHooks"),
  /**
   * The count of bytes read from the block cache in scan metrics, which HBase has from 2.5.12 and
   * 2.6.4 on.
   */
  SCAN_METRICS(
      "scan-metrics", "bytes from the cache in scan metrics", "io/winnow/hbase/read/ScanMetrics"),
  /**
   * The reuse of a chunk that a filter's reader already holds, instead of another read of its block
   * through HBase's reader.
   */
  REMEMBERED_CHUNKS(
      "short-cut", "short cut to remembered chunks", "io/winnow/hbase/read/CacheWatch");

  /** The name by which the agent's argument switches a feature of Winnow off. */
  final String label;

  private final String words;

  /** The internal names of the classes of Winnow through which this feature is entered. */
  final Set<String> entries;

  /**
   * Creates a feature of Winnow with its names and with the classes of Winnow through which it is
   * entered.
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

  /** Returns true if the agent refuses to start without this feature of Winnow. */
  boolean isRequired() {
    return this == FILTERS;
  }

  /**
   * Returns true if the HBase classes that are woven for this feature of Winnow belong to tools.
   * Many JVMs do not have these classes, so they are checked when they are loaded.
   */
  boolean isOfTools() {
    return this == BULK_LOAD;
  }

  /**
   * Returns the internal name of the HBase class that this feature of Winnow serves, if some HBase
   * versions lack the class; else null. Without the class there is nothing to do, so the feature
   * does not count as off.
   */
  String subject() {
    return this == SCAN_METRICS
        ? "org/apache/hadoop/hbase/monitoring/ThreadLocalServerSideScanMetrics"
        : null;
  }

  /**
   * Returns the advice for an operator if this feature of Winnow is off, as the end of a line of a
   * message.
   */
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

  @Override
  public String toString() {
    return words;
  }
}
