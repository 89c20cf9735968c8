package io.winnow.bench.drive;

import io.winnow.flash.bloom.BloomFilter;
import io.winnow.flash.bloom.BloomSizing;
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
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * A benchmark of the buffered Bloom filter beside the classic one in memory: table 2 and figure 4
 * of Canim et al., "Buffered Bloom Filters on Solid State Storage", ADMS 2010.
 *
 * <p>All keys are inserted, and then as many are probed, half of which are present. The time of
 * inserts ends when the last key is on flash, and the time of probes with the last answer.
 */
final class BufferedRuns {
  /**
   * Number of hash functions of the buffered Bloom filter on flash in the paper by Canim et al.;
   * the classic filter in memory has one more.
   */
  private static final int HASH_FUNCTIONS = 2;

  private static final int MEMORY_HASH_FUNCTIONS = 3;

  /**
   * False-positive rate for which a buffered Bloom filter has entries so long that two keys hardly
   * ever have the same one.
   */
  private static final double LOW_RATE = 1e-5;

  private static final double[] MEMORY_TIMES = {0.25, 0.5, 2, 4};
  private static final double KEYS_PER_SECOND = 4e6;
  private static final long LONGEST_NANOS = 3600L * 1_000_000_000;

  private final FlashBench options;
  private final Path directory;
  private final Results results;
  private final Progress progress;

  BufferedRuns(FlashBench options, Path directory, Results results, Progress progress) {
    this.options = options;
    this.directory = directory;
    this.results = results;
    this.progress = progress;
  }

  /** Returns the approximate seconds that the benchmark of the buffered Bloom filter takes. */
  static double weight(FlashBench options) {
    return options.runs(FlashBench.BUFFERED) ? (5 + MEMORY_TIMES.length) * weightOfOne(options) : 0;
  }

  private static double weightOfOne(FlashBench options) {
    return 2 * options.buildKeys() / KEYS_PER_SECOND;
  }

  void run() throws IOException {
    if (!options.runs(FlashBench.BUFFERED)) {
      return;
    }
    inMemory(FlashMetrics.MEMORY_4X, 128, MEMORY_HASH_FUNCTIONS);
    inMemory(FlashMetrics.MEMORY_2X, 64, MEMORY_HASH_FUNCTIONS);
    inMemory(FlashMetrics.MEMORY_2X_K2, 64, HASH_FUNCTIONS);
    buffered(FlashMetrics.SET, 1, buffered(options).hashFunctions(HASH_FUNCTIONS));
    buffered(
        FlashMetrics.SET_K3,
        1,
        buffered(options).hashFunctions(MEMORY_HASH_FUNCTIONS).rate(LOW_RATE));
    for (double times : MEMORY_TIMES) {
      buffered(
          FlashMetrics.BUFFER + Table.number(times, times < 1 ? 2 : 0),
          times,
          buffered(options).hashFunctions(HASH_FUNCTIONS));
    }
  }

  /** Returns the options that all measured buffered Bloom filters share. */
  static BufferedBloomOptions buffered(FlashBench options) {
    return BufferedBloomOptions.defaults().pages(options.pages()).keys(options.buildKeys());
  }

  private void inMemory(String workload, double megabytes, int hashFunctions) {
    BloomFilter filter = BloomFilter.of(new BloomSizing(options.bits(megabytes), hashFunctions));
    long keys = options.buildKeys() / ProbeKeys.BATCH * ProbeKeys.BATCH;
    long[] batch = new long[ProbeKeys.BATCH];
    long start = System.nanoTime();
    for (long i = 0; i < keys; i += ProbeKeys.BATCH) {
      ProbeKeys.built(i, batch);
      for (long hash : batch) {
        filter.insert(hash);
      }
    }
    double build = seconds(start);
    long lost = 0;
    long falsePositives = 0;
    start = System.nanoTime();
    for (long i = 0; i < keys; i += ProbeKeys.BATCH) {
      ProbeKeys.probed(i, keys, batch);
      for (int j = 0; j < batch.length; j++) {
        if (filter.mightContain(batch[j]) != ProbeKeys.isPresent(j)) {
          if (ProbeKeys.isPresent(j)) {
            lost++;
          } else {
            falsePositives++;
          }
        }
      }
    }
    double probe = seconds(start);
    FlashMetrics metrics =
        new FlashMetrics(results, FlashMetrics.PLAIN, workload)
            .add(FlashMetrics.MEMORY, filter.sizeInBytes())
            .add("hashFunctions", hashFunctions);
    rates(metrics, keys, build, probe, lost, falsePositives);
    step(FlashMetrics.PLAIN + ", " + workload, keys, build, probe);
  }

