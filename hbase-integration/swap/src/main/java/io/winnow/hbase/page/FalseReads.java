package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerView;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Unnecessary file reads per second, computed from the present counters and those at an earlier
 * request for the page {@code /winnow}.
 *
 * <p>A rate covers at least {@value #SECONDS} s if the page was requested that long ago. Otherwise
 * it covers the time since the last request or since the start of the JVM. Few snapshots of the
 * counters are kept. Thread-safe.
 */
final class FalseReads {
  static final int SECONDS = 60;

  /** Minimum number of seconds between two snapshots of the counters of unnecessary file reads. */
  private static final int MIN_SECONDS_APART = 5;

  private static final String NAME = "falsePositives";

  private static final class Snapshot {
    final long nanoTime;
    final Map<String, Long> counts;

    Snapshot(long nanoTime, Map<String, Long> counts) {
      this.nanoTime = nanoTime;
      this.counts = counts;
    }
  }

  /** Rates of unnecessary file reads over an interval that ends now. */
  static final class Rates {
    final double seconds;
    private final Map<String, Long> before;
    private final ServerView now;

    private Rates(double seconds, Map<String, Long> before, ServerView now) {
      this.seconds = seconds;
      this.before = before;
      this.now = now;
    }

    /**
     * Returns the unnecessary file reads per second of one column family or of the server.
     *
     * @param prefix prefix of a family's metrics; empty for the server's
     */
    double perSecond(String prefix) {
      long more = now.value(prefix + NAME) - before.getOrDefault(prefix + NAME, 0L);
      return Math.max(0, more) / seconds; // counters of a dropped family begin at 0 again
    }
  }

  private final LongSupplier nanoTime;
  private final Deque<Snapshot> snapshots = new ArrayDeque<>();

  /**
   * Creates a calculator of unnecessary file reads per second that begins at a time when all
   * counters were 0.
   *
   * @param nanoTime clock
   * @param start time when all counters were 0, by the same clock
   */
  FalseReads(LongSupplier nanoTime, long start) {
    this.nanoTime = nanoTime;
    snapshots.add(new Snapshot(start, Map.of()));
  }

  static FalseReads sinceStartOfJvm() {
    long age = TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getRuntimeMXBean().getUptime());
    return new FalseReads(System::nanoTime, System.nanoTime() - age);
  }

  /**
   * Returns the rates of unnecessary file reads up to now, and records the counters for later
   * requests.
   */
  synchronized Rates sample(ServerView view) {
    long now = nanoTime.getAsLong();
    while (snapshots.size() > 1 && isOld(second(), now)) {
      snapshots.removeFirst();
    }
    Snapshot base = snapshots.getFirst();
    if (now - snapshots.getLast().nanoTime >= TimeUnit.SECONDS.toNanos(MIN_SECONDS_APART)) {
      Map<String, Long> counts = new HashMap<>();
      view.values()
          .forEach(
              (name, value) -> {
                if (name.endsWith(NAME)) {
                  counts.put(name, value);
                }
              });
      snapshots.addLast(new Snapshot(now, counts));
    }
    return new Rates(Math.max(1, now - base.nanoTime) / 1e9, base.counts, view);
  }

  private Snapshot second() {
    return snapshots.stream().skip(1).findFirst().orElseThrow();
  }

  private static boolean isOld(Snapshot snapshot, long now) {
    return now - snapshot.nanoTime >= TimeUnit.SECONDS.toNanos(SECONDS);
  }
}
