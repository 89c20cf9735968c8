package io.winnow.hbase.metrics;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The counters of this JVM's filters that do not belong to a column family, and the gauges of build
 * memory, in the order of publication. Metrics of open files are in {@link ServerMetrics}. A new
 * counter is a line here. Every method is cheap, throws nothing, and may be called from any thread.
 */
public enum ServerMetric {
  /** Number of chunks of filters that were built. */
  CHUNKS_BUILT("chunksBuilt", "Chunks of filters built"),
  /** Number of keys in the chunks of filters that were built. */
  KEYS_BUILT("keysBuilt", "Keys in the chunks built"),
  /**
   * Time that building chunks of filters took, counted in nanoseconds and published in
   * milliseconds.
   */
  BUILD_NANOS("buildMillis", "Time to build chunks, ms") {
    @Override
    long published() {
      return value() / 1_000_000;
    }
  },
  /** Number of failed attempts to build a chunk of a filter. */
  REBUILDS("rebuilds", "Failed attempts before the one that made a chunk"),
  /** Bytes of memory that filters under construction take now. */
  BUILD_MEMORY("buildMemoryBytes", "Memory of filters under construction", () -> 0),
  /** Bytes of memory that filters under construction may take. */
  BUILD_MEMORY_LIMIT(
      "buildMemoryLimitBytes", "Memory that filters under construction may have", () -> 0),
  /** Number of files that got the stock filter in place of Winnow's because a setting is wrong. */
  FALLBACKS_WRONG_SETTING(
      "fallbacksWrongSetting", "Files with the stock filter because of a wrong setting"),
  /** Number of files that got the stock filter in place of Winnow's because memory is short. */
  FALLBACKS_MEMORY_LIMIT(
      "fallbacksMemoryLimit", "Files with the stock filter because of the memory limit"),
  /**
   * Number of files that got the stock filter in place of Winnow's because Winnow's code failed.
   */
  FALLBACKS_FAILURE("fallbacksFailure", "Files with the stock filter because Winnow failed"),
  /**
   * Number of filters that were abandoned while their files were written, so that the files have
   * none.
   */
  FILTERS_ABANDONED("filtersAbandoned", "Filters abandoned while their files were written"),
  /** Number of files that are written without the key segments that their family asks for. */
  SEGMENTS_ABANDONED("segmentsAbandoned", "Segments abandoned while their files were written"),
  /** Number of damaged chunks of filters, which are not probed any more. */
  CHUNKS_GIVEN_UP("chunksGivenUp", "Damaged chunks, not probed any more"),
  /** Number of failed attempts to load a chunk of a filter. */
  LOAD_FAILURES("loadFailures", "Times a chunk could not be loaded"),
  /** Number of loads of chunks that the block cache had evicted. */
  CHUNK_RELOADS("chunkReloads", "Chunks loaded again after the block cache had evicted them"),
  /**
   * Number of queries that were answered <i>maybe</i> because the block cache had evicted their
   * chunk and it was not loaded again.
   */
  LOADS_SKIPPED("loadsSkipped", "Queries answered maybe without a load of their evicted chunk"),
  /** Number of files that were written as if the other files of their store were not known. */
  STORE_FAILURES("storeFailures", "Files written as if their store were not known"),
  /** Number of probes of filters that failed for another reason than a failed load of a chunk. */
  PROBE_FAILURES("probeFailures", "Probes that failed"),
  /** Number of filters and key segments that could not be opened. */
  OPEN_FAILURES("openFailures", "Filters and segments that could not be opened");

  /** The name that a metric of a region server has in JMX. */
  public final String label;

  /** The meaning of a metric of a region server in a few words. */
  final String meaning;

  private final LongAdder counted = new LongAdder();

  /** Source of the value of a metric that is a gauge; null for a counter. */
  private volatile LongSupplier source;

  /** Creates a metric that is a counter. */
  ServerMetric(String label, String meaning) {
    this(label, meaning, null);
  }

  /**
   * Creates a metric that is a gauge, with a first source of its value, which {@link #measure} may
   * replace.
   */
  ServerMetric(String label, String meaning, LongSupplier source) {
    this.label = label;
    this.meaning = meaning;
    this.source = source;
  }

  /** Adds one to the value of a metric that is a counter. */
  public void count() {
    counted.increment();
  }

  /** Adds an amount to the value of a metric that is a counter. */
  public void add(long amount) {
    counted.add(amount);
  }

  /** Sets the source from which a metric that is a gauge gets its value. */
  public void measure(LongSupplier newSource) {
    source = newSource;
  }

  /** Returns the sum of a metric that is a counter, or the present value of a gauge. */
  public long value() {
    return isGauge() ? source.getAsLong() : counted.sum();
  }

  /**
   * Returns the value of a metric in the unit that its published name has, such as milliseconds.
   */
  long published() {
    return value();
  }

  /** Returns true if the metric is a gauge, false if it is a counter, which only rises. */
  boolean isGauge() {
    return source != null;
  }
}
