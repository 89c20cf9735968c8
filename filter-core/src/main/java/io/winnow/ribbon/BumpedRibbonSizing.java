package io.winnow.ribbon;

import io.winnow.FilterImage;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.build.KeyBuffer;
import io.winnow.build.ScratchPool;
import io.winnow.hash.KeyHash;
import java.util.function.IntSupplier;

/** How large a bumped Ribbon filter is made for how many keys, from a rate. Immutable. */
public final class BumpedRibbonSizing implements FilterSizing {
  private static final ScratchPool<BumpedConstruction> SCRATCH =
      new ScratchPool<>(BumpedConstruction::new);

  /** Below this many keys the next layer is the homogeneous one. */
  static final int MIN_LAYER_KEYS = 1500;

  /** Slots per key of a bumped layer: fewer than keys, so that nearly all get filled. */
  private static final double SLOTS_PER_KEY = 0.957;

  /** The share of keys that this bumps, as measured. */
  private static final double EXPECTED_BUMPED = 0.045;

  /** From this many keys on layers pay at every rate. */
  private static final int ALWAYS_LAYERED = 8192;

  private final RibbonSizing last;

  /** Found when it is first asked for; 0 until then. */
  private int leastLayeredKeys;

  private BumpedRibbonSizing(RibbonSizing last) {
    this.last = last;
  }

  /** The same, whose builds begin at these seeds: for tests and golden files. */
  BumpedRibbonSizing withFirstSeeds(IntSupplier firstSeeds) {
    return new BumpedRibbonSizing(last.withFirstSeeds(firstSeeds));
  }

  private int leastLayeredKeys() {
    int keys = leastLayeredKeys;
    if (keys == 0) {
      keys = leastLayeredKeys(MIN_LAYER_KEYS, ALWAYS_LAYERED - 1);
      leastLayeredKeys = keys;
    }
    return keys;
  }

  /**
   * The least number of keys in this range from which on layers pay up to its end; the one after
   * the end if they do not pay there. Both sizes grow with the keys: so layers pay in a whole range
   * if its largest number costs less with them than its smallest one without. Half by half, that
   * settles nearly all of the numbers without a look at each.
   */
  private int leastLayeredKeys(int from, int to) {
    if (layeredImageBytes(to) < last.expectedImageBytes(from)) {
      return from;
    }
    if (from == to) {
      return to + 1;
    }
    int middle = (from + to) >>> 1;
    int keys = leastLayeredKeys(middle + 1, to);
    return keys > middle + 1 ? keys : leastLayeredKeys(from, middle);
  }

  /** The achieved rate is at most the asked one. */
  public static BumpedRibbonSizing forRate(double rate) {
    return new BumpedRibbonSizing(RibbonSizing.forRate(rate, 64));
  }

  @Override
  public FilterImage build(KeyBuffer keys, KeyHash keyHash, boolean verified) {
    return SCRATCH.build(keys, scratch -> scratch.build(this, keys, keyHash, verified));
  }

  /** Bumped Ribbon; the image of few keys is a homogeneous one, which is smaller then. */
  @Override
  public FilterType type() {
    return FilterType.BUMPED_RIBBON;
  }

  @Override
  public double rate() {
    return last.rate();
  }

  /** The sizing of the last layer, and of filters too small for a bumped one. */
  RibbonSizing last() {
    return last;
  }

  /** Columns of the bumped layers: the fewest that keep the rate if no block has one fewer. */
  int columns() {
    return -Math.getExponent(last.rate());
  }

  /** How much higher than that of all columns the rate may be, as a share of it: below 1. */
  private double allowance() {
    return Math.max(0, Math.scalb(last.rate(), columns()) - 1);
  }

  /**
   * The most blocks that can have one column fewer in a layer with these thresholds. A key that
   * starts there passes twice as often; so they may hold that share of all starts that are kept.
   */
  int lowerBlocks(long[] thresholds, int slots) {
    int blocks = slots / 64;
    double left = keptStarts(thresholds, slots, blocks) * allowance();
    for (int block = 0; block < blocks; block++) {
      left -= BumpedLayer.keptStarts(thresholds, slots, block);
      if (left < 0) {
        return block;
      }
    }
    return blocks;
  }

  /** The rate of such a layer, for keys that it does not bump. */
  double layerRate(long[] thresholds, int slots, int lowerBlocks) {
    long kept = keptStarts(thresholds, slots, slots / 64);
    double lower = keptStarts(thresholds, slots, lowerBlocks);
    return Math.scalb(1 + (kept == 0 ? 0 : lower / kept), -columns());
  }

  /** Starts that are kept in this number of first blocks. */
  private static long keptStarts(long[] thresholds, int slots, int blocks) {
    long sum = 0;
    for (int block = 0; block < blocks; block++) {
      sum += BumpedLayer.keptStarts(thresholds, slots, block);
    }
    return sum;
  }

  /** Slots of a bumped layer for this number of keys, whole blocks. */
  static long slots(long keys) {
    return (long) Math.ceil(keys * SLOTS_PER_KEY / 64) * 64;
  }

  @Override
  public long keyLimit(long imageBytes) {
    FilterSizing.checkBytes(imageBytes);
    return RibbonSizing.mostKeys(this, last.keyLimit(imageBytes), imageBytes);
  }

  /**
   * Whether a filter of this number of keys, and every larger one, is smaller with bumped layers
   * than without: so that repeats, which count until they are found, cannot talk a builder out of
   * them.
   */
  boolean layersPay(long keys) {
    return keys >= ALWAYS_LAYERED || keys >= leastLayeredKeys();
  }

  @Override
  public long expectedImageBytes(long keys) {
    FilterSizing.checkKeys(keys);
    return layersPay(keys) ? layeredImageBytes(keys) : last.expectedImageBytes(keys);
  }

  @Override
  public String toString() {
    return "bumped-ribbon, rate " + rate();
  }

  long layeredImageBytes(long keys) {
    long bytes = 0;
    long left = keys;
    int layers = 0;
    for (; left >= MIN_LAYER_KEYS && layers < BumpedRibbonLayout.MAX_LAYERS; layers++) {
      long blocks = slots(left) / 64;
      long lowerBlocks = (long) (blocks * allowance());
      bytes += BumpedLayer.sizeInBytes(blocks, lowerBlocks, columns());
      left = (long) Math.ceil(left * EXPECTED_BUMPED);
    }
    return bytes + BumpedRibbonLayout.tableLength(layers) + last.expectedImageBytes(left);
  }
}
