package io.winnow.bench.drive;

import io.winnow.bench.Part;
import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import io.winnow.flash.buffered.BufferedBloomCount;
import io.winnow.flash.buffered.BufferedBloomFilter;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.flash.store.FlashStatistics;
import io.winnow.flash.store.IoSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * The time of a probe of the buffered Bloom filter by the longest wait that the filter may let a
 * probe have, {@code t_max}: figure 3 of Canim et al. Probes come at a fixed pace. The time of a
 * probe begins when it is due, so one that could not be passed on in time waits in a queue, as in
 * the paper.
 */
record WaitsCase(FlashBench options, Run run, long keys) implements Part {
  private static final List<Integer> MILLIS = List.of(10, 50, 100, 250, 500, 750, 1000, 1500);

  private static final int BATCH = 64;

  /**
   * Number of probes of which one is timed, because reading the clock takes as long as a probe's
   * answer.
   */
  private static final int TIMED = 16;

  /** Number of probes per second, as a share of the largest number that the filter can answer. */
  private static final double SHARE_OF_PACE = 0.3;

  private static final int LONGEST_WAITS = 4;

  WaitsCase(FlashBench options, Run run) {
    this(options, run, options.batchedKeys());
  }

  private BufferedBloomOptions shape() {
    return options.buffered(1).hashFunctions(BufferedCase.HASH_FUNCTIONS);
  }

  @Override
  public double weight() {
    return keys / ProbeKeys.PER_SECOND
        + options.seconds / 2
        + MILLIS.stream().mapToDouble(this::seconds).sum();
  }

  private double seconds(int millis) {
    double waits = Math.min(LONGEST_WAITS * millis / 1e3, 2 * options.seconds);
    return Math.max(options.seconds / 2, waits);
  }

  @Override
  public void measure() throws IOException, InterruptedException {
    options.in("waits", this::measure);
  }

  private void measure(Path files) throws IOException {
    build(files);
    double pace = SHARE_OF_PACE * closedLoop(files);
    for (int millis : MILLIS) {
      paced(files, millis, pace);
    }
  }

  private void build(Path files) throws IOException {
    ProbeKeys built = new ProbeKeys(keys);
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(files, shape())) {
      for (long i = 0; i < keys; i += ProbeKeys.BATCH) {
        built.built(i);
        filter.insert(built.batch, 0, ProbeKeys.BATCH);
      }
    }
    run.step(keys / ProbeKeys.PER_SECOND, FlashBench.BUFFERED, "%,d keys to probe", keys);
  }

  /**
   * Returns the number of probes per second that the buffered Bloom filter answers if they come as
   * fast as it takes them.
   */
  private double closedLoop(Path files) throws IOException {
    ProbeKeys probes = new ProbeKeys(keys);
    try (BufferedBloomFilter filter =
        BufferedBloomFilter.open(files, shape().onAnswer((tag, answer) -> {}))) {
      Timed.Step probe =
          (first, count) -> {
            probes.probed(first, count);
            filter.probe(probes.batch, 0, count, 0);
          };
      Timed closed = new Timed(() -> new Structure.State(filter.statistics().io(), 0));
      closed.run(ProbeKeys.BATCH, Long.MAX_VALUE, time -> time >= options.seconds / 2, probe);
      filter.drain();
      double most = closed.end().perSecond();
      run.step(options.seconds / 2, FlashBench.BUFFERED, "%,.0f deferred probes/s at most", most);
      return most;
    }
  }

  private void paced(Path files, int millis, double pace) throws IOException {
    double seconds = seconds(millis);
    int count = Math.max(1, (int) (pace * seconds) / BATCH) * BATCH;
    long[] due = new long[count / TIMED + 1];
    Histogram nanos = Timed.histogram();
    ProbeKeys probes = new ProbeKeys(keys);
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
                  probes.answer(tag, answer);
                });
    try (BufferedBloomFilter filter = BufferedBloomFilter.open(files, opened)) {
      IoSnapshot before = filter.statistics().io();
      double nanosPerProbe = 1e9 / pace;
      long start = System.nanoTime();
      for (int i = 0; i < count; i += BATCH) {
        probes.probed(i, BATCH);
        for (int timed = i; timed < i + BATCH; timed += TIMED) {
          due[timed / TIMED] = start + (long) (timed * nanosPerProbe);
        }
        awaitDue(start + (long) ((i + BATCH) * nanosPerProbe));
        filter.probe(probes.batch, 0, BATCH, i);
      }
      double taken = (System.nanoTime() - start) / 1e9;
      filter.drain();
      FlashStatistics<BufferedBloomCount> after = filter.statistics();
      double longestWait = after.get(BufferedBloomCount.LONGEST_WAIT_NANOS) / 1e6;
      String workload = "deferred probes, t_max " + millis + " ms";
      FlashBench.samples(run, FlashBench.BUFFERED, workload)
          .add("memoryBytes", options.memoryBytes(1))
          .add("keys", keys)
          .add("longestWaitMillis", longestWait)
          .add("longestRequestMillis", drive.longestNanos.get() / 1e6)
          .add("offeredPerSecond", pace)
          .add("lookupsPerSecond", count / taken)
          .add("falsePositiveRate", probes.falsePositiveRate(count))
          .add("lost", probes.lost() + after.get(BufferedBloomCount.WAITING_PROBES))
          .latencies(Samples.LOOKUP, nanos)
          .traffic(Samples.LOOKUP, count, after.io().since(before));
      String format = "%.0f ms to an answer, the longest wait in a block %.0f ms";
      run.step(seconds, workload, format, nanos.getMean() / 1e6, longestWait);
    }
  }

  private static void awaitDue(long due) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
