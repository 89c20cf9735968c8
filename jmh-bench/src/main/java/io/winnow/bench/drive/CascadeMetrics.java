package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.report.Results;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The names of the benchmarks and metrics of {@code ./winnow cascade bench}, and methods that add
 * figures to the results.
 */
final class CascadeMetrics {
  static final String SETUP = "cascade.setup";
  static final String INGEST = "cascade.ingest";
  static final String DELETES = "cascade.deletes";
  static final String LOOKUP = "cascade.lookup";
  static final String GROWTH = "cascade.growth";
  static final String MIX_SETUP = "cascade.mix-setup";
  static final String MIX = "cascade.mix";
  static final String MIX_FILL = "cascade.mix-fill";
  static final String MIX_LOOKUP = "cascade.mix-lookup";
  static final String DRIVE = "cascade.drive";

  static final String FILTER = "filter";
  static final String WORK = "work";

  static final String PLAIN = "plain Bloom";
  static final String ELEVATOR = "elevator Bloom";
  static final String WIDE_ELEVATOR = "elevator Bloom, large requests";
  static final String CASCADE = "cascade";
  static final String TOMBSTONES = "cascade, tombstones";
  static final String PAGE_LOCAL = "page-local Bloom";

  static final String ABSENT = "absent";
  static final String PRESENT = "present";
  static final String BATCHED = "absent, batched";
  static final String ABSENT_DURING = "absent, during inserts";
  static final String BATCHED_DURING = "absent, batched, during inserts";
  static final String DELETED = "deleted";
  static final String LEFT = "left after deletes";

  static final String PER_SECOND = "perSecond";
  static final String P50 = "p50Micros";
  static final String P90 = "p90Micros";
  static final String P99 = "p99Micros";
  static final String P999 = "p999Micros";
  static final String MAX = "maxMicros";

  private CascadeMetrics() {}

  /** Returns the name that a cascade filter with a given fan-out has in the results. */
  static String cascade(int fanOut) {
    return CASCADE + ", fan-out " + fanOut;
  }

  static void ingest(
      Results results, String filter, TimedInserts.Outcome outcome, long flashBytes) {
    Map<String, String> at = Map.of(FILTER, filter);
    operations(results, INGEST, at, outcome.keys(), outcome.seconds(), outcome.nanos());
    traffic(results, INGEST, at, outcome.keys(), outcome.traffic());
    results.add(INGEST, at, "flashBytes", flashBytes);
    results.add(INGEST, at, "cpuNanos", 1e9 * outcome.cpuSeconds() / outcome.keys());
  }

  static void lookups(Results results, String filter, String work, TimedLookups.Outcome outcome) {
    lookups(results, LOOKUP, filter, work, outcome);
  }

  static void lookups(
      Results results, String benchmark, String filter, String work, TimedLookups.Outcome outcome) {
    Map<String, String> at = Map.of(FILTER, filter, WORK, work);
    operations(results, benchmark, at, outcome.lookups(), outcome.seconds(), outcome.nanos());
    traffic(results, benchmark, at, outcome.lookups(), outcome.traffic());
    results.add(benchmark, at, "positives", outcome.positives());
  }

  static void operations(
      Results results,
      String benchmark,
      Map<String, String> at,
      long operations,
      double seconds,
      Histogram nanos) {
    results.add(benchmark, at, "operations", operations);
    results.add(benchmark, at, "seconds", seconds);
    results.add(benchmark, at, PER_SECOND, operations / seconds);
    latencies(results, benchmark, at, nanos);
  }

  static void latencies(
      Results results, String benchmark, Map<String, String> at, Histogram nanos) {
    results.add(benchmark, at, P50, nanos.getValueAtPercentile(50) / 1e3);
    results.add(benchmark, at, P90, nanos.getValueAtPercentile(90) / 1e3);
    results.add(benchmark, at, P99, nanos.getValueAtPercentile(99) / 1e3);
    results.add(benchmark, at, P999, nanos.getValueAtPercentile(99.9) / 1e3);
    results.add(benchmark, at, MAX, nanos.getMaxValue() / 1e3);
  }

  private static void traffic(
      Results results,
      String benchmark,
      Map<String, String> at,
      long operations,
      IoSnapshot traffic) {
    results.add(benchmark, at, "reads", (double) traffic.reads() / operations);
    results.add(benchmark, at, "readBytes", (double) traffic.readBytes() / operations);
    results.add(benchmark, at, "writes", (double) traffic.writes() / operations);
    results.add(benchmark, at, "writtenBytes", (double) traffic.writtenBytes() / operations);
  }
}
