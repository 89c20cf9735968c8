package io.winnow.ycsb;

/**
 * YCSB's scrambled Zipfian choice among items: 10 billion ranks with the constant 0.99, hashed onto
 * the items, so that popular items lie anywhere. The random number is a parameter, whereas YCSB's
 * own class takes it from the thread's random numbers; so a sequence can be repeated.
 *
 * <p>Gray, Sundaresan, Englert, Baclawski, Weinberger: Quickly generating billion-record synthetic
 * databases, SIGMOD 1994, section 3.2.
 */
final class ScrambledZipf {
  private static final double THETA = 0.99;
  private static final double RANKS = 1e10;

  /** Sum of 1 / i^0.99 over all 10 billion ranks, a constant because adding it up takes minutes. */
  private static final double ZETA = 26.46902820178302;

  private static final double ZETA_2 = 1 + Math.pow(0.5, THETA);
  private static final double ALPHA = 1 / (1 - THETA);
  private static final double ETA = (1 - Math.pow(2 / RANKS, 1 - THETA)) / (1 - ZETA_2 / ZETA);

  private ScrambledZipf() {}

  /**
   * Returns the item in [0, items) that a random number in [0, 1) chooses by the Zipfian
   * distribution.
   */
  static long item(double uniform, long items) {
    return Math.floorMod(Mix.of(rank(uniform)), items);
  }

  /**
   * Returns the rank that a random number in [0, 1) chooses by the Zipfian distribution; 0 is the
   * most popular.
   */
  static long rank(double uniform) {
    double sum = uniform * ZETA;
    if (sum < 1) {
      return 0;
    }
    if (sum < ZETA_2) {
      return 1;
    }
    return (long) (RANKS * Math.pow(ETA * uniform - ETA + 1, ALPHA));
  }
}
