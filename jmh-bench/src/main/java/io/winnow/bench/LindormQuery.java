package io.winnow.bench;

import java.io.IOException;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A benchmark of the time to query the filter of a store file in random order, with half of the
 * keys present, as a Get does it: table 2 of Ribbon in Lindorm, section 3.2.
 */
public class LindormQuery extends KeyBenchmark {
  private LocalStoreFile file;
  private BloomFilter queried;
  private byte[] slab;

  @Setup(Level.Trial)
  public void setUp() throws IOException {
    file =
        LocalStoreFile.write(
            Labels.parse(HBaseFilter.class, filter),
            0.01,
            LocalStoreFile.rows(Keys.presentInOrder(0, keyCount()), keyLength));
    queried = file.filter();
    slab = Keys.slab(queries(), keyLength);
    int checked = Math.min(keyCount(), 100_000);
    new FilterCheck(queried, keyLength).requirePresent(Keys.presentInOrder(0, checked));
  }

  @TearDown(Level.Trial)
  public void tearDown() throws IOException {
    file.close();
  }

  @Benchmark
  public int query(Work work) {
    int positives = 0;
    int from = advance(BATCH * keyLength, slab.length);
    for (int at = from; at < from + BATCH * keyLength; at += keyLength) {
      positives += queried.contains(slab, at, keyLength, null) ? 1 : 0;
    }
    work.key += BATCH;
    return positives;
  }
}
