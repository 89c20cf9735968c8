package io.winnow.bench;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.ribbon.BumpedRibbonSizing;
import io.winnow.ribbon.RibbonSizing;
import java.util.List;

/**
 * Filters of 64-bit hashes with a rate of 1 %, and hashes to query, for the benchmarks of filters
 * without HBase.
 */
final class Kernel {
  static final double RATE = 0.01;

  /**
   * Kinds of buffers besides a heap array that a filter's image may be in: a read-only one as in
   * README, one off heap, and HBase's buffer of several parts.
   */
  static final List<String> BUFFERS = List.of("read-only", "direct", "split");

  /** Number of rows that a batch read queries, as in Ribbon in Lindorm, section 3.3. */
  static final int BATCH = 20;

  private static final int MIN_QUERIES = 64_000;
  private static final int MAX_QUERIES = 1_000_000;

  private Kernel() {}

  static FilterBuilder builder(String filter) {
    return builder(filter, true);
  }

  static FilterBuilder builder(String filter, boolean verified) {
    return switch (filter) {
      case "ribbon" -> FilterBuilder.of(RibbonSizing.forRate(RATE)).verified(verified);
      case "ribbon-128" -> FilterBuilder.of(RibbonSizing.forRate(RATE, 128)).verified(verified);
      case "bumped-ribbon" -> FilterBuilder.of(BumpedRibbonSizing.forRate(RATE)).verified(verified);
      default -> throw new IllegalArgumentException("there is no filter '" + filter + "'");
    };
  }

  static FilterImage build(FilterBuilder builder, long[] hashes) {
    for (long hash : hashes) {
      builder.add(hash);
    }
    return builder.finish();
  }

  static long[] presentHashes(int n) {
    return presentHashes(0, n);
  }

  /**
   * Returns the hashes of present keys with successive indexes: {@code n} of them, the first at
   * index {@code from}.
   */
  static long[] presentHashes(int from, int n) {
    long[] hashes = new long[n];
    for (int i = 0; i < n; i++) {
      hashes[i] = Keys.present(from + i);
    }
    return hashes;
  }

  /**
   * Returns hashes to query, a mix of present and absent ones in random order; their number is a
   * multiple of 1000.
   */
  static long[] queries(int n, String mix) {
    int count = Math.max(MIN_QUERIES, Math.min(MAX_QUERIES, n));
    return Keys.queries(n, count / 1000 * 1000, presentShare(mix));
  }

  private static double presentShare(String mix) {
    return switch (mix) {
      case "positive" -> 1;
      case "negative" -> 0;
      case "mixed" -> 0.5;
      default -> throw new IllegalArgumentException("there is no mix '" + mix + "'");
    };
  }
}
