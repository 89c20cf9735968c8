package io.winnow.bench;

import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of filters in memory, Winnow's beside others, over the same keys: without file, cache
 * and HBase.
 *
 * <p>The counter {@code key} is the time of one key, with its hash.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 2,
    jvmArgsAppend = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class Peers {
  private static final int BATCH = 1000;

  /** The filter that the benchmark builds and queries, by its name in {@link Peer}. */
  @Param("guava")
  public String filter;

  @Param({"10", "25", "50", "250", "2000"})
  public int keyLength;

  @Param("1000000")
  public int n;

  private Peer peer;
  private byte[][] keys;
  private byte[][] queries;
  private Peer.KeyFilter built;
  private int next;
  private long falsePositives;
  private long absentProbes;

  @Setup(Level.Trial)
  public void setUp() {
    peer = Peer.ofLabel(filter);
    int count = Bench.keysThatFit(n, keyLength);
    keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      keys[i] = Keys.key(Keys.present(i), keyLength);
    }
    built = peer.build(keys);
    for (byte[] key : keys) {
      if (!built.mightContain(key)) {
        throw new IllegalStateException(filter + " misses a present key");
      }
    }
    int queryCount = Math.max(BATCH, Math.min(count, 200_000_000 / keyLength) / BATCH * BATCH);
    long[] numbers = Keys.queries(count, queryCount, 0.5);
    queries = new byte[queryCount][];
    for (int i = 0; i < queryCount; i++) {
      queries[i] = Keys.key(numbers[i], keyLength);
    }
    absentProbes = Math.min(count, 200_000);
    for (int i = 0; i < absentProbes; i++) {
      byte[] key = Keys.key(Keys.absent(count + i), keyLength);
      falsePositives += built.mightContain(key) ? 1 : 0;
    }
  }

  @Benchmark
  public Peer.KeyFilter construct(JmhCounters.Work work, JmhCounters.Figures figures) {
    Peer.KeyFilter filter = peer.build(keys);
    work.key += keys.length;
    figures.space(filter.sizeInBits(), keys.length);
    return filter;
  }

  @Benchmark
  public int query(JmhCounters.Work work, JmhCounters.Figures figures) {
    int positives = 0;
    int end = next + BATCH;
    for (int i = next; i < end; i++) {
      positives += built.mightContain(queries[i]) ? 1 : 0;
    }
    next = end == queries.length ? 0 : end;
    work.key += BATCH;
    figures.space(built.sizeInBits(), keys.length);
    figures.rate(falsePositives, absentProbes);
    return positives;
  }
}
