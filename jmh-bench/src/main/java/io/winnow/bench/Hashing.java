package io.winnow.bench;

import io.winnow.KeyHash;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.ByteArrayHashKey;
import org.apache.hadoop.hbase.util.Hash;
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
 * A benchmark of hashing alone: Winnow's hashes, and stock HBase's default for a key, which is its
 * Murmur hash twice.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"})
public class Hashing {
  private static final int BATCH = 1000;

  @Param({"xxh3", "murmur3", "hbase-murmur-twice"})
  public String hash;

  @Param({"10", "25", "50", "250", "2000"})
  public int keyLength;

  private byte[] slab;

  /** A function that hashes the bytes of a key to a number. */
  @FunctionalInterface
  private interface Function {
    long hash(byte[] bytes, int offset, int length);
  }

  private Function function;

  @Setup(Level.Trial)
  public void setUp() {
    slab = Keys.slab(Keys.queries(BATCH, BATCH, 0.5), keyLength);
    Hash murmur = Hash.getInstance(Hash.MURMUR_HASH);
    function =
        switch (hash) {
          case "xxh3" -> KeyHash.XXH3::hash;
          case "murmur3" -> KeyHash.MURMUR3::hash;
          case "hbase-murmur-twice" ->
              (bytes, offset, length) -> {
                ByteArrayHashKey key = new ByteArrayHashKey(bytes, offset, length);
                int first = murmur.hash(key, 0);
                return first + (long) murmur.hash(key, first);
              };
          default -> throw new IllegalArgumentException("there is no hash '" + hash + "'");
        };
  }

  @Benchmark
  public long hash(JmhCounters.Work work) {
    long sum = 0;
    for (int at = 0; at < slab.length; at += keyLength) {
      sum += function.hash(slab, at, keyLength);
    }
    work.key += BATCH;
    return sum;
  }
}
