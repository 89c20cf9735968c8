package io.winnow.bench;

import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.nio.SingleByteBuff;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Hash;

/**
 * A measurement of false-positive rates and bits per key of chunks as HBase's chunk writers cut
 * them, by the number of keys in the file: the mean, and the spread from chunk to chunk.
 */
final class ChunkRates {
  static final String NAME = "rates";
  private static final int KEY_LENGTH = 12;
  private static final int MAX_PROBES = 1_000_000;
  static final double[] RATES = {0.1, 0.01, 0.001};

  /**
   * Filters whose chunks are measured; all other filters differ from these only in the time of a
   * query.
   */
  private static final List<HBaseFilter> FILTERS =
      List.of(
          HBaseFilter.BLOOM,
          HBaseFilter.RIBBON,
          HBaseFilter.RIBBON_128,
          HBaseFilter.BUMPED_RIBBON,
          HBaseFilter.QUOTIENT);

  private final Effort effort;
  private final Results results;
  private final Progress progress;
  private final byte[] slab;
  private final long[] hashes = new long[MAX_PROBES];

  /**
   * One measurement of chunks: a filter with a false-positive rate and a number of keys in the
   * file.
   */
  private record Task(HBaseFilter filter, double rate, int n) {}

  /** The measured rates and sizes of the chunks of one filter, sorted. */
  private record Measured(Task task, int probes, double[] rates, double[] bits) {}

  ChunkRates(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
    long[] numbers = new long[MAX_PROBES];
    for (int i = 0; i < MAX_PROBES; i++) {
      numbers[i] = Keys.absent(i);
    }
    slab = Keys.slab(numbers, KEY_LENGTH);
    for (int i = 0; i < MAX_PROBES; i++) {
      hashes[i] = KeyHash.XXH3.hash(slab, i * KEY_LENGTH, KEY_LENGTH);
    }
  }

  private static int[] sizes(Effort effort) {
    return switch (effort) {
      case SMOKE -> new int[] {1, 2000};
      case QUICK -> new int[] {1, 100, 10_000, 145_000};
      case FULL -> new int[] {1, 10, 100, 1000, 10_000, 100_000, 145_000, 1_000_000};
    };
  }

  /**
   * Returns the number of chunks of each filter whose rate and size are measured. It is highest for
   * full chunks, which most files have.
   */
  private static int chunkGoal(Effort effort, int n) {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> 20;
      case FULL -> n > 100_000 ? 200 : 50;
    };
  }

  static double weight(Effort effort) {
    return effort == Effort.FULL ? 170 : 12;
  }

  void run() {
    List<Task> tasks = new ArrayList<>();
    for (double rate : RATES) {
      for (int n : sizes(effort)) {
        for (HBaseFilter filter : FILTERS) {
          tasks.add(new Task(filter, rate, n));
        }
      }
    }
    // Nothing is timed here, so all processors may work.
    ExecutorService pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
    try {
      List<Future<Measured>> running = new ArrayList<>();
      for (Task task : tasks) {
        running.add(pool.submit(() -> measure(task, weight(effort) / tasks.size())));
      }
      for (Future<Measured> one : running) {
        record(one.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private Measured measure(Task task, double weight) {
    int probes = (int) Math.min(MAX_PROBES, 3000 / task.rate());
    int goal = chunkGoal(effort, task.n());
    ChunkDrive drive = new ChunkDrive(task.filter(), task.rate());
    List<Double> rates = new ArrayList<>();
    List<Double> bits = new ArrayList<>();
    for (int file = 0; rates.size() < goal; file++) {
      List<byte[]> chunks = new ArrayList<>();
      drive.write(
          cells(file, task.n()),
          KEY_LENGTH,
          (bytes, length) -> chunks.add(Arrays.copyOf(bytes, length)));
      bits.add(8.0 * drive.chunkBytes() / task.n());
      for (byte[] chunk : chunks) {
        long positives =
            task.filter() == HBaseFilter.BLOOM
                ? stockPositives(chunk, drive.meta(), probes)
                : positives(chunk, probes);
        rates.add((double) positives / probes);
      }
    }
    progress.step(
        weight,
        String.format(
            Locale.ROOT, "rates %s, %d keys at %s", task.filter().label(), task.n(), task.rate()),
        String.format(
            Locale.ROOT,
            "%.4f %% in %d chunks",
            100 * rates.stream().mapToDouble(r -> r).average().orElse(0),
            rates.size()));
    return new Measured(task, probes, sorted(rates), sorted(bits));
  }

  private void record(Measured measured) {
    Task task = measured.task();
    double[] rates = measured.rates();
    double[] bits = measured.bits();
    Map<String, String> parameters =
        Map.of(
            "filter", task.filter().label(),
            "rate", String.valueOf(task.rate()),
            "n", String.valueOf(task.n()));
    results.add(NAME, parameters, "chunks", rates.length);
    results.add(NAME, parameters, "probesPerChunk", measured.probes());
    results.add(NAME, parameters, "meanRate", Arrays.stream(rates).average().orElse(0));
    results.add(NAME, parameters, "leastRate", rates[0]);
    results.add(NAME, parameters, "lowRate", rates[rates.length / 20]);
    results.add(NAME, parameters, "medianRate", Results.median(rates));
    results.add(NAME, parameters, "highRate", rates[rates.length - 1 - rates.length / 20]);
    results.add(NAME, parameters, "mostRate", rates[rates.length - 1]);
    results.add(NAME, parameters, JmhRuns.BITS_PER_KEY, Arrays.stream(bits).average().orElse(0));
    results.add(NAME, parameters, "leastBitsPerKey", bits[0]);
    results.add(NAME, parameters, "mostBitsPerKey", bits[bits.length - 1]);
  }

  private static double[] sorted(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
  }

  private static List<Cell> cells(int file, int n) {
    long[] numbers = new long[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = Keys.present((long) file * n + i) ^ Long.MIN_VALUE;
    }
    Arrays.sort(numbers);
    List<Cell> cells = new ArrayList<>(n);
    for (long number : numbers) {
      cells.add(LocalStoreFile.cell(Keys.key(number ^ Long.MIN_VALUE, KEY_LENGTH), new byte[0]));
    }
    return cells;
  }

  private long positives(byte[] chunk, int probes) {
    MembershipFilter filter = Filters.open(ByteBuffer.wrap(chunk));
    long positives = 0;
    for (int i = 0; i < probes; i++) {
      positives += filter.mightContain(hashes[i]) ? 1 : 0;
    }
    return positives;
  }

  private long stockPositives(byte[] chunk, byte[] meta, int probes) {
    // The stock meta block: version, size, number of hashes, kind of hash ...
    ByteBuffer fields = ByteBuffer.wrap(meta);
    int hashCount = fields.getInt(Integer.BYTES + Long.BYTES);
    Hash hash = Hash.getInstance(fields.getInt(2 * Integer.BYTES + Long.BYTES));
    ByteBuff bytes = new SingleByteBuff(ByteBuffer.wrap(chunk));
    long positives = 0;
    for (int i = 0; i < probes; i++) {
      positives +=
          BloomFilterUtil.contains(
                  slab, i * KEY_LENGTH, KEY_LENGTH, bytes, 0, chunk.length, hash, hashCount)
              ? 1
              : 0;
    }
    return positives;
  }
}
