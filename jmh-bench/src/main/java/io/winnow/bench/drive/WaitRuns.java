package io.winnow.bench.drive;

import io.winnow.flash.buffered.BufferedBloomCount;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * A benchmark of the time of a probe of the buffered Bloom filter by the longest wait that the
 * filter may let a probe have, {@code t_max}: figure 3 of Canim et al. Probes come at a fixed pace.
 * The time of a probe begins when it is due, so one that could not be passed on in time waits in a
 * queue, as in the paper.
 */
final class WaitRuns {
  static final int[] MILLIS = {10, 50, 100, 250, 500, 750, 1000, 1500};

  private static final int BATCH = 64;

  /**
   * Number of probes of which one is timed, because reading the clock takes as long as a probe's
   * answer.
   */
  private static final int TIMED = 16;

  /** Number of probes per second, as a share of the largest number that the filter can answer. */
  private static final double SHARE_OF_PACE = 0.3;

  private static final int LONGEST_WAITS = 4;
  private static final double KEYS_PER_SECOND = 4e6;
  private static final long LONGEST_NANOS = 3600L * 1_000_000_000;

  private final FlashBench options;
  private final Path directory;
  private final Results results;
  private final Progress progress;

  WaitRuns(FlashBench options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.directory = directory;
    this.results = results;
    this.progress = progress;
  }

  /**
   * Returns the approximate seconds that the benchmark of the buffered Bloom filter's waits takes.
   */
  static double weight(FlashBench options) {
    if (!options.runs(FlashBench.WAITS)) {
      return 0;
    }
    double sum = options.buildKeys() / KEYS_PER_SECOND + options.seconds / 2;
    for (int millis : MILLIS) {
      sum += seconds(options, millis);
    }
    return sum;
  }

  private static double seconds(FlashBench options, int millis) {
    double waits = Math.min(LONGEST_WAITS * millis / 1e3, 2 * options.seconds);
    return Math.max(options.seconds / 2, waits);
  }

  static String workload(int millis) {
    return FlashMetrics.WAIT + millis + " ms";
  }

  void run() throws IOException {
    if (!options.runs(FlashBench.WAITS)) {
      return;
    }
    Path files = directory.resolve("waits");
    try {
      build(files);
      double pace = SHARE_OF_PACE * closedLoop(files);
      FlashMetrics.setup(results, "waitsOfferedPerSecond", pace);
      for (int millis : MILLIS) {
        paced(files, millis, pace);
      }
    } finally {
      ScratchDirectory.delete(files);
    }
  }

  private BufferedBloomOptions shape() {
    long memory = options.memoryBytes();
    return BufferedRuns.buffered(options)
        .hashFunctions(2)
        .memoryBudget(memory)
        .requestBytes(FlashBench.requestBytes(memory));
  }

  private void build(Path files) throws IOException {
    long[] batch = new long[ProbeKeys.BATCH];
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(files, shape())) {
      for (long i = 0; i < keys(); i += batch.length) {
        ProbeKeys.built(i, batch);
        filter.insert(batch, 0, batch.length);
      }
    }
    progress.step(
        options.buildKeys() / KEYS_PER_SECOND,
        FlashMetrics.BUFFERED,
        Table.number(keys(), 0) + " keys to probe");
  }

  private long keys() {
    return options.buildKeys() / ProbeKeys.BATCH * ProbeKeys.BATCH;
  }

  /**
   * Returns the number of probes per second that the buffered Bloom filter answers if they come as
   * fast as it takes them.
   */
  private double closedLoop(Path files) throws IOException {
    long[] batch = new long[ProbeKeys.BATCH];
    long probes = 0;
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(files, shape().onAnswer((tag, answer) -> {}))) {
      long start = System.nanoTime();
      while (System.nanoTime() - start < options.seconds / 2 * 1e9) {
        ProbeKeys.probed(probes, keys(), batch);
        filter.probe(batch, 0, batch.length, 0);
        probes += batch.length;
      }
      filter.drain();
      double perSecond = probes / ((System.nanoTime() - start) / 1e9);
      progress.step(
          options.seconds / 2,
          FlashMetrics.BUFFERED,
          Table.number(perSecond, 0) + " deferred probes/s at most");
      return perSecond;
    }
  }

  private void paced(Path files, int millis, double pace) throws IOException {
    double seconds = seconds(options, millis);
    int probes = (int) (pace * seconds) / BATCH * BATCH;
    long[] due = new long[probes / TIMED + 1];
    Histogram nanos = new Histogram(LONGEST_NANOS, 3);
    LongAdder lost = new LongAdder();
    LongAdder falsePositives = new LongAdder();
    TimedAccess drive = new TimedAccess();
    BufferedBloomOptions opened =
        shape()
            .fileAccess(drive)
            .maxWait(Duration.ofMillis(millis))
            .onAnswer(
                (tag, answer) -> {
                  if (tag % TIMED == 0) {
                    nanos.recordValue(System.nanoTime() - due[tag / TIMED]);
                  }
                  if (answer != ProbeKeys.isPresent(tag)) {
                    (answer ? falsePositives : lost).increment();
                  }
                });
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(files, opened)) {
      IoSnapshot before = filter.statistics().io();
      long[] batch = new long[BATCH];
      double nanosPerProbe = 1e9 / pace;
      long start = System.nanoTime();
      for (int i = 0; i < probes; i += BATCH) {
        for (int j = 0; j < BATCH; j++) {
          batch[j] = ProbeKeys.probed(i + j, keys());
          if ((i + j) % TIMED == 0) {
            due[(i + j) / TIMED] = start + (long) ((i + j) * nanosPerProbe);
          }
        }
        awaitDue(start + (long) ((i + BATCH) * nanosPerProbe));
        filter.probe(batch, 0, BATCH, i);
      }
      double taken = (System.nanoTime() - start) / 1e9;
      filter.drain();
      FlashStatistics<BufferedBloomCount> after = filter.statistics();
      new FlashMetrics(results, FlashMetrics.BUFFERED, workload(millis))
          .add(FlashMetrics.MEMORY, options.memoryBytes())
          .add(FlashMetrics.KEYS, keys())
          .add("maxWaitMillis", millis)
          .add("longestWaitMillis", after.get(BufferedBloomCount.LONGEST_WAIT_NANOS) / 1e6)
          .add("longestRequestMillis", drive.longestNanos() / 1e6)
          .add("offeredPerSecond", pace)
          .add(FlashMetrics.PROBES, probes / taken)
          .add(FlashMetrics.RATE, falsePositives.sum() / (probes / 2.0))
          .add(FlashMetrics.LOST, lost.sum() + after.get(BufferedBloomCount.WAITING_PROBES))
          .latencies(FlashMetrics.LOOKUP, nanos)
          .traffic(FlashMetrics.LOOKUP, probes, after.io().since(before));
      progress.step(
          seconds,
          workload(millis),
          Table.number(nanos.getMean() / 1e6, 0)
              + " ms to an answer, the longest wait in a block "
              + Table.number(after.get(BufferedBloomCount.LONGEST_WAIT_NANOS) / 1e6, 0)
              + " ms");
    }
  }

  private static void awaitDue(long due) {
    long left = due - System.nanoTime();
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = due - System.nanoTime();
    }
  }
}
