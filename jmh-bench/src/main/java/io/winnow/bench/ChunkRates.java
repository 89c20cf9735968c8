package io.winnow.bench;

import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import io.winnow.image.Filters;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.nio.SingleByteBuff;
import org.apache.hadoop.hbase.util.BloomFilterUtil;
import org.apache.hadoop.hbase.util.Hash;

/**
 * A measurement of false-positive rates and bits per key of chunks as HBase's chunk writers cut
 * them, by the number of keys in the file: the mean, and the spread from chunk to chunk.
 */
final class ChunkRates implements Part {
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
  private final Run run;
  private final List<Task> tasks = new ArrayList<>();
  private final byte[] slab;
  private final long[] hashes = new long[MAX_PROBES];

  /**
   * One measurement of chunks: a filter with a false-positive rate and a number of keys in the
   * file.
   */
  private record Task(HBaseFilter filter, double rate, int n, Samples samples) {}

  ChunkRates(Effort effort, Run run) {
    this.effort = effort;
    this.run = run;
    int[] sizes =
        effort.choose(
            new int[] {1, 2000},
            new int[] {1, 100, 10_000, 145_000},
            new int[] {1, 10, 100, 1000, 10_000, 100_000, 145_000, 1_000_000});
    for (double rate : RATES) {
      for (int n : sizes) {
        for (HBaseFilter filter : FILTERS) {
          Object[] at = {"filter", Labels.of(filter), "rate", rate, "n", n};
          tasks.add(new Task(filter, rate, n, run.samples(NAME, at)));
        }
      }
    }
    long[] numbers = new long[MAX_PROBES];
    Arrays.setAll(numbers, Keys::absent);
    slab = Keys.slab(numbers, KEY_LENGTH);
    Arrays.setAll(hashes, i -> KeyHash.XXH3.hash(slab, i * KEY_LENGTH, KEY_LENGTH));
  }

  @Override
  public double weight() {
    return effort == Effort.FULL ? 170 : 12;
  }

  @Override
  public void measure() {
    // Results, and so the rows of pages, have the order of the tasks.
    tasks.forEach(task -> task.samples().add(BITS_PER_KEY));
    // Nothing is timed here, so all processors may work.
    tasks.parallelStream().forEach(this::measure);
  }

  private void measure(Task task) {
    int probes = (int) Math.min(MAX_PROBES, 3000 / task.rate());
    // More of full chunks, which most files have.
    int goal = effort.choose(1, 20, task.n() > 100_000 ? 200 : 50);
    ChunkDrive drive = new ChunkDrive(task.filter(), task.rate());
    List<Double> measured = new ArrayList<>();
    List<Double> bits = new ArrayList<>();
    for (int file = 0; measured.size() < goal; file++) {
      List<byte[]> chunks = new ArrayList<>();
      drive.write(
          LocalStoreFile.cells(Keys.presentInOrder((long) file * task.n(), task.n()), KEY_LENGTH),
          KEY_LENGTH,
          chunk -> chunks.add(Arrays.copyOf(chunk.getData(), chunk.getLength())));
      bits.add(8.0 * drive.chunkBytes / task.n());
      for (byte[] chunk : chunks) {
        long positives =
            task.filter() == HBaseFilter.BLOOM
                ? stockPositives(chunk, drive.meta(), probes)
                : positives(chunk, probes);
        measured.add((double) positives / probes);
      }
    }
    double[] rates = measured.stream().mapToDouble(rate -> rate).sorted().toArray();
    double mean = Arrays.stream(rates).average().orElseThrow();
    task.samples()
        .add("chunks", rates.length)
        .add("probesPerChunk", probes)
        .add("meanRate", mean)
        .add("lowRate", rates[rates.length / 20])
        .add("highRate", rates[rates.length - 1 - rates.length / 20])
        .add("mostRate", rates[rates.length - 1])
        .add(BITS_PER_KEY, bits.stream().mapToDouble(b -> b).average().orElseThrow());
    double weight = weight() / tasks.size();
    run.step(weight, task.samples(), "%.4f %% in %d chunks", 100 * mean, rates.length);
  }

  private long positives(byte[] chunk, int probes) {
    MembershipFilter filter = Filters.open(ByteBuffer.wrap(chunk));
    return Arrays.stream(hashes, 0, probes).filter(filter::mightContain).count();
  }

  private long stockPositives(byte[] chunk, byte[] meta, int probes) {
    // The stock meta block: version, size, number of hashes, kind of hash ...
    ByteBuffer fields = ByteBuffer.wrap(meta);
    int hashCount = fields.getInt(Integer.BYTES + Long.BYTES);
    Hash hash = Hash.getInstance(fields.getInt(2 * Integer.BYTES + Long.BYTES));
    ByteBuff bytes = new SingleByteBuff(ByteBuffer.wrap(chunk));
    long positives = 0;
    for (int at = 0; at < probes * KEY_LENGTH; at += KEY_LENGTH) {
      boolean maybe =
          BloomFilterUtil.contains(slab, at, KEY_LENGTH, bytes, 0, chunk.length, hash, hashCount);
      positives += maybe ? 1 : 0;
    }
    return positives;
  }
}
