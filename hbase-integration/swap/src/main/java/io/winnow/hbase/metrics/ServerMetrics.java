package io.winnow.hbase.metrics;

import io.winnow.hbase.settings.FilterChoice;
import java.util.Arrays;
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
 * The metrics of a region server's filters, under the names that {@code docs/metrics.md} lists.
 *
 * <p>Values of open files are at most {@value #UPDATE_SECONDS} s old, all others are of the moment.
 * Thread-safe.
 */
final class ServerMetrics {
  /**
   * Seconds between two visits to all open store files, which update the metrics of open filters.
   */
  static final long UPDATE_SECONDS = 5;

  /** Name of a field of HBase's woven scanner, without which nothing counts false positives. */
  private static final String SCANNER_FIELD = "winnow$answer";

  /**
   * Name and meaning of a metric, as Hadoop's metrics system wants them. Hadoop's own cache of
   * these holds 2010 names, and a server of many tables has more.
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

  /**
   * Minutes after which the metrics of a column family without an open store are no longer
   * published under its name.
   */
  static final long FAMILY_MINUTES = 60;

  private final LongSupplier nanoTime;
  private final Requests requests = new Requests();

  /** Time in nanoseconds at which each column family had an open store last. */
  private final Map<FamilyCounters, Long> lastOpen = new HashMap<>();

  /**
   * Sums of the metrics of column families that are no longer published by name, which keep the
   * totals from falling.
   */
  private final long[] gone = new long[FamilyMetric.values().length];

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

  /** Writes all metrics of the region server's filters into a record of Hadoop's metrics system. */
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
    writeEvents(record);
    writeFamilies(record);
  }

  private void update(Supplier<Collection<HRegion>> regions) {
    long now = nanoTime.getAsLong();
    if (filters == null || now - updatedAt >= TimeUnit.SECONDS.toNanos(UPDATE_SECONDS)) {
      filters = OpenFilters.of(regions.get());
      requests.update(filters.stores);
      updatedAt = now;
      filters.stores.values().forEach(family -> lastOpen.put(family, now));
      Families.all().forEach(family -> forgetIfGone(family, now));
    }
  }

  /**
   * Removes the metrics of a column family that has had no open store for long. Tables come and go,
   * and the names of those that are gone must not add up.
   */
  private void forgetIfGone(FamilyCounters family, long now) {
    long seen = lastOpen.computeIfAbsent(family, unseen -> now);
    if (now - seen >= TimeUnit.MINUTES.toNanos(FAMILY_MINUTES)) {
      lastOpen.remove(family);
      Families.forget(family);
      FamilyMetric.addTo(gone, family, requests.forget(family));
    }
  }

  private void writeFiles(MetricsRecordBuilder record) {
    for (FilterChoice kind : FilterChoice.values()) {
      OpenFilters.Sum rows = filters.general(kind);
      OpenFilters.Sum markers = filters.deleteFamily(kind);
      String end = kind.metricSuffix;
      String of = " of kind " + kind.words;
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
        "Open files without a filter, whose families want none",
        filters.none());
    gauge(
        record,
        "openFilesMissing",
        "Open files without a filter, whose families want one",
        filters.missing());
    gauge(
        record,
        "openFilesUnreadable",
        "Open files with a filter that could not be opened",
        filters.unreadable());
  }

  private static void writeEvents(MetricsRecordBuilder record) {
    for (ServerMetric metric : ServerMetric.values()) {
      Info info = new Info(metric.label, metric.meaning);
      if (metric.isGauge()) {
        record.addGauge(info, metric.published());
      } else {
        record.addCounter(info, metric.published());
      }
    }
  }

  private void writeFamilies(MetricsRecordBuilder record) {
    Map<FamilyCounters, Requests.Sum> sums = requests.byFamily();
    long[] all = gone.clone();
    for (FamilyCounters family : Families.all()) {
      Requests.Sum sum = sums.getOrDefault(family, Requests.Sum.ZERO);
      long[] values = new long[gone.length];
      FamilyMetric.addTo(values, family, sum);
      Arrays.setAll(all, i -> all[i] + values[i]);
      write(record, family.prefix, values);
      writeScansByPrefix(record, family.prefix, family.scans);
    }
    write(record, "", all);
  }

  private static void write(MetricsRecordBuilder record, String prefix, long[] values) {
    for (FamilyMetric metric : FamilyMetric.values()) {
      counter(record, prefix + metric.label, metric.meaning, values[metric.ordinal()]);
    }
  }

  /**
   * Writes the counters of a family's scans for each length of a row prefix that a scan has had.
   */
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

  private static void gauge(MetricsRecordBuilder record, String name, String meaning, long value) {
    record.addGauge(new Info(name, meaning), value);
  }

  private static void counter(
      MetricsRecordBuilder record, String name, String meaning, long value) {
    record.addCounter(new Info(name, meaning), value);
  }
}
