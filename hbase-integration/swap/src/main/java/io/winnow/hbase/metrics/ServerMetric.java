package io.winnow.hbase.metrics;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The metrics of this JVM's filters that are not of a family or a kind of filter, in the order of
 * publication. A new counter is a line here. Every method is cheap, throws nothing, and may be
 * called from any thread.
 */
public enum ServerMetric {
  /** Chunks that were built. */
  CHUNKS_BUILT("chunksBuilt", "Chunks of filters built"),
  /** Keys of the chunks that were built. */
  KEYS_BUILT("keysBuilt", "Keys in the chunks built"),
  /** Nanoseconds to build chunks, published in milliseconds. */
  BUILD_NANOS("buildMillis", "Time to build chunks, ms") {
    @Override
    long published() {
      return value() / 1_000_000;
    }
  },
  /** Failed attempts to build a chunk. */
  REBUILDS("rebuilds", "Failed attempts before the one that made a chunk"),
  /** Bytes of memory of filters under construction. */
  BUILD_MEMORY("buildMemoryBytes", "Memory of filters under construction", () -> 0),
  /** Bytes of memory that filters under construction may have. */
  BUILD_MEMORY_LIMIT(
      "buildMemoryLimitBytes", "Memory that filters under construction may have", () -> 0),
  /** Files with the stock filter in place of ours because a setting is wrong. */
  FALLBACKS_WRONG_SETTING(
      "fallbacksWrongSetting", "Files with the stock filter because of a wrong setting"),
  /** Files with the stock filter in place of ours because memory is short. */
  FALLBACKS_MEMORY_LIMIT(
      "fallbacksMemoryLimit", "Files with the stock filter because of the memory limit"),
  /** Files with the stock filter in place of ours because our code failed. */
  FALLBACKS_FAILURE("fallbacksFailure", "Files with the stock filter because Winnow failed"),
  /** Filters that were abandoned while their files were written: the files have none. */
  FILTERS_ABANDONED("filtersAbandoned", "Filters abandoned while their files were written"),
  /** Damaged chunks, which are not probed any more. */
  CHUNKS_GIVEN_UP("chunksGivenUp", "Damaged chunks, not probed any more"),
  /** Failed attempts to load a chunk. */
  LOAD_FAILURES("loadFailures", "Times a chunk could not be loaded"),
  /** Files that were written as if their store were not known. */
  STORE_FAILURES("storeFailures", "Files written as if their store were not known"),
  /** Probes that failed for another reason than a failed load. */
  PROBE_FAILURES("probeFailures", "Probes that failed"),
  /** Filters that could not be opened. */
  OPEN_FAILURES("openFailures", "Filters that could not be opened");

  private final String label;
  private final String meaning;
  private final LongAdder counted = new LongAdder();

  /** The source of a gauge's value; null for a counter. */
  private volatile LongSupplier source;

  /** A counter. */
  ServerMetric(String label, String meaning) {
    this(label, meaning, null);
  }

  /** A gauge, whose value is {@code source} until {@link #measure} sets another. */
  ServerMetric(String label, String meaning, LongSupplier source) {
    this.label = label;
    this.meaning = meaning;
    this.source = source;
  }

  /** Counts one. */
  public void count() {
    counted.increment();
  }

  /** Counts an amount. */
  public void add(long amount) {
    counted.add(amount);
  }

  /** Sets the source of a gauge's value. */
  public void measure(LongSupplier newSource) {
    source = newSource;
  }

  /** Returns the sum of a counter, or the value of a gauge. */
  public long value() {
    return isGauge() ? source.getAsLong() : counted.sum();
  }

  /** Returns the value in the unit of the name. */
  long published() {
    return value();
  }

  /** Returns true if it is a gauge, false if it is a counter, which only rises. */
  boolean isGauge() {
    return source != null;
  }

  /** Returns the name in JMX. */
  String label() {
    return label;
  }

  /** Returns the meaning in a few words. */
  String meaning() {
    return meaning;
  }
}
