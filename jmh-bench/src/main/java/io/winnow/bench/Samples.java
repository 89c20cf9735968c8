package io.winnow.bench;

import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.report.Results;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The samples of one benchmark with its parameters, which go into the results. */
public record Samples(Results results, String benchmark, Map<String, String> at) {
  /** Beginning of the metrics of inserts, where a case has those of lookups too. */
  public static final String INSERT = "insert";

  public static final String LOOKUP = "lookup";

  private static final long FAST_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  /** Returns the samples that have one more parameter. */
  Samples at(String parameter, String value) {
    Map<String, String> more = new TreeMap<>(at);
    more.put(parameter, value);
    return new Samples(results, benchmark, more);
  }

  public Samples add(String metric, double... values) {
    results.add(benchmark, at, metric, values);
    return this;
  }

  /**
   * Adds the distribution of times to the samples.
   *
   * @param what {@link #INSERT} or {@link #LOOKUP}, or nothing if the case has only one of them
   */
  public Samples latencies(String what, Histogram nanos) {
    if (nanos.getTotalCount() == 0) {
      return this;
    }
    long fast = nanos.getCountBetweenValues(0, FAST_NANOS);
    return add(name(what, "meanMicros"), nanos.getMean() / 1e3)
        .add(name(what, "p50Micros"), nanos.getValueAtPercentile(50) / 1e3)
        .add(name(what, "p99Micros"), nanos.getValueAtPercentile(99) / 1e3)
        .add(name(what, "p999Micros"), nanos.getValueAtPercentile(99.9) / 1e3)
        .add(name(what, "maxMicros"), nanos.getMaxValue() / 1e3)
        .add(name(what, "below100Micros"), (double) fast / nanos.getTotalCount());
  }

  /** Adds the numbers of reads and writes of the drive per operation to the samples. */
  public Samples traffic(String what, long operations, IoSnapshot traffic) {
    return add(name(what, "reads"), (double) traffic.reads() / operations)
        .add(name(what, "readBytes"), (double) traffic.readBytes() / operations)
        .add(name(what, "writes"), (double) traffic.writes() / operations)
        .add(name(what, "writtenBytes"), (double) traffic.writtenBytes() / operations);
  }

  /** Returns the benchmark and its parameters in words. */
  @Override
  public String toString() {
    return benchmark + ' ' + at;
  }

  private static String name(String what, String metric) {
    return what.isEmpty()
        ? metric
        : what + Character.toUpperCase(metric.charAt(0)) + metric.substring(1);
  }
}
