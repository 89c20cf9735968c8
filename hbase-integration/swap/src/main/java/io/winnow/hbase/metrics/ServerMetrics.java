package io.winnow.hbase.metrics;

import io.winnow.hbase.settings.FilterChoice;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;

/**
 * The metrics of a region server's filters, under the names of {@code docs/metrics.md}.
 *
 * <p>Values of open files are at most {@value #UPDATE_SECONDS} s old, all others are of the moment.
 * Thread-safe.
 */
final class ServerMetrics {
  /** The time between two visits to all open files. */
  static final long UPDATE_SECONDS = 5;

  /** The field of the woven scanner, without which nothing counts false positives. */
  private static final String SCANNER_FIELD = "winnow$answer";

  /**
   * The name and the meaning of a metric. Hadoop's own cache of these holds 2010 names, and a
   * server of many tables has more.
   */
  private static final class Info implements MetricsInfo {
    final String name;
    final String description;

    Info(String name, String description) {
      this.name = name;
      this.description = description;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String description() {
      return description;
    }
  }

  /** The time after which a family without an open store is no longer published by name. */
  static final long FAMILY_MINUTES = 60;

  private final LongSupplier nanoTime;
  private final Requests requests = new Requests();

  /** The last time at which each family had an open store. */
  private final Map<FamilyCounters, Long> lastOpen = new HashMap<>();

  /** The sums over families that are no longer published, which keep the totals from falling. */
  private Requests.Sum goneRequests = Requests.Sum.ZERO;

  private long goneFalsePositives;
  private long goneTruePositives;
  private final ScanCounters goneScans = new ScanCounters();
  private final boolean falsePositivesAreCounted = isScannerWoven();
  private OpenFilters filters;
  private long updatedAt;

  ServerMetrics() {
    this(System::nanoTime);
  }

