package io.winnow.ycsb.model;

import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.apache.commons.math3.analysis.solvers.BrentSolver;

/**
 * The long-run hit ratio of HBase's {@code LruBlockCache}, for blocks that are read independently
 * of each other, each at a rate of its own.
 *
 * <p>The cache is two LRU lists. A block that is read enters the first (<em>single</em>); if it is
 * requested again while it is there, it goes to the second (<em>multi</em>); from the end of either
 * list it is dropped. A block leaves a list if it is not requested for a time, <em>t</em> for
 * single and <em>u</em> for multi, about the same for all blocks (Che, Tung, Wang: Hierarchical Web
 * caching systems, IEEE JSAC 20(7), 2002). Let <i>p = 1 - e<sup>-at</sup></i> be the chance that a
 * block of rate <i>a</i> is requested in time to be promoted. The block is out of the cache for the
 * share <i>1 / (1 + p e<sup>au</sup>)</i> of the time, in single for <i>p</i> times as long, and in
 * multi for the rest; the share of its requests that miss is the share of time that it is out. The
 * times <em>t</em> and <em>u</em> are those at which the lists are full.
 *
 * <p>The size of each list follows from HBase's eviction: it evicts the same number of bytes from
 * single and multi, but neither falls below its share, a quarter and a half of the cache; the last
 * quarter, for families in memory, is free to both. So if more than half of the bytes that are read
 * are requested again in time, single has a quarter and multi the rest; if fewer are, each has a
 * half.
 *
 * <p>Immutable; takes some milliseconds for a hundred classes.
 */
final class BlockCacheModel {

  /** Mean fill of HBase's block cache, which fills from 95 % to 99 % between two evictions. */
  static final double MEAN_FILL = 0.97;

  /**
   * Minimum share of the block cache that the list of blocks requested once has; the list of blocks
   * requested again has the rest.
   */
  private static final double MIN_SINGLE = 0.25;

  private static final double MAX_SINGLE = 0.5;

  /**
   * Longest time that the search for the times of blocks in the cache tries, in the unit of time in
   * which requests are counted.
   */
  private static final double LONGEST = 1e30;

  private static final int MAX_STEPS = 1_000;

  /**
   * Blocks that are requested equally often, each independently of the others.
   *
   * @param count number of blocks; need not be whole
   * @param bytes bytes of each block in the cache
   * @param rate requests of each block, per any unit of time that is the same for all classes
   */
  record BlockClass(double count, double bytes, double rate) {
    double requests() {
      return count * rate;
    }
  }

  private final List<BlockClass> classes;
  private final double capacity;
  private double singleTime;
  private double multiTime;

  /** Computes a block cache of a given size that has run for a long time with the given blocks. */
  BlockCacheModel(List<BlockClass> classes, double cacheBytes) {
    this.classes = classes.stream().filter(c -> c.count() > 0 && c.rate() > 0).toList();
    this.capacity = MEAN_FILL * cacheBytes;
    singleTime = Double.POSITIVE_INFINITY;
    multiTime = Double.POSITIVE_INFINITY;
    if (bytes(rate -> 1) > capacity) {
      fill(zero(MIN_SINGLE, MAX_SINGLE, this::promotedTooMuch));
    }
  }

  /** Returns the share of a block's requests that find the block in the cache. */
  double hitRatio(BlockClass blocks) {
    return blocks.rate() > 0 ? 1 - out(blocks.rate()) : 0;
  }

  /**
   * Returns the bytes of blocks that are requested again before they leave the list of blocks
   * requested once, less half of the bytes that are read.
   */
  private double promotedTooMuch(double singleShare) {
    fill(singleShare);
    return bytes(rate -> rate * (single(rate) - out(rate) / 2));
  }

  /**
   * Finds the times after which blocks leave the two LRU lists of the modelled cache, such that
   * both lists are full.
   */
  private void fill(double singleShare) {
    double single = singleShare * capacity;
    DoubleUnaryOperator singleFilled =
        time -> {
          singleTime = time;
          fillMulti(capacity - single);
          return bytes(this::single) - single;
        };
    singleTime = geometricZero(singleFilled);
    fillMulti(capacity - single);
  }

  private void fillMulti(double multi) {
    DoubleUnaryOperator multiFilled =
        time -> {
          multiTime = time;
          return bytes(rate -> 1 - out(rate) - single(rate)) - multi;
        };
    multiTime = geometricZero(multiFilled);
  }

  /** Returns the bytes of all blocks, each times a figure that depends on its request rate. */
  private double bytes(DoubleUnaryOperator figure) {
    return classes.stream()
        .mapToDouble(c -> c.count * c.bytes * figure.applyAsDouble(c.rate))
        .sum();
  }

  /** Returns the share of the time for which a block with a request rate is not in the cache. */
  private double out(double rate) {
    double stays = Math.exp(-rate * multiTime);
    return stays / (stays + promoted(rate));
  }

  private double single(double rate) {
    return promoted(rate) * out(rate);
  }

  private double promoted(double rate) {
    return -Math.expm1(-rate * singleTime);
  }

  private static double geometricZero(DoubleUnaryOperator increasing) {
    double log = Math.log(LONGEST);
    return Math.exp(zero(-log, log, x -> increasing.applyAsDouble(Math.exp(x))));
  }

  /**
   * Returns the argument at which an increasing function is 0; if it is 0 nowhere, the end of the
   * range that is nearer to 0.
   */
  private static double zero(double from, double to, DoubleUnaryOperator increasing) {
    if (increasing.applyAsDouble(from) >= 0) {
      return from;
    }
    return increasing.applyAsDouble(to) <= 0
        ? to
        : new BrentSolver(1e-10).solve(MAX_STEPS, increasing::applyAsDouble, from, to);
  }
}
