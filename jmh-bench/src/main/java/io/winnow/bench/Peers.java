package io.winnow.bench;

import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;

/**
 * A benchmark of filters in memory, Winnow's beside others ({@link Peer}), over the same keys:
 * without file, cache and HBase. Times are with the hash of the key.
 */
public class Peers extends KeyBenchmark {
  private Peer peer;
  private byte[][] keys;
  private byte[][] queries;
  private Peer.KeyFilter built;
  private double falsePositiveRate;

  @Setup(Level.Trial)
  public void setUp() {
    peer = Labels.parse(Peer.class, filter);
    keys = keys(LongStream.range(0, keyCount()).map(Keys::present));
    built = peer.build(keys);
    for (byte[] key : keys) {
      if (!built.test().test(key)) {
        throw new IllegalStateException(filter + " misses a present key");
      }
    }
    queries = keys(LongStream.of(queries()));
    int probes = Math.min(keys.length, 200_000);
    byte[][] absent = keys(LongStream.range(keys.length, keys.length + probes).map(Keys::absent));
    falsePositiveRate = (double) Stream.of(absent).filter(built.test()).count() / probes;
  }

  private byte[][] keys(LongStream numbers) {
    return numbers.mapToObj(number -> Keys.key(number, keyLength)).toArray(byte[][]::new);
  }

  @Benchmark
  public Peer.KeyFilter construct(Work work) {
    work.key += keys.length;
    return peer.build(keys);
  }

  @Benchmark
  public int query(Work work, Figures figures) {
    int positives = 0;
    int from = advance(BATCH, queries.length);
    for (int i = from; i < from + BATCH; i++) {
      positives += built.test().test(queries[i]) ? 1 : 0;
    }
    work.key += BATCH;
    figures.bitsPerKey = (double) built.sizeInBits() / keys.length;
    figures.falsePositiveRate = falsePositiveRate;
    return positives;
  }
}
