package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.cascade.CascadeCount;
import io.winnow.cascade.CascadeStatistics;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * A benchmark that inserts all keys into a cascade filter, without tombstones and with them, and
 * measures lookups.
 */
final class CascadeRuns {
  static final int BUCKETS = 200;

  /**
   * Number of inserts between two readings of the clock; reading it takes a tenth of the time of an
   * insert.
   */
  static final int GROUP = 8;

  /** Number of inserted keys for each deleted one, if the filter can delete keys. */
  private static final int DELETED = 20;

  /**
   * Number of keys, as a share of all, that are inserted in each of two measurements of lookups
   * during inserts.
   */
  private static final double MORE = 0.05;

  private static final int GROWTH_STEPS = 7;
  static final int GROWTH_LOOKUPS = 1000;
  private static final double KEYS_PER_SECOND = 8e6;

  private final CascadeBench options;
  private final Path directory;
  private final Results results;
  private final Progress progress;

  CascadeRuns(CascadeBench options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.directory = directory;
    this.results = results;
    this.progress = progress;
  }

  /** Returns the approximate seconds that the benchmark of the cascade filter takes. */
  static double weight(CascadeBench options) {
    double each = options.keys / KEYS_PER_SECOND + 3 * options.seconds;
    return (options.runs(CascadeBench.CASCADE) ? each + options.seconds : 0)
        + (options.runs(CascadeBench.TOMBSTONES) ? each + 2 * options.seconds : 0);
  }

  void run() throws IOException {
    if (options.runs(CascadeBench.CASCADE)) {
      measure(CascadeMetrics.CASCADE, false);
    }
    if (options.runs(CascadeBench.TOMBSTONES)) {
      measure(CascadeMetrics.TOMBSTONES, true);
    }
  }

