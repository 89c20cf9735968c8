package io.winnow.bench.drive;

import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.report.Results;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The names of the benchmarks and metrics of {@code ./winnow flash bench}, and methods that add
 * figures to the results.
 */
final class FlashMetrics {
  static final String SETUP = "flash.setup";
  static final String RUN = "flash.run";

  static final String STRUCTURE = "structure";
  static final String WORKLOAD = "workload";

  static final String PLAIN = "plain-bloom";
  static final String ELEVATOR = "elevator-bloom";
  static final String BUFFERED = "buffered-bloom";
  static final String CASCADE = "cascade";
  static final String BUFFERHASH = "bufferhash";
  static final String JE = "berkeleydb-je";
  static final String ROCKS_BLOOM = "rocksdb-bloom";
  static final String ROCKS_RIBBON = "rocksdb-ribbon";
  static final List<String> STRUCTURES =
      List.of(PLAIN, ELEVATOR, BUFFERED, CASCADE, BUFFERHASH, JE, ROCKS_BLOOM, ROCKS_RIBBON);

  static final String SET = "build and probe";
  static final String SET_K3 = "build and probe, 3 hash functions";
  static final String MEMORY_4X = "build and probe, in memory, 4 x the memory";
  static final String MEMORY_2X = "build and probe, in memory, 2 x the memory";
  static final String MEMORY_2X_K2 = "build and probe, in memory, 2 x the memory, 2 hash functions";
  static final String BUFFER = "build and probe, memory x ";
  static final String WAIT = "deferred probes, t_max ";
  static final String WAN = "WAN optimizer";
  static final String LOOKUPS = "lookups, share ";
  static final String HITS = "lookups of present keys";
  static final String MISSES = "lookups of absent keys";

  static final String KEYS = "keys";
  static final String MEMORY = "memoryBytes";
  static final String INSERTS = "insertsPerSecond";
  static final String PROBES = "lookupsPerSecond";
  static final String RATE = "falsePositiveRate";
  static final String LOST = "lost";
  static final String FLASH = "flashBytes";

  static final String INSERT = "insert";
  static final String LOOKUP = "lookup";

  private static final long FAST_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final Results results;
  private final Map<String, String> at;

  /** Makes a collector that adds figures of one structure under one workload to the results. */
  FlashMetrics(Results results, String structure, String workload) {
    this.results = results;
    this.at = Map.of(STRUCTURE, structure, WORKLOAD, workload);
  }

  FlashMetrics add(String metric, double value) {
    results.add(RUN, at, metric, value);
    return this;
  }

  /**
   * Adds the distribution of the times of inserts or lookups to the results.
   *
   * @param what {@link #INSERT} or {@link #LOOKUP}
   */
  FlashMetrics latencies(String what, Histogram nanos) {
    if (nanos.getTotalCount() == 0) {
      return this;
    }
    add(what + "MeanMicros", nanos.getMean() / 1e3);
    add(what + "P50Micros", nanos.getValueAtPercentile(50) / 1e3);
    add(what + "P99Micros", nanos.getValueAtPercentile(99) / 1e3);
    add(what + "P999Micros", nanos.getValueAtPercentile(99.9) / 1e3);
    add(what + "MaxMicros", nanos.getMaxValue() / 1e3);
    long fast = nanos.getCountBetweenValues(0, FAST_NANOS);
    return add(what + "Below100Micros", (double) fast / nanos.getTotalCount());
  }

  /** Adds the numbers of reads and writes of the drive per operation to the results. */
  FlashMetrics traffic(String what, long operations, IoSnapshot traffic) {
    if (operations == 0) {
      return this;
    }
    add(what + "Reads", (double) traffic.reads() / operations);
    add(what + "ReadBytes", (double) traffic.readBytes() / operations);
    return add(what + "WrittenBytes", (double) traffic.writtenBytes() / operations);
  }

  /** Adds a figure that describes the whole run to the results. */
  static void setup(Results results, String metric, double value) {
    results.add(SETUP, Map.of(), metric, value);
  }
}
