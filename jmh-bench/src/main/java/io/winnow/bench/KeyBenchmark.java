package io.winnow.bench;

import org.openjdk.jmh.annotations.Param;

/** Base of the benchmarks of filters whose keys are bytes. */
public abstract class KeyBenchmark extends JmhBenchmark {
  /** Maximum number of bytes that all keys of a benchmark take together. */
  private static final int MAX_BYTES = 400_000_000;

  @Param({"ribbon", "bumped-ribbon"})
  public String filter;

  @Param({"10", "25", "50", "250", "2000"})
  public int keyLength;

  /**
   * Number of keys in the filter; fewer if they are so long that they would take more than {@link
   * #MAX_BYTES}.
   */
  @Param("1000000")
  public int n;

  /** Returns the number of keys in the filter. */
  final int keyCount() {
    return Math.min(n, MAX_BYTES / keyLength);
  }

  /** Returns the numbers of the keys to query, of which half are present. */
  final long[] queries() {
    int count = Math.min(keyCount(), MAX_BYTES / 2 / keyLength) / BATCH * BATCH;
    return Keys.queries(keyCount(), Math.max(BATCH, count), 0.5);
  }
}