  private void buffered(String workload, double times, BufferedBloomOptions shape)
      throws IOException {
    Path files = directory.resolve("buffered");
    LongAdder lost = new LongAdder();
    LongAdder falsePositives = new LongAdder();
    long memory = options.memoryBytes(times);
    BufferedBloomOptions opened =
        shape
            .memoryBudget(memory)
            .requestBytes(FlashBench.requestBytes(memory))
            .onAnswer((tag, answer) -> count(tag, answer, lost, falsePositives));
    long keys = options.buildKeys() / ProbeKeys.BATCH * ProbeKeys.BATCH;
    long[] batch = new long[ProbeKeys.BATCH];
    try (BufferedBloomFilter filter = BufferedBloomFilter.create(files, opened)) {
      IoSnapshot made = filter.statistics().io();
      Histogram calls = new Histogram(LONGEST_NANOS, 3);
      long start = System.nanoTime();
      for (long i = 0; i < keys; i += ProbeKeys.BATCH) {
        ProbeKeys.built(i, batch);
        long before = System.nanoTime();
        filter.insert(batch, 0, batch.length);
        calls.recordValue(System.nanoTime() - before);
      }
      filter.drain();
      double build = seconds(start);
      IoSnapshot built = filter.statistics().io();
      start = System.nanoTime();
      for (long i = 0; i < keys; i += ProbeKeys.BATCH) {
        ProbeKeys.probed(i, keys, batch);
        filter.probe(batch, 0, batch.length, (int) i);
      }
      filter.drain();
      double probe = seconds(start);
      FlashStatistics<BufferedBloomCount> after = filter.statistics();
      FlashMetrics metrics =
          new FlashMetrics(results, FlashMetrics.BUFFERED, workload)
              .add(FlashMetrics.MEMORY, memory)
              .add("hashFunctions", filter.sizing().hashFunctions())
              .add("requestBytes", filter.sizing().groupBytes())
              .add(FlashMetrics.FLASH, filter.sizing().sizeInBytes())
              .add("longestWaitMillis", after.get(BufferedBloomCount.LONGEST_WAIT_NANOS) / 1e6)
              .latencies(FlashMetrics.INSERT, calls)
              .traffic(FlashMetrics.INSERT, keys, built.since(made))
              .traffic(FlashMetrics.LOOKUP, keys, after.io().since(built));
      long missing = lost.sum() + after.get(BufferedBloomCount.WAITING_PROBES);
      rates(metrics, keys, build, probe, missing, falsePositives.sum());
      step(FlashMetrics.BUFFERED + ", " + workload, keys, build, probe);
    } finally {
      ScratchDirectory.delete(files);
    }
  }

  private static void count(int tag, boolean answer, LongAdder lost, LongAdder falsePositives) {
    if (answer != ProbeKeys.isPresent(tag)) {
      (answer ? falsePositives : lost).increment();
    }
  }

  private static void rates(
      FlashMetrics metrics, long keys, double build, double probe, long lost, long falsePositives) {
    metrics
        .add(FlashMetrics.KEYS, keys)
        .add(FlashMetrics.INSERTS, keys / build)
        .add(FlashMetrics.PROBES, keys / probe)
        .add("seconds", build + probe)
        .add(FlashMetrics.RATE, falsePositives / (keys / 2.0))
        .add(FlashMetrics.LOST, lost);
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private void step(String what, long keys, double build, double probe) {
    progress.step(
        weightOfOne(options),
        what,
        Table.number(keys / build, 0)
            + " inserts/s, "
            + Table.number(keys / probe, 0)
            + " probes/s");
  }
}
