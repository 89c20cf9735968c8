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
 * Ribbon in Lindorm, section 3.2, table 2: asking the filter of a store file, half of the keys
 * present, in random order, as a Get asks it: chunk index, block cache, hash, probe.
 *
 * <p>An invocation is {@link #BATCH} questions; the counter {@code key} is the time of one.
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

  /** Keys; of long ones no more than {@link Bench#MAX_SLAB} bytes take. */
  @Param("1000000")
  public int n;

  private LocalStoreFile file;
  private BloomFilter asked;
  private byte[] slab;
  private int questions;
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
    asked = file.filter();
    keyCount = asked.getKeyCount();
    bits = 8 * asked.getByteSize();
    questions = Math.max(BATCH, Math.min(count, 200_000_000 / keyLength) / BATCH * BATCH);
    slab = Keys.slab(Keys.questions(count, questions, 0.5), keyLength);
    check(count);
  }

  /** Asks for present keys, none of which may be missed, and for absent ones. */
  private void check(int count) {
    byte[] key = new byte[keyLength];
    int checked = Math.min(count, 100_000);
    for (int i = 0; i < checked; i++) {
      Keys.write(Keys.present(i), key, 0, keyLength);
      if (!asked.contains(key, 0, keyLength, null)) {
        throw new IllegalStateException(filter + " misses a present key, number " + i);
      }
    }
    absentProbes = checked;
    for (int i = 0; i < checked; i++) {
      Keys.write(Keys.absent(questions + i), key, 0, keyLength);
      falsePositives += asked.contains(key, 0, keyLength, null) ? 1 : 0;
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
      positives += asked.contains(slab, at, keyLength, null) ? 1 : 0;
    }
    next = end == slab.length ? 0 : end;
    work.key += BATCH;
    figures.space(bits, keyCount);
    figures.rate(falsePositives, absentProbes);
    return positives;
  }
}
