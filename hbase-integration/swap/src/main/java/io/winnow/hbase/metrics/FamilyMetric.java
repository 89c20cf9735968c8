package io.winnow.hbase.metrics;

import java.util.function.ToLongBiFunction;

/**
 * The metrics of a column family's filters that are published for each family and as a sum over all
 * families. A new one is a line here. Scans by the length of their prefix are published apart, by
 * {@link ServerMetrics}.
 */
enum FamilyMetric {
  /** Number of queries of HBase to the filters of a column family. */
  FILTER_REQUESTS(
      "filterRequests", "Times a filter was queried", (family, requests) -> requests.requests),
  /** Number of answers <i>absent</i> to queries of HBase to the filters of a column family. */
  FILTER_NEGATIVES(
      "filterNegatives",
      "Times a filter ruled out a file",
      (family, requests) -> requests.negatives),
  /** Number of Gets whose row lies between the first and the last row of a file of the family. */
  GETS(
      "gets",
      "Gets whose row lies between the first and the last row of a file",
      (family, requests) -> family.gets.sum()),
  /**
   * Number of answers <i>maybe</i> of a family's filters to Gets, for keys that the file does not
   * have.
   */
  FALSE_POSITIVES(
      "falsePositives",
      "Files read unnecessarily: the filter answered maybe, and the key was not there",
      (family, requests) -> family.falsePositives.sum()),
  /** Number of answers <i>maybe</i> of a family's filters to Gets, for keys that the file has. */
  TRUE_POSITIVES(
      "truePositives",
      "Files read with reason: the filter answered maybe, and the key was there",
      (family, requests) -> family.truePositives.sum()),
  /**
   * Number of queries of scans to filters, for the row prefix that the bounds of the scan imply.
   */
  SCAN_FILTER_REQUESTS(
      "scanFilterRequests",
      "Times a filter was queried for the prefix of a scan",
      (family, requests) -> family.scans.requests.sum()),
  /** Number of answers <i>absent</i> to queries of scans for a row prefix. */
  SCAN_FILTER_NEGATIVES(
      "scanFilterNegatives",
      "Times a filter ruled out a file for a scan",
      (family, requests) -> family.scans.negatives.sum()),
  /**
   * Number of scans' queries for a row prefix that were answered <i>maybe</i> for files without a
   * row between the bounds.
   */
  SCAN_FALSE_POSITIVES(
      "scanFalsePositives",
      "Files that scans read unnecessarily: the filter answered maybe, and no row was in bounds",
      (family, requests) -> family.scans.falsePositives.sum()),
  /**
   * Number of scans' queries for a row prefix that were answered <i>maybe</i> for files with a row
   * between the bounds.
   */
  SCAN_TRUE_POSITIVES(
      "scanTruePositives",
      "Files that scans read with reason: the filter answered maybe, and a row was in bounds",
      (family, requests) -> family.scans.truePositives.sum()),
  /** Number of scans whose bounds, or the ranges of their filter, imply a row prefix. */
  PREFIX_SCANS(
      "prefixScans",
      "Scans whose bounds, or the ranges of their filter, imply a row prefix",
      (family, requests) -> family.scans.prefixScans()),
  /** Number of files that scans with a row prefix read. */
  PREFIX_SCAN_FILES(
      "prefixScanFiles",
      "Files that scans with a row prefix read",
      (family, requests) -> family.scans.prefixScanFiles()),
  /** Number of files without a row between the bounds that scans with a row prefix read. */
  PREFIX_SCAN_FILES_IN_VAIN(
      "prefixScanFilesInVain",
      "Files without a row between the bounds that scans with a row prefix read",
      (family, requests) -> family.scans.prefixScanFilesInVain()),
  /** Number of scans whose bounds imply all bytes before the segments of a file. */
  SEGMENT_SCANS(
      "segmentScans",
      "Scans whose bounds imply all bytes before the segments of a file",
      (family, requests) -> family.scans.segmentScans.sum()),
  /** Number of files that scans and Gets skipped by the segments of their rows. */
  SEGMENT_SKIPS(
      "segmentSkips",
      "Files that scans and Gets skipped by the segments of their rows",
      (family, requests) -> family.scans.segmentSkips.sum()),
  /** Number of files without a row between the bounds that scans read as segments allowed it. */
  SEGMENT_FALSE_POSITIVES(
      "segmentFalsePositives",
      "Files that scans read unnecessarily: segments let them, and no row was in bounds",
      (family, requests) -> family.scans.segmentFalsePositives.sum()),
  /** Number of files with a row between the bounds that scans read as segments allowed it. */
  SEGMENT_TRUE_POSITIVES(
      "segmentTruePositives",
      "Files that scans read with reason: segments let them, and a row was in bounds",
      (family, requests) -> family.scans.segmentTruePositives.sum()),
  /** Number of files that scans skipped by the ranges that their filters state. */
  RANGE_SKIPS(
      "rangeSkips",
      "Files that scans skipped by the ranges of their filters",
      (family, requests) -> family.scans.rangeSkips.sum()),
  /** Number of files without a row in the ranges of a filter that scans read. */
  RANGE_FALSE_POSITIVES(
      "rangeFalsePositives",
      "Files that scans read unnecessarily: no row was in the ranges of the filter",
      (family, requests) -> family.scans.rangeFalsePositives.sum()),
  /** Number of files with a row in the ranges of a filter that scans read. */
  RANGE_TRUE_POSITIVES(
      "rangeTruePositives",
      "Files that scans read with reason: a row was in the ranges of the filter",
      (family, requests) -> family.scans.rangeTruePositives.sum()),
  /** Number of files that Gets and scans skipped, by filters, prefixes, segments and ranges. */
  SKIPPED_FILES(
      "skippedFiles",
      "Files that Gets and scans skipped, by filters, prefixes, segments and ranges",
      (family, requests) -> requests.negatives + family.scans.skippedFiles());

  /** The name that a metric of a column family has in JMX, without the prefix for the family. */
  final String label;

  /** The meaning of a metric of a column family in a few words. */
  final String meaning;

  private final ToLongBiFunction<FamilyCounters, Requests.Sum> source;

  FamilyMetric(
      String label, String meaning, ToLongBiFunction<FamilyCounters, Requests.Sum> source) {
    this.label = label;
    this.meaning = meaning;
    this.source = source;
  }

  /** Adds the metrics of a column family to an array with a sum for each metric. */
  static void addTo(long[] sums, FamilyCounters family, Requests.Sum requests) {
    for (FamilyMetric metric : values()) {
      sums[metric.ordinal()] += metric.source.applyAsLong(family, requests);
    }
  }
}
