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
import org.apache.hadoop.hbase.util.Bytes;
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

  /** A receiver of metrics, one after the other. */
  @FunctionalInterface
  interface Receiver {
    /**
     * Receives a metric.
     *
     * @param isCounter true if the value only rises
     */
    void receive(String name, String meaning, long value, boolean isCounter);

    default void gauge(String name, String meaning, long value) {
      receive(name, meaning, value, false);
    }

    default void counter(String name, String meaning, long value) {
      receive(name, meaning, value, true);
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
  void writeTo(MetricsRecordBuilder record, Supplier<Collection<HRegion>> regions) {
    record.tag(new Info("version", "Winnow's version"), version());
    writeTo(receiver(record), regions);
  }

  private static Receiver receiver(MetricsRecordBuilder record) {
    return (name, meaning, value, isCounter) -> {
      Info info = new Info(name, meaning);
      if (isCounter) {
        record.addCounter(info, value);
      } else {
        record.addGauge(info, value);
      }
    };
  }

  /**
   * Writes the metrics of each column family into a record of its own, with namespace, table and
   * family as tags, of which Prometheus makes labels.
   *
   * @param newRecord source of empty records
   */
  synchronized void writeFamilies(
      Supplier<MetricsRecordBuilder> newRecord, Supplier<Collection<HRegion>> regions) {
    update(regions);
    Map<FamilyCounters, Requests.Sum> sums = requests.byFamily();
    for (FamilyCounters family : Families.all()) {
      MetricsRecordBuilder record = newRecord.get();
      record.tag(new Info("namespace", "Namespace"), family.table.getNamespaceAsString());
      record.tag(new Info("table", "Table"), family.table.getQualifierAsString());
      record.tag(new Info("family", "Column family"), label(family.family));
      writeFamily(receiver(record), "", family, values(family, sums));
    }
  }

  /**
   * Returns a family's name as a label between quotes. HBase writes labels into its text for
   * Prometheus as they are, and one quote would make the whole text unreadable.
   */
  static String label(byte[] family) {
    return Bytes.toStringBinary(family).replace("\\", "\\\\").replace("\"", "\\\"");
  }

  /** Passes all metrics to a receiver. */
  synchronized void writeTo(Receiver receiver, Supplier<Collection<HRegion>> regions) {
    update(regions);
    receiver.gauge("active", "1: the agent is in this JVM", 1);
    receiver.gauge(
        "falsePositivesCounted",
        "1: false and true positives are counted; 0: this JVM cannot",
        falsePositivesAreCounted ? 1 : 0);
    writeFiles(receiver);
    writeEvents(receiver);
    writeFamilies(receiver);
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

  private void writeFiles(Receiver receiver) {
    for (FilterChoice kind : FilterChoice.values()) {
      OpenFilters.Sum rows = filters.general.get(kind);
      OpenFilters.Sum markers = filters.deleteFamily.get(kind);
      String end = kind.metricSuffix;
      String of = " of kind " + kind.words;
      receiver.gauge("openFiles" + end, "Open files with a filter" + of, rows.files);
      receiver.gauge("filterBytes" + end, "Bytes of the filters" + of, rows.bytes);
      receiver.gauge(
          "deleteFamilyFiles" + end, "Open files with a delete-family filter" + of, markers.files);
      receiver.gauge(
          "deleteFamilyFilterBytes" + end,
          "Bytes of the delete-family filters" + of,
          markers.bytes);
    }
    for (FileFilters.Lack lack : FileFilters.Lack.values()) {
      receiver.gauge(lack.metric, lack.meaning, filters.without.getOrDefault(lack, 0L));
    }
    receiver.gauge(
        "filterCacheBytes", "Size of the block cache that has filters", filters.cacheBytes);
    OpenFilters.Size all = new OpenFilters.Size();
    for (OpenFilters.Size size : filters.sizes.values()) {
      all.bytes += size.bytes;
      all.stockBytes += size.stockBytes;
    }
    write(receiver, "", all);
  }

  private static void write(Receiver receiver, String prefix, OpenFilters.Size size) {
    receiver.gauge(prefix + "filterBytes", "Bytes of the open filters", size.bytes);
    receiver.gauge(
        prefix + "stockBytes",
        "Bytes that HBase's own filters of the same files would take",
        size.stockBytes);
    receiver.gauge(
        prefix + "savedBytes", "stockBytes less filterBytes", size.stockBytes - size.bytes);
  }

  private static void writeEvents(Receiver receiver) {
    for (ServerMetric metric : ServerMetric.values()) {
      receiver.receive(metric.label, metric.meaning, metric.published(), !metric.isGauge());
    }
  }

  private void writeFamilies(Receiver receiver) {
    Map<FamilyCounters, Requests.Sum> sums = requests.byFamily();
    long[] all = gone.clone();
    for (FamilyCounters family : Families.all()) {
      long[] values = values(family, sums);
      Arrays.setAll(all, i -> all[i] + values[i]);
      writeFamily(receiver, family.prefix, family, values);
    }
    write(receiver, "", all);
  }

  private static long[] values(FamilyCounters family, Map<FamilyCounters, Requests.Sum> sums) {
    long[] values = new long[FamilyMetric.values().length];
    FamilyMetric.addTo(values, family, sums.getOrDefault(family, Requests.Sum.ZERO));
    return values;
  }

  private void writeFamily(Receiver receiver, String prefix, FamilyCounters family, long[] values) {
    write(receiver, prefix, filters.sizes.getOrDefault(family, OpenFilters.Size.NONE));
    write(receiver, prefix, values);
    writeScansByPrefix(receiver, prefix, family.scans);
  }

  private static void write(Receiver receiver, String prefix, long[] values) {
    for (FamilyMetric metric : FamilyMetric.values()) {
      receiver.counter(prefix + metric.label, metric.meaning, values[metric.ordinal()]);
    }
  }

  /**
   * Writes the counters of a family's scans for each length of a row prefix that a scan has had.
   */
  private static void writeScansByPrefix(Receiver receiver, String prefix, ScanCounters scans) {
    for (int length = 0; length <= ScanCounters.LONGEST; length++) {
      if (scans.scans(length) > 0) {
        String of = " of scans whose bounds imply a prefix of " + length + " bytes";
        receiver.counter(prefix + "scansOfPrefix" + length, "Number" + of, scans.scans(length));
        receiver.counter(
            prefix + "scanFilesOfPrefix" + length, "Files read" + of, scans.files(length));
        receiver.counter(
            prefix + "scanFilesInVainOfPrefix" + length,
            "Files read without a row between the bounds" + of,
            scans.filesInVain(length));
      }
    }
  }
}
