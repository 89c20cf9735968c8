package io.winnow.ribbon;

/** How large a bumped Ribbon filter is made for how many keys, from a rate. Immutable. */
public final class BumpedRibbonSizing {
  /** Below this many keys the next layer is the homogeneous one. */
  static final int MIN_LAYER_KEYS = 1500;

  /** Slots per key of a bumped layer: fewer than keys, so that nearly all get filled. */
  private static final double SLOTS_PER_KEY = 0.957;

  /** The share of keys that this bumps, as measured. */
  private static final double EXPECTED_BUMPED = 0.045;

  /** Rounding, in the choice of columns, of a rate that is a power of two. */
  private static final double EPSILON = 1e-9;

  private final RibbonSizing last;

  private BumpedRibbonSizing(RibbonSizing last) {
    this.last = last;
  }

  /** A rate in (0, 0.5]: the achieved rate is at most the asked one. */
  public static BumpedRibbonSizing forRate(double rate) {
    return new BumpedRibbonSizing(RibbonSizing.forRate(rate, 64));
  }

  /** The rate that was asked for. */
  public double rate() {
    return last.rate();
  }

  /** The sizing of the last layer, and of filters too small for a bumped one. */
  RibbonSizing last() {
    return last;
  }

  /** Columns of the bumped layers. */
  int columns() {
    double bits = -Math.log(last.leastRate()) / Math.log(2);
    return Math.max(1, (int) Math.ceil(bits - EPSILON));
  }

  /** Blocks that have one column fewer, of a layer with so many slots. */
  int lowerBlocks(int slots) {
    double whole = Math.scalb(1.0, -columns());
    double share = (last.leastRate() - whole) / whole;
    return (int) Math.floor(Math.max(0, share) * BumpedLayer.starts(slots) / 64);
  }

  /** The rate of a layer with so many slots, for keys that it does not bump. */
  double layerRate(int slots) {
    double lower = 64.0 * lowerBlocks(slots) / BumpedLayer.starts(slots);
    return Math.scalb(1 + lower, -columns());
  }

  /** Slots of a bumped layer that so many keys come to, whole blocks. */
  static long slots(long keys) {
    return (long) Math.ceil(keys * SLOTS_PER_KEY / 64) * 64;
  }

  /** The most keys whose filter is expected to have at most {@code chunkBytes} bytes. */
  public long keyLimit(int chunkBytes) {
    long low = last.keyLimit(chunkBytes);
    long high = 8L * chunkBytes + 1;
    while (low + 1 < high) {
      long middle = (low + high) >>> 1;
      if (expectedImageBytes(middle) <= chunkBytes) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Whether a filter of so many keys is smaller with bumped layers than without. */
  boolean layersPay(long keys) {
    return keys >= MIN_LAYER_KEYS && layeredImageBytes(keys) < last.expectedImageBytes(keys);
  }

  private long expectedImageBytes(long keys) {
    return layersPay(keys) ? layeredImageBytes(keys) : last.expectedImageBytes(keys);
  }

  private long layeredImageBytes(long keys) {
    long bytes = 0;
    long left = keys;
    int layers = 0;
    for (; left >= MIN_LAYER_KEYS && layers < BumpedRibbonLayout.MAX_LAYERS; layers++) {
      int slots = (int) slots(left);
      bytes += BumpedLayer.sizeInBytes(slots / 64, lowerBlocks(slots), columns());
      left = (long) Math.ceil(left * EXPECTED_BUMPED);
    }
    return bytes + BumpedRibbonLayout.tableLength(layers) + last.expectedImageBytes(left);
  }
}
