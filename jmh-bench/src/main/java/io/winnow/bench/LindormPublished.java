package io.winnow.bench;

import java.util.Map;

/**
 * The figures that Lindorm's authors published (Ribbon in Lindorm, section 3.2), on their machine:
 * nanoseconds per key at a million keys and 1 %, and bits per key.
 */
final class LindormPublished {
  static final double RIBBON_BITS_PER_KEY = 7.232;
  static final double BLOOM_BITS_PER_KEY = 9.585;

  /** Ribbon, Bloom. */
  private record Pair(double ribbon, double bloom) {}

  private static final Map<String, Pair> CONSTRUCT =
      Map.of(
          "10", new Pair(109.926, 136.012),
          "25", new Pair(143.178, 164.247),
          "50", new Pair(196.083, 227.898),
          "250", new Pair(334.312, 467.884),
          "2000", new Pair(1375.165, 2006.235));

  private static final Map<String, Pair> QUERY =
      Map.of(
          "10", new Pair(20.827, 22.135),
          "25", new Pair(38.285, 44.764),
          "50", new Pair(51.730, 70.075),
          "250", new Pair(147.951, 256.863),
          "2000", new Pair(1125.760, 2230.200));

  private LindormPublished() {}

  private static Pair of(String benchmark, String keyLength) {
    return (benchmark.equals("LindormConstruct.construct") ? CONSTRUCT : QUERY).get(keyLength);
  }

  static double ribbon(String benchmark, String keyLength) {
    return of(benchmark, keyLength).ribbon();
  }

  static double bloom(String benchmark, String keyLength) {
    return of(benchmark, keyLength).bloom();
  }

  static double ratio(String benchmark, String keyLength) {
    return ribbon(benchmark, keyLength) / bloom(benchmark, keyLength);
  }
}