  private void measure(String name, boolean deletes) throws IOException {
    Path files = directory.resolve(deletes ? "tombstones" : "cascade");
    try (Cascade filter = Cascade.open(files, options, deletes)) {
      ingest(name, filter, files, !deletes);
      lookups(name, filter);
      if (deletes) {
        deletes(name, filter);
      } else {
        lookupsDuringInserts(name, filter);
      }
      results.add(
          CascadeMetrics.INGEST,
          Map.of(CascadeMetrics.FILTER, name),
          "failedLookups",
          filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
    } finally {
      delete(files);
    }
  }

  private void ingest(String name, Cascade filter, Path files, boolean growing) throws IOException {
    long[] peak = new long[1];
    TimedInserts.Outcome outcome =
        new TimedInserts(filter, GROUP)
            .all(
                options.keys,
                BUCKETS,
                (bucket, keys, seconds) -> {
                  if (growing && isGrowthStep(bucket + 1)) {
                    growth(filter, keys, seconds);
                  }
                  peak[0] = Math.max(peak[0], bytesIn(files));
                  if ((bucket + 1) % (BUCKETS / 20) == 0) {
                    progress.step(
                        options.keys / KEYS_PER_SECOND / 20,
                        name,
                        Table.number(keys, 0)
                            + " keys, "
                            + Table.number(keys / seconds, 0)
                            + " inserts/s so far, "
                            + filter.statistics().levels().size()
                            + " levels");
                  }
                });
    long before = System.nanoTime();
    filter.settle();
    double settling = (System.nanoTime() - before) / 1e9;
    CascadeStatistics settled = filter.statistics();
    CascadeMetrics.ingest(results, name, outcome, filter.flashBytes());
    Map<String, String> at = Map.of(CascadeMetrics.FILTER, name);
    results.add(CascadeMetrics.INGEST, at, "bucketSeconds", outcome.bucketSeconds());
    results.add(CascadeMetrics.INGEST, at, "bucketLongestMillis", outcome.bucketLongestMillis());
    results.add(CascadeMetrics.INGEST, at, "settleSeconds", settling);
    results.add(CascadeMetrics.INGEST, at, "peakBytes", peak[0]);
    results.add(CascadeMetrics.INGEST, at, "levels", settled.levels().size());
    results.add(
        CascadeMetrics.INGEST, at, "memoryLevelKeys", settled.get(CascadeCount.MEMORY_CAPACITY));
    results.add(CascadeMetrics.INGEST, at, "rewrites", settled.writeAmplification());
    results.add(CascadeMetrics.INGEST, at, "stalls", settled.get(CascadeCount.STALLS));
    results.add(
        CascadeMetrics.INGEST, at, "stalledSeconds", settled.get(CascadeCount.STALLED_NANOS) / 1e9);
    results.add(
        CascadeMetrics.INGEST, at, "pacedSeconds", settled.get(CascadeCount.PACED_NANOS) / 1e9);
    results.add(CascadeMetrics.INGEST, at, "expectedRate", settled.expectedRate());
  }

  /**
   * Returns whether lookups are measured after a bucket of inserts: after all keys, half of them, a
   * quarter, and so on.
   */
  private static boolean isGrowthStep(int buckets) {
    for (int step = 0; step < GROWTH_STEPS; step++) {
      if (buckets == BUCKETS >> step) {
        return true;
      }
    }
    return false;
  }

  private void growth(Cascade filter, long keys, double seconds) throws IOException {
    CascadeStatistics statistics = filter.statistics();
    TimedLookups.Outcome lookups = TimedLookups.some(filter, Keys::absent, GROWTH_LOOKUPS);
    Map<String, String> at = Map.of("keys", String.valueOf(keys));
    results.add(CascadeMetrics.GROWTH, at, "seconds", seconds);
    results.add(CascadeMetrics.GROWTH, at, "flashBytes", statistics.get(CascadeCount.FLASH_BYTES));
    results.add(CascadeMetrics.GROWTH, at, "levels", statistics.levels().size());
    results.add(CascadeMetrics.GROWTH, at, "rewrites", statistics.writeAmplification());
    results.add(
        CascadeMetrics.GROWTH, at, "writtenBytes", (double) statistics.io().writtenBytes() / keys);
    results.add(CascadeMetrics.GROWTH, at, CascadeMetrics.PER_SECOND, lookups.perSecond());
    results.add(
        CascadeMetrics.GROWTH,
        at,
        "pages",
        (double)
                (filter.statistics().get(CascadeCount.LOOKUP_READS)
                    - statistics.get(CascadeCount.LOOKUP_READS))
            / lookups.lookups());
  }

  private void lookups(String name, Cascade filter) throws IOException {
    int levels = filter.statistics().levels().size();
    long pagesBefore = filter.statistics().get(CascadeCount.LOOKUP_READS);
    TimedLookups.Outcome absent = TimedLookups.single(filter, Keys::absent, options.seconds);
    CascadeMetrics.lookups(results, name, CascadeMetrics.ABSENT, absent);
    Map<String, String> at =
        Map.of(CascadeMetrics.FILTER, name, CascadeMetrics.WORK, CascadeMetrics.ABSENT);
    results.add(CascadeMetrics.LOOKUP, at, "levels", levels);
    results.add(
        CascadeMetrics.LOOKUP,
        at,
        "pages",
        (double) (filter.statistics().get(CascadeCount.LOOKUP_READS) - pagesBefore)
            / absent.lookups());
    step(name, absent, "lookups/s of absent keys, one at a time, in " + of(levels));
    TimedLookups.Outcome batched =
        TimedLookups.batched(
            filter, filter::positives, options.batch, Keys::absent, options.seconds);
    CascadeMetrics.lookups(results, name, CascadeMetrics.BATCHED, batched);
    step(name, batched, "lookups/s of absent keys, batched, in " + of(levels));
    TimedLookups.Outcome present =
        TimedLookups.batched(
            filter,
            filter::positives,
            options.batch,
            i -> Keys.present(spread(i, options.keys)),
            options.seconds);
    CascadeMetrics.lookups(results, name, CascadeMetrics.PRESENT, present);
    step(name, present, "lookups/s of present keys, batched");
  }

  /** Measures lookups of a cascade filter while at most a tenth more keys are inserted. */
  private void lookupsDuringInserts(String name, Cascade filter) throws IOException {
    Events events = new Events(options.keys);
    double seconds = options.seconds / 2;
    long more = Math.round(options.keys * MORE);
    DuringIngest.Outcome single =
        new DuringIngest(filter, events, options.keys + more).measure(1, seconds);
    single.addTo(results, CascadeMetrics.LOOKUP, name);
    DuringIngest.Outcome batched =
        new DuringIngest(filter, events, options.keys + 2 * more).measure(options.batch, seconds);
    batched.addTo(results, CascadeMetrics.LOOKUP, name);
    step(
        name,
        single.lookups(),
        "lookups/s of absent keys, one at a time, during "
            + Table.number(single.insertsPerSecond(), 0)
            + " inserts/s");
  }

  /**
   * Returns the number of levels of a cascade filter as text, because only figures for one number
   * of levels can be compared: each level is one more read.
   */
  private static String of(int levels) {
    return levels == 1 ? "1 level" : levels + " levels";
  }

  /** Returns the i-th number of a sequence that is spread over all numbers below a bound. */
  private static long spread(long i, long bound) {
    return Long.remainderUnsigned(Keys.scramble(i), bound);
  }

  /**
   * Deletes some keys of a cascade filter, evenly spread, and measures lookups of deleted and of
   * other keys.
   */
  private void deletes(String name, Cascade filter) throws IOException {
    long count = options.keys / DELETED;
    Histogram nanos = new Histogram(3);
    long start = System.nanoTime();
    long last = start;
    for (long i = 0; i < count; i++) {
      filter.delete(Keys.present(i * DELETED));
      if (i % GROUP == GROUP - 1) {
        long now = System.nanoTime();
        nanos.recordValue(now - last);
        last = now;
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    CascadeMetrics.operations(
        results,
        CascadeMetrics.DELETES,
        Map.of(CascadeMetrics.FILTER, name),
        count,
        seconds,
        nanos);
    filter.settle();
    progress.step(options.seconds, name, Table.number(count / seconds, 0) + " deletes/s");
    TimedLookups.Outcome deleted =
        TimedLookups.batched(
            filter,
            filter::positives,
            options.batch,
            i -> Keys.present(spread(i, count) * DELETED),
            options.seconds / 2);
    CascadeMetrics.lookups(results, name, CascadeMetrics.DELETED, deleted);
    TimedLookups.Outcome left =
        TimedLookups.batched(
            filter,
            filter::positives,
            options.batch,
            i -> Keys.present(spread(i, count) * DELETED + 1),
            options.seconds / 2);
    CascadeMetrics.lookups(results, name, CascadeMetrics.LEFT, left);
    step(name, left, "lookups/s of keys that were left");
  }

  private void step(String name, TimedLookups.Outcome outcome, String what) {
    progress.step(options.seconds, name, Table.number(outcome.perSecond(), 0) + " " + what);
  }

  /**
   * Returns the number of bytes in all files of the filter's directory. Merges make and delete some
   * meanwhile.
   */
  private static long bytesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static void delete(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : List.copyOf(files.toList())) {
          Files.delete(file);
        }
      }
    }
    Files.deleteIfExists(directory);
  }
}
