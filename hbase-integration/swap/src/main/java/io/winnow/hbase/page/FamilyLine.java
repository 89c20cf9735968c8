package io.winnow.hbase.page;

import io.winnow.hbase.format.PrefixRule;
import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.Families;
import io.winnow.hbase.metrics.FamilyCounters;
import io.winnow.hbase.metrics.FileFilters;
import io.winnow.hbase.metrics.ScanCounters;
import io.winnow.hbase.metrics.ServerView;
import io.winnow.hbase.settings.FilterChoice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Facts about the filters of one column family in all its open regions: a row of the overview on
 * the page {@code /winnow}. It is computed from the open files in memory and reads no file.
 */
final class FamilyLine {
  final String table;
  final String family;
  final ConfiguredFilters configured;
  private final FamilyCounters counters;
  private final ServerView view;
  private final RecentCounts.Rates recent;

  /**
   * Numbers of the family's files, by the name of their filter, or by the reason why they have
   * none.
   */
  final Map<String, Kind> kinds = new TreeMap<>();

  private long deleteFamilyBytes;
  private double stockBytes;
  private long outdated;
  private long withKeys;
  private double askedRates;
  private double builtRates;

  private FamilyLine(HRegion region, HStore store, PageInput input, RecentCounts.Rates recent) {
    ColumnFamilyDescriptor descriptor = store.getColumnFamilyDescriptor();
    this.table = store.getTableName().getNameAsString();
    this.family = Bytes.toStringBinary(descriptor.getName());
    this.configured = ConfiguredFilters.of(input.site, region.getTableDescriptor(), descriptor);
    this.counters = Families.of(store.getTableName(), descriptor.getName());
    this.view = input.view;
    this.recent = recent;
  }

  /**
   * Returns a row for each family that has an open store, sorted by the names of table and family.
   */
  static List<FamilyLine> of(PageInput input, RecentCounts.Rates recent) {
    Map<FamilyCounters, FamilyLine> lines = new IdentityHashMap<>();
    for (HRegion region : input.view.regions) {
      for (HStore store : region.getStores()) {
        byte[] name = store.getColumnFamilyDescriptor().getName();
        lines
            .computeIfAbsent(
                Families.of(store.getTableName(), name),
                unseen -> new FamilyLine(region, store, input, recent))
            .add(store);
      }
    }
    List<FamilyLine> all = new ArrayList<>(lines.values());
    all.sort((a, b) -> (a.table + '\0' + a.family).compareTo(b.table + '\0' + b.family));
    return all;
  }

  private void add(HStore store) {
    for (HStoreFile file : store.getStorefiles()) {
      StoreFileReader reader = file.getReader();
      if (reader != null) { // null while the file is opened or closed
        add(FileFilters.of(reader, configured.wantsFilter));
      }
    }
  }

  private void add(FileFilters file) {
    BloomFilter filter = file.general;
    if (filter == null) {
      kinds.merge(file.lack.name().toLowerCase(Locale.ROOT), new Kind(1, 0, 0), Kind::plus);
    } else {
      long keys = filter.getKeyCount();
      kinds.merge(
          FilterChoice.of(filter).label, new Kind(1, filter.getByteSize(), keys), Kind::plus);
      stockBytes += configured.stockBytes(filter);
      if (keys > 0) {
        withKeys++;
        askedRates += configured.askedRate(filter);
        builtRates += configured.builtRate(filter);
      }
    }
    if (file.deleteFamily != null) {
      deleteFamilyBytes += file.deleteFamily.getByteSize();
    }
    if (configured.isOutdated(file)) {
      outdated++;
    }
  }

  String configuredFilter() {
    return configured.filters.inWords();
  }

  /**
   * Returns in words the number of the family's files with each filter, such as <i>12
   * bumped-ribbon, 1 missing</i>.
   */
  String kindsInWords() {
    return kinds.entrySet().stream()
        .map(kind -> kind.getValue().files + " " + kind.getKey())
        .collect(Collectors.joining(", "));
  }

  private Kind all() {
    return kinds.values().stream().reduce(Kind.NOTHING, Kind::plus);
  }

  long files() {
    return all().files;
  }

  /** Returns the number of the family's files that a compaction would give another filter. */
  long outdated() {
    return outdated;
  }

  long keys() {
    return all().keys;
  }

  long bytes() {
    return all().bytes;
  }

  long deleteFamilyBytes() {
    return deleteFamilyBytes;
  }

  /** Returns the mean number of bits per key in the family's filters; NaN if they have no key. */
  double bitsPerKey() {
    Kind all = all();
    return all.keys == 0 ? Double.NaN : 8.0 * all.bytes / all.keys;
  }

  long stockBytes() {
    return Math.round(stockBytes);
  }

  /**
   * Returns the bytes that the family's filters save; negative if they take more than HBase's own
   * would.
   */
  long savedBytes() {
    return stockBytes() - bytes();
  }

  /**
   * Returns the false-positive rate for which the family's filters were sized, as a mean over the
   * files; NaN if it is unknown.
   */
  double askedRate() {
    return askedRates / withKeys;
  }

  /**
   * Returns the false-positive rate that the family's filters have with their keys, as a mean over
   * the files; NaN if it is unknown.
   */
  double builtRate() {
    return builtRates / withKeys;
  }

  long queries() {
    return metric("filterRequests");
  }

  long negatives() {
    return metric("filterNegatives");
  }

  /**
   * Returns the number of times that Gets read a file of the family and did not find their key
   * there; null if this server does not count that.
   */
  Long falseReads() {
    return canCount(view) ? metric("falsePositives") : null;
  }

  /**
   * Returns the number of times that Gets read a file of the family and found their key there; null
   * if this server does not count that.
   */
  Long trueReads() {
    return canCount(view) ? metric("truePositives") : null;
  }

