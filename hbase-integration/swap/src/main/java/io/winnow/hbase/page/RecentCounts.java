package io.winnow.hbase.page;

import io.winnow.hbase.metrics.ServerView;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Events per second, such as unnecessary file reads and reloads of chunks, computed from the
 * present counters and those at an earlier request for the page {@code /winnow}.
 *
 * <p>A rate covers at least {@value #SECONDS} s: the time since an earlier request, or since the
 * start of the JVM. In the first {@value #SECONDS} s there is none. Few snapshots of the counters
 * are kept. Thread-safe.
 */
final class RecentCounts {
  static final int SECONDS = 60;

  /** Minimum number of seconds between two snapshots of the counters. */
  private static final int MIN_SECONDS_APART = 5;

  /** Name of the counter of unnecessary file reads, which each column family has too. */
  static final String FALSE_READS = "falsePositives";

  /** Names of the counters of the server alone whose rates the page shows. */
  static final String QUERIES = "filterRequests";

  static final String RELOADS = "chunkReloads";
  static final String SKIPPED = "loadsSkipped";
  private static final Set<String> OF_SERVER = Set.of(QUERIES, RELOADS, SKIPPED);

  private static final class Snapshot {
    final long nanoTime;
    final Map<String, Long> counts;

    Snapshot(long nanoTime, Map<String, Long> counts) {
      this.nanoTime = nanoTime;
      this.counts = counts;
    }
  }

  /** Rates of the counted events over an interval that ends now. */
  static final class Rates {
    final double seconds;
    private final Map<String, Long> before;
    private final ServerView now;

    private Rates(double seconds, Map<String, Long> before, ServerView now) {
      this.seconds = seconds;
      this.before = before;
      this.now = now;
    }

    /** Returns true if the interval is too short for a rate. */
    boolean isTooShort() {
      return seconds < SECONDS;
    }

    /** Returns in words over which time the rates are. */
    String interval() {
      return isTooShort()
          ? "The server has run for less"
          : "A mean over the last " + Math.round(seconds) + " s";
    }

    /**
     * Returns the unnecessary file reads per second of one column family or of the server.
     *
     * @param prefix prefix of a family's metrics; empty for the server's
     */
    double falseReadsPerSecond(String prefix) {
      return perSecond(prefix + FALSE_READS);
    }

    /**
     * Returns the events per second of one of the server's counters; NaN if the interval is shorter
     * than {@value #SECONDS} s.
     */
    double perSecond(String name) {
      if (isTooShort()) {
        return Double.NaN;
      }
      long more = now.value(name) - before.getOrDefault(name, 0L);
      return Math.max(0, more) / seconds; // counters of a dropped family begin at 0 again
    }

    /**
     * Returns the share of queries of filters that missed a chunk which the block cache had
     * evicted; NaN if there was no query.
     */
    double missesPerQuery() {
      double queries = perSecond(QUERIES);
      return queries > 0 ? (perSecond(RELOADS) + perSecond(SKIPPED)) / queries : Double.NaN;
    }
  }

  private final LongSupplier nanoTime;
  private final Deque<Snapshot> snapshots = new ArrayDeque<>();

  /**
   * Creates a calculator of events per second that begins at a time when all counters were 0.
   *
   * @param nanoTime clock
   * @param start time when all counters were 0, by the same clock
   */
  RecentCounts(LongSupplier nanoTime, long start) {
    this.nanoTime = nanoTime;
    snapshots.add(new Snapshot(start, Map.of()));
  }

  static RecentCounts sinceStartOfJvm() {
    long age = TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getRuntimeMXBean().getUptime());
    return new RecentCounts(System::nanoTime, System.nanoTime() - age);
  }

  /**
   * Returns the rates of the counted events up to now, and records the counters for later requests.
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
                if (name.endsWith(FALSE_READS) || OF_SERVER.contains(name)) {
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
