package io.winnow.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of the time to query the filter of a store file in random order, with half of the
 * keys present, as a Get does it: table 2 of Ribbon in Lindorm, section 3.2.
 *
 * <p>An invocation makes {@link #BATCH} queries; the counter {@code key} is the time of one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 400, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 3,
    jvmArgsAppend = {
      "-Xms3g",
      "-Xmx3g",
      "-XX:+UseParallelGC",
      WorkerJvm.OPEN_NIO,
      WorkerJvm.OPEN_LANG
    })
public class LindormQuery {
  static final int BATCH = 1000;

  @Param({"bloom", "ribbon", "bumped-ribbon"})
  public String filter;

  @Param({"10", "25", "50", "250", "2000"})
  public int keyLength;

  /**
   * Number of keys in the filter; fewer if they are so long that they would take more than {@link
   * Bench#MAX_SLAB} bytes.
   */
  @Param("1000000")
  public int n;

  private LocalStoreFile file;
  private BloomFilter queried;
  private byte[] slab;
  private int queries;
  private int next;
  private long keyCount;
  private long bits;
  private long falsePositives;
  private long absentProbes;

  @Setup(Level.Trial)
  public void setUp() throws IOException {
    int count = Bench.keysThatFit(n, keyLength);
    HBaseFilter kind = HBaseFilter.ofLabel(filter);
    file =
        LocalStoreFile.write(
            kind, 0.01, LocalStoreFile.rows(Keys.presentInOrder(count), keyLength));
    queried = file.filter();
    keyCount = queried.getKeyCount();
    bits = 8 * queried.getByteSize();
    queries = Math.max(BATCH, Math.min(count, 200_000_000 / keyLength) / BATCH * BATCH);
    slab = Keys.slab(Keys.queries(count, queries, 0.5), keyLength);
    check(count);
  }

  /**
   * Checks that the filter answers <i>maybe</i> for present keys, and counts its false positives
   * with absent ones.
   */
  private void check(int count) {
    byte[] key = new byte[keyLength];
    int checked = Math.min(count, 100_000);
    for (int i = 0; i < checked; i++) {
      Keys.write(Keys.present(i), key, 0, keyLength);
      if (!queried.contains(key, 0, keyLength, null)) {
        throw new IllegalStateException(filter + " misses a present key, number " + i);
      }
    }
    absentProbes = checked;
    for (int i = 0; i < checked; i++) {
      Keys.write(Keys.absent(queries + i), key, 0, keyLength);
      falsePositives += queried.contains(key, 0, keyLength, null) ? 1 : 0;
    }
  }

  @TearDown(Level.Trial)
  public void tearDown() throws IOException {
    file.close();
  }

  @Benchmark
  public int query(JmhCounters.Work work, JmhCounters.Figures figures) {
    int positives = 0;
    int end = next + BATCH * keyLength;
    for (int at = next; at < end; at += keyLength) {
      positives += queried.contains(slab, at, keyLength, null) ? 1 : 0;
    }
    next = end == slab.length ? 0 : end;
    work.key += BATCH;
    figures.space(bits, keyCount);
    figures.rate(falsePositives, absentProbes);
    return positives;
  }
}
