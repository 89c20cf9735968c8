package io.winnow.bench.drive;

import com.sun.management.OperatingSystemMXBean;
import io.winnow.bench.Keys;
import io.winnow.bench.Samples;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.function.DoublePredicate;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;

/**
 * A measurement of operations by one thread, one after the other: their number, their times, their
 * positive answers, and the reads and writes of the drive meanwhile.
 *
 * <p>If an operation takes little longer than reading the clock, the clock is read once per group
 * of operations. A group's time is never shorter than that of any operation in it, so the share of
 * operations that take longer than some time is at most that of the groups.
 */
final class Timed {
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private static final long LONGEST_NANOS = 24L * 3600 * 1_000_000_000;

  /** Times of the groups of operations. */
  final Histogram nanos = histogram();

  long operations;

  /** Number of lookups with a positive answer. */
  long positives;

  /** Reads and writes of the drive meanwhile. */
  IoSnapshot traffic;

  /** Number of pages that lookups read meanwhile. */
  long pages;

  /** CPU time of all threads meanwhile, those in the background too. */
  long cpuNanos;

  private final Source source;
  private final Structure.State before;
  private final long cpuBefore = PROCESS.getProcessCpuTime();
  private final long start;
  private long last;

  /** A group of operations. */
  interface Step {
    void run(long first, int count) throws IOException;
  }

  /** The structure that works meanwhile. */
  interface Source {
    /** Returns what the structure has done so far, and what it does now. */
    Structure.State state() throws IOException;
  }

  /** Begins a measurement of operations of a structure that has the given state. */
  Timed(Source source) throws IOException {
    this.source = source;
    this.before = source.state();
    this.start = System.nanoTime();
  }

  static Histogram histogram() {
    return new Histogram(LONGEST_NANOS, 3);
  }

  /**
   * Goes on with the operations until there are as many as given.
   *
   * @param group number of operations for each reading of the clock
   * @param until number of all operations of this measurement
   */
  Timed run(int group, long until, Step step) throws IOException {
    return run(group, until, seconds -> false, step);
  }

  /**
   * Goes on with the operations until there are as many as given, or an end is reached.
   *
   * @param end returns whether the operations end after that many seconds
   */
  Timed run(int group, long until, DoublePredicate end, Step step) throws IOException {
    begin();
    do {
      int count = (int) Math.min(group, until - operations);
      step.run(operations, count);
      operations += count;
      long now = System.nanoTime();
      nanos.recordValue(now - last);
      last = now;
    } while (operations < until && !end.test(seconds()));
    return endAt(last);
  }

  /** Leaves the time since the last group out of the time of the next one. */
  void begin() {
    last = System.nanoTime();
  }

  /** Ends the measurement now, after work that the operations have put off. */
  Timed end() throws IOException {
    return endAt(System.nanoTime());
  }

  private Timed endAt(long now) throws IOException {
    last = now;
    Structure.State state = source.state();
    traffic = state.traffic().since(before.traffic());
    pages = state.lookupPages() - before.lookupPages();
    cpuNanos = PROCESS.getProcessCpuTime() - cpuBefore;
    return this;
  }

  /** Returns the seconds from the beginning of the measurement to the last operation. */
  double seconds() {
    return (last - start) / 1e9;
  }

  double perSecond() {
    return operations / seconds();
  }

  /** Adds the figures of the operations to samples that have no others. */
  Samples addTo(Samples samples) {
    return samples
        .add("operations", operations)
        .add("seconds", seconds())
        .add("perSecond", perSecond())
        .latencies("", nanos)
        .traffic("", operations, traffic);
  }

  /** Adds the figures of lookups to samples that have no others. */
  Samples addLookupsTo(Samples samples) {
    return addTo(samples).add("positives", positives).add("pages", (double) pages / operations);
  }

  /** Returns a step that inserts the present keys from a number on. */
  static Step inserting(Structure structure, long from) {
    return (first, count) -> {
      for (int i = 0; i < count; i++) {
        structure.insert(Keys.present(from + first + i));
      }
    };
  }

  /** Looks up keys for some seconds, one at a time or in batches. */
  static Timed lookups(Structure structure, int batch, LongUnaryOperator keys, double length)
      throws IOException {
    return lookups(structure, batch, keys, Long.MAX_VALUE, seconds -> seconds >= length);
  }

  /** Looks up keys, one at a time or in batches, until there were so many or an end is reached. */
  static Timed lookups(
      Structure structure, int batch, LongUnaryOperator keys, long until, DoublePredicate end)
      throws IOException {
    long[] asked = new long[batch];
    Timed timed = new Timed(structure);
    return timed.run(
        batch,
        until,
        end,
        (first, count) -> {
          for (int i = 0; i < batch; i++) {
            asked[i] = keys.applyAsLong(first + i);
          }
          timed.positives +=
              batch > 1
                  ? structure.mightContain(asked).cardinality()
                  : structure.mightContain(asked[0]) ? 1 : 0;
        });
  }
}
