package io.winnow.ycsb.model;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * The hit ratio of HBase's {@code LruBlockCache} in the long run, for blocks that are asked for
 * independently of each other, each at a rate of its own.
 *
 * <p>The cache is two LRU lists. A block that is read enters the first (<em>single</em>); asked for
 * once more while it is there, it goes to the second (<em>multi</em>); from the end of either list
 * it is dropped. A block leaves a list if nobody asks for it for a time, <em>t</em> for single and
 * <em>u</em> for multi, about the same for all blocks (Che, Tung, Wang: Hierarchical Web caching
 * systems, IEEE JSAC 20(7), 2002). With <i>p = 1 - e<sup>-at</sup></i>, the chance that a block of
 * rate <i>a</i> is asked for in time to be promoted, it is out of the cache for the share <i>1 / (1
 * + p e<sup>au</sup>)</i> of the time, in single for <i>p</i> times as long, in multi for what is
 * left; and the share that it is out is that of its requests which miss. The times are those at
 * which the lists are full.
 *
 * <p>How much each list gets follows from how HBase evicts: from single and multi the same number
 * of bytes, but from neither below its share, a quarter and a half of the cache; the last quarter,
 * for families in memory, is free to both. So where more than half of what is read is asked for
 * again in time, single has a quarter and multi all else; where less is, they have a half each.
 *
 * <p>Immutable; a few milliseconds for a hundred classes.
 */
public final class BlockCacheModel {

  /** Between two evictions a cache fills from 95 % to 99 %. */
  static final double MEAN_FILL = 0.97;

  /** Of single; multi has the rest. */
  private static final double LEAST_SINGLE = 0.25;

  private static final double MOST_SINGLE = 0.5;

  /** Times, in requests or whatever the rates are per, are looked for up to this. */
  private static final double LONGEST = 1e30;

  private static final int STEPS = 100;

  /**
   * Blocks that are asked for equally often.
   *
   * @param count how many; need not be whole
   * @param bytes of each, in the cache
   * @param rate requests of each, per whatever unit of time, the same for all classes
   */
  public record BlockClass(double count, double bytes, double rate) {
    double requests() {
      return count * rate;
    }
  }

  private final List<BlockClass> classes;
  private final double capacity;
  private double singleTime;
  private double multiTime;

  private BlockCacheModel(List<BlockClass> classes, double capacity) {
    this.classes = classes.stream().filter(c -> c.count() > 0 && c.rate() > 0).toList();
    this.capacity = capacity;
  }

  /** A cache of {@code cacheBytes} bytes for these blocks, after long enough. */
  public static BlockCacheModel of(List<BlockClass> classes, double cacheBytes) {
    BlockCacheModel model = new BlockCacheModel(classes, MEAN_FILL * cacheBytes);
    model.solve();
    return model;
  }

  /** The share of a block's requests that find it in the cache. */
  public double hitRatio(BlockClass blocks) {
    return blocks.rate() > 0 ? 1 - out(blocks.rate()) : 0;
  }

  private void solve() {
    double all = classes.stream().mapToDouble(c -> c.count() * c.bytes()).sum();
    if (all <= capacity) {
      singleTime = Double.POSITIVE_INFINITY;
      multiTime = Double.POSITIVE_INFINITY;
      return;
    }
    double share = zero(LEAST_SINGLE, MOST_SINGLE, this::promotedTooMuch);
    fill(share);
  }

  /** Above 0 if more than half of the bytes that are read are promoted. */
  private double promotedTooMuch(double singleShare) {
    fill(singleShare);
    double read = 0;
    double promoted = 0;
    for (BlockClass c : classes) {
      double bytes = c.requests() * c.bytes();
      read += bytes * out(c.rate());
      promoted += bytes * single(c.rate());
    }
    return promoted - read / 2;
  }

  /** Finds the times at which the lists are full. */
  private void fill(double singleShare) {
    double single = singleShare * capacity;
    double multi = capacity - single;
    singleTime =
        geometricZero(
            time -> {
              singleTime = time;
              multiTime = geometricZero(u -> inMulti(u) - multi);
              return bytes(this::single) - single;
            });
    multiTime = geometricZero(u -> inMulti(u) - multi);
  }

  private double inMulti(double time) {
    multiTime = time;
    return bytes(a -> 1 - out(a) - single(a));
  }

  private double bytes(DoubleUnaryOperator share) {
    double sum = 0;
    for (BlockClass c : classes) {
      sum += c.count() * c.bytes() * share.applyAsDouble(c.rate());
    }
    return sum;
  }

  /** The share of the time for which a block of this rate is not in the cache. */
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

  /** Where it is 0; the nearer end if it is nowhere. */
  private static double zero(double low, double high, DoubleUnaryOperator increasing) {
    for (int step = 0; step < STEPS && high - low > 1e-9 * Math.max(1, Math.abs(high)); step++) {
      double middle = (low + high) / 2;
      if (increasing.applyAsDouble(middle) < 0) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return (low + high) / 2;
  }
}