  ServerMetrics(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  private static boolean isScannerWoven() {
    try {
      StoreFileScanner.class.getDeclaredField(SCANNER_FIELD);
      return true;
    } catch (NoSuchFieldException | LinkageError e) {
      return false;
    }
  }

  /** Returns Winnow's version, from the jar's manifest. */
  static String version() {
    String version = ServerMetrics.class.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }

  /** Writes all metrics into a record. */
  synchronized void writeTo(MetricsRecordBuilder record, Supplier<Collection<HRegion>> regions) {
    update(regions);
    record.tag(new Info("version", "Winnow's version"), version());
    gauge(record, "active", "1: the agent is in this JVM", 1);
    gauge(
        record,
        "falsePositivesCounted",
        "1: false and true positives are counted; 0: this JVM cannot",
        falsePositivesAreCounted ? 1 : 0);
    writeFiles(record);
    writeBuilds(record);
    writeFailures(record);
    writeFamilies(record);
  }

  private void update(Supplier<Collection<HRegion>> regions) {
    long now = nanoTime.getAsLong();
    if (filters == null || now - updatedAt >= TimeUnit.SECONDS.toNanos(UPDATE_SECONDS)) {
      filters = OpenFilters.of(regions.get());
      requests.update(filters.stores());
      updatedAt = now;
      filters.stores().values().forEach(family -> lastOpen.put(family, now));
      Families.all().forEach(family -> forgetIfGone(family, now));
    }
  }

  /**
   * Removes a family that has had no open store for long. Tables come and go, and the names of
   * those that are gone must not add up.
   */
  private void forgetIfGone(FamilyCounters family, long now) {
    long seen = lastOpen.computeIfAbsent(family, unseen -> now);
    if (now - seen >= TimeUnit.MINUTES.toNanos(FAMILY_MINUTES)) {
      lastOpen.remove(family);
      Families.forget(family);
      goneRequests = goneRequests.plus(requests.forget(family));
      goneFalsePositives += family.falsePositives();
      goneTruePositives += family.truePositives();
      goneScans.add(family.scans());
    }
  }

  private void writeFiles(MetricsRecordBuilder record) {
    for (FilterChoice kind : FilterChoice.values()) {
      OpenFilters.Sum rows = filters.general(kind);
      OpenFilters.Sum markers = filters.deleteFamily(kind);
      String end = kind.metricSuffix();
      String of = " of kind " + kind.words();
      gauge(record, "openFiles" + end, "Open files with a filter" + of, rows.files());
      gauge(record, "filterBytes" + end, "Bytes of the filters" + of, rows.bytes());
      gauge(
          record,
          "deleteFamilyFiles" + end,
          "Open files with a delete-family filter" + of,
          markers.files());
      gauge(
          record,
          "deleteFamilyFilterBytes" + end,
          "Bytes of the delete-family filters" + of,
          markers.bytes());
    }
    gauge(
        record,
        "openFilesNone",
        "Open files without a filter, as their families ask",
        filters.none());
    gauge(
        record,
        "openFilesMissing",
        "Open files without a filter, though their families ask for one",
        filters.missing());
    gauge(
        record,
        "openFilesUnreadable",
        "Open files with a filter that could not be opened",
        filters.unreadable());
  }

  private static void writeBuilds(MetricsRecordBuilder record) {
    counter(record, "chunksBuilt", "Chunks of filters built", WinnowMetrics.chunksBuilt());
    counter(record, "keysBuilt", "Keys in the chunks built", WinnowMetrics.keysBuilt());
    counter(record, "buildMillis", "Time to build chunks, ms", WinnowMetrics.buildMillis());
    counter(
        record,
        "rebuilds",
        "Failed attempts before the one that made a chunk",
        WinnowMetrics.rebuilds());
    gauge(
        record,
        "buildMemoryBytes",
        "Memory of filters under construction",
        WinnowMetrics.buildMemoryBytes());
    gauge(
        record,
        "buildMemoryLimitBytes",
        "Memory that filters under construction may have",
        WinnowMetrics.buildMemoryLimitBytes());
  }

  private static void writeFailures(MetricsRecordBuilder record) {
    counter(
        record,
        "fallbacksWrongSetting",
        "Files with the stock filter because of a wrong setting",
        WinnowMetrics.fallbacks(Fallback.WRONG_SETTING));
    counter(
        record,
        "fallbacksMemoryLimit",
        "Files with the stock filter because of the memory limit",
        WinnowMetrics.fallbacks(Fallback.MEMORY_LIMIT));
    counter(
        record,
        "fallbacksFailure",
        "Files with the stock filter because Winnow failed",
        WinnowMetrics.fallbacks(Fallback.FAILURE));
    counter(
        record,
        "filtersAbandoned",
        "Filters given up while their files were written",
        WinnowMetrics.filtersAbandoned());
    counter(
        record,
        "chunksGivenUp",
        "Damaged chunks, not asked any more",
        WinnowMetrics.chunksGivenUp());
    counter(
        record, "loadFailures", "Times a chunk could not be loaded", WinnowMetrics.loadFailures());
    counter(
        record,
        "storeFailures",
        "Files written as if their store were not known",
        WinnowMetrics.storeFailures());
    counter(record, "probeFailures", "Probes that failed", WinnowMetrics.probeFailures());
    counter(
        record, "openFailures", "Filters that could not be opened", WinnowMetrics.openFailures());
  }

  private void writeFamilies(MetricsRecordBuilder record) {
    Map<FamilyCounters, Requests.Sum> asked = requests.byFamily();
    Requests.Sum allAsked = goneRequests;
    long allFalsePositives = goneFalsePositives;
    long allTruePositives = goneTruePositives;
    ScanCounters allScans = new ScanCounters();
    allScans.add(goneScans);
    for (FamilyCounters family : Families.all()) {
      Requests.Sum sum = asked.getOrDefault(family, Requests.Sum.ZERO);
      long falsePositives = family.falsePositives();
      long truePositives = family.truePositives();
      writeAnswers(record, family.prefix(), sum, falsePositives, truePositives);
      writeScans(record, family.prefix(), family.scans());
      writeScansByPrefix(record, family.prefix(), family.scans());
      allScans.add(family.scans());
      allAsked = allAsked.plus(sum);
      allFalsePositives += falsePositives;
      allTruePositives += truePositives;
    }
    writeAnswers(record, "", allAsked, allFalsePositives, allTruePositives);
    writeScans(record, "", allScans);
  }

  private static void writeScans(MetricsRecordBuilder record, String prefix, ScanCounters scans) {
    counter(
        record,
        prefix + "scanFilterRequests",
        "Times a filter was asked for the prefix of a scan",
        scans.requests());
    counter(
        record,
        prefix + "scanFilterNegatives",
        "Times it said no, which spared the scan a file",
        scans.negatives());
    counter(
        record,
        prefix + "scanFalsePositives",
        "Files that scans read unnecessarily: the filter said maybe, and no row was in bounds",
        scans.falsePositives());
    counter(
        record,
        prefix + "scanTruePositives",
        "Files that scans read with reason: the filter said maybe, and a row was between the"
            + " bounds",
        scans.truePositives());
  }

  /** Writes the counters of each length of a prefix that a scan has had. */
  private static void writeScansByPrefix(
      MetricsRecordBuilder record, String prefix, ScanCounters scans) {
    for (int length = 0; length <= ScanCounters.LONGEST; length++) {
      if (scans.scans(length) > 0) {
        String of = " of scans whose bounds imply a prefix of " + length + " bytes";
        counter(record, prefix + "scansOfPrefix" + length, "Number" + of, scans.scans(length));
        counter(
            record, prefix + "scanFilesOfPrefix" + length, "Files read" + of, scans.files(length));
        counter(
            record,
            prefix + "scanFilesInVainOfPrefix" + length,
            "Files read without a row between the bounds" + of,
            scans.filesInVain(length));
      }
    }
  }

  private static void writeAnswers(
      MetricsRecordBuilder record,
      String prefix,
      Requests.Sum asked,
      long falsePositives,
      long truePositives) {
    counter(record, prefix + "filterRequests", "Times a filter was asked", asked.requests());
    counter(record, prefix + "filterNegatives", "Times a filter said no", asked.negatives());
    counter(
        record,
        prefix + "falsePositives",
        "Files read unnecessarily: the filter said maybe, and the key was not there",
        falsePositives);
    counter(
        record,
        prefix + "truePositives",
        "Files read with reason: the filter said maybe, and the key was there",
        truePositives);
  }

  private static void gauge(MetricsRecordBuilder record, String name, String meaning, long value) {
    record.addGauge(new Info(name, meaning), value);
  }

  private static void counter(
      MetricsRecordBuilder record, String name, String meaning, long value) {
    record.addCounter(new Info(name, meaning), value);
  }
}