  /**
   * Returns true if the server counts the file reads that follow a filter's answer <i>maybe</i>.
   */
  static boolean canCount(ServerView view) {
    return view.value("falsePositivesCounted") == 1;
  }

  private long metric(String name) {
    return view.value(counters.prefix + name);
  }

  /**
   * Returns the measured false-positive rate of the family's filters: the share of unnecessary
   * reads among queries of files without the key; NaN if nothing was counted.
   */
  double countedRate() {
    return canCount(view) ? rate(falseReads(), negatives()) : Double.NaN;
  }

  static double rate(long falseReads, long negatives) {
    return (double) falseReads / (falseReads + negatives);
  }

  /**
   * Returns the number of times that scans read a file of the family and found no row between their
   * bounds there; null if this server does not count that.
   */
  Long scanFalseReads() {
    return canCount(view) ? counters.scans.falsePositives.sum() : null;
  }

  long scanNegatives() {
    return counters.scans.negatives.sum();
  }

  long segmentScans() {
    return counters.scans.segmentScans.sum();
  }

  long segmentSkips() {
    return counters.scans.segmentSkips.sum();
  }

  /**
   * Returns the number of files that scans read unnecessarily although the files have key segments;
   * null if they are not counted.
   */
  Long segmentFalseReads() {
    return canCount(view) ? counters.scans.segmentFalsePositives.sum() : null;
  }

  /**
   * Returns in words the number of scans that key segments can help, and the counts of files
   * skipped and read by segments; empty if they were never used.
   */
  String segments() {
    ScanCounters scans = counters.scans;
    long unnecessary = scans.segmentFalsePositives.sum();
    long read = unnecessary + scans.segmentTruePositives.sum();
    String files = skippedAndRead(scans.segmentSkips.sum(), read, unnecessary);
    return files.isEmpty()
        ? ""
        : String.format(Locale.ROOT, "%,d scans; %s", scans.segmentScans.sum(), files);
  }

  private static String skippedAndRead(long skipped, long read, long unnecessary) {
    return skipped + read == 0
        ? ""
        : String.format(
            Locale.ROOT, "%,d skipped, %,d read, %,d unnecessary", skipped, read, unnecessary);
  }

  long rangeSkips() {
    return counters.scans.rangeSkips.sum();
  }

  /**
   * Returns the number of files that scans read unnecessarily although their filters state ranges;
   * null if they are not counted.
   */
  Long rangeFalseReads() {
    return canCount(view) ? counters.scans.rangeFalsePositives.sum() : null;
  }

  /**
   * Returns the counts of files skipped and read by the ranges of filters in words; empty if there
   * were none.
   */
  String ranges() {
    ScanCounters scans = counters.scans;
    long unnecessary = scans.rangeFalsePositives.sum();
    return skippedAndRead(
        scans.rangeSkips.sum(), scans.rangeTruePositives.sum() + unnecessary, unnecessary);
  }

  /**
   * Returns counts of the family's scans by the length of the row prefix that their bounds imply.
   * Each value lists scans, files that they read, and unnecessary reads.
   */
  Map<String, List<Long>> scansByPrefix() {
    Map<String, List<Long>> byLength = new LinkedHashMap<>();
    ScanCounters scans = counters.scans;
    for (int length = 0; length <= ScanCounters.LONGEST; length++) {
      if (scans.scans(length) > 0) {
        byLength.put(
            String.valueOf(length),
            List.of(scans.scans(length), scans.files(length), scans.filesInVain(length)));
      }
    }
    return byLength;
  }

  /**
   * Returns the number of the family's scans that imply a row prefix, by the rule of a delimiter.
   */
  Map<String, Long> scansByDelimiter() {
    Map<String, Long> byRule = new LinkedHashMap<>();
    for (int rule = 0; rule < PrefixRule.USUAL.size(); rule++) {
      if (counters.scans.scansByRule(rule) > 0) {
        byRule.put(PrefixRule.USUAL.get(rule).toString(), counters.scans.scansByRule(rule));
      }
    }
    return byRule;
  }

  /**
   * Returns the counts of the family's scans in words, for the three prefix lengths that the bounds
   * of scans imply most often.
   */
  String scans() {
    ScanCounters scans = counters.scans;
    return IntStream.rangeClosed(1, ScanCounters.LONGEST)
        .filter(length -> scans.scans(length) > 0)
        .boxed()
        .sorted(Comparator.comparingLong((Integer length) -> -scans.scans(length)))
        .limit(3)
        .map(
            length ->
                String.format(
                    Locale.ROOT,
                    "%d bytes: %,d scans, %,d files, %,d unnecessary",
                    length,
                    scans.scans(length),
                    scans.files(length),
                    scans.filesInVain(length)))
        .collect(Collectors.joining("; "));
  }

  double falseReadsPerSecond() {
    return canCount(view) ? recent.falseReadsPerSecond(counters.prefix) : Double.NaN;
  }

  long fallbacks() {
    long all = 0;
    for (Fallback reason : Fallback.values()) {
      all += counters.fallbacks(reason);
    }
    return all;
  }

  /**
   * Returns in words why files of the family got HBase's filter instead of the selected one, and
   * which setting is wrong now.
   */
  String reasons() {
    List<String> reasons = new ArrayList<>();
    for (Fallback reason : Fallback.values()) {
      if (counters.fallbacks(reason) > 0) {
        reasons.add(counters.fallbacks(reason) + " " + words(reason));
      }
    }
    if (configured.filters.problem != null) {
      reasons.add(configured.filters.problem);
    }
    return String.join("; ", reasons);
  }

  static String words(Fallback reason) {
    return reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
