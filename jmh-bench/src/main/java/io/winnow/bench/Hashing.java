package io.winnow.bench;

import io.winnow.KeyHash;
import org.apache.hadoop.hbase.util.ByteArrayHashKey;
import org.apache.hadoop.hbase.util.Hash;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * A benchmark of hashing alone: Winnow's hashes, and stock HBase's default for a key, which is its
 * Murmur hash twice.
 */
public class Hashing extends JmhBenchmark {
  @Param({"xxh3", "murmur3", "hbase-murmur-twice"})
  public String hash;

  @Param({"10", "25", "50", "250", "2000"})
  public int keyLength;

  private byte[] slab;
  private Function function;

  /** A function that hashes the bytes of a key to a number. */
  @FunctionalInterface
  private interface Function {
    long hash(byte[] bytes, int offset, int length);
  }

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
  public long hash(Work work) {
    long sum = 0;
    for (int at = 0; at < slab.length; at += keyLength) {
      sum += function.hash(slab, at, keyLength);
    }
    work.key += BATCH;
    return sum;
  }
}
