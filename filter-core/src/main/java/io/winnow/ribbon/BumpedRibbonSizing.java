package io.winnow.ribbon;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.FilterLayout;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.base.KeyBuffer;
import io.winnow.base.ScratchPool;
import java.util.function.IntSupplier;

/**
 * Sizes of bumped Ribbon filters with a given false-positive rate, for any number of keys.
 * Immutable.
 */
public final class BumpedRibbonSizing implements FilterSizing {
  private static final ScratchPool<BumpedConstruction> SCRATCH =
      new ScratchPool<>(() -> new BumpedConstruction(image -> {}));

  /**
   * Minimum of keys in a layer of a bumped Ribbon filter; fewer go to the homogeneous last layer.
   */
  static final int MIN_LAYER_KEYS = 1500;

  /**
   * Number of slots per key in a layer of a bumped Ribbon filter: fewer than 1, so that nearly all
   * slots are filled.
   */
  private static final double SLOTS_PER_KEY = 0.957;

  /**
   * Fraction of keys that a bumped Ribbon filter's layer with 0.957 slots per key bumps to the next
   * one, as measured.
   */
  private static final double EXPECTED_BUMPED = 0.045;

  /** Number of keys from which on bumped layers make a Ribbon filter smaller at every rate. */
  private static final int ALWAYS_LAYERED = 8192;

  /**
   * Sizing of a bumped Ribbon filter's homogeneous last layer, and of filters that are too small
   * for bumped layers.
   */
  final RibbonSizing last;

  /**
   * Smallest number of keys for which bumped layers make a Ribbon filter smaller; 0 until it is
   * first computed.
   */
  private int minLayeredKeys;

  private BumpedRibbonSizing(RibbonSizing last) {
    this.last = last;
  }

  /**
   * Returns a sizing of the same filters with another source of seeds, for tests and golden files.
   */
  BumpedRibbonSizing withFirstSeeds(IntSupplier firstSeeds) {
    return new BumpedRibbonSizing(last.withFirstSeeds(firstSeeds));
  }

  /** Returns the smallest number of keys for which bumped layers make a Ribbon filter smaller. */
  private int minLayeredKeys() {
    int keys = minLayeredKeys;
    if (keys == 0) {
      keys = minLayeredKeys(MIN_LAYER_KEYS, ALWAYS_LAYERED - 1);
      minLayeredKeys = keys;
    }
    return keys;
  }

  /**
   * Returns the smallest number of keys in a range from which on, up to the end of the range,
   * bumped layers make a Ribbon filter smaller; if there is none, the number after the end. Both
   * sizes grow with the number of keys. So layers pay in a whole range if its largest number costs
   * less with layers than its smallest one without. Applied to halves, this decides nearly all
   * numbers without checking each.
   */
  private int minLayeredKeys(int from, int to) {
    if (layeredImageBytes(to) < last.expectedImageBytes(from)) {
      return from;
    }
    if (from == to) {
      return to + 1;
    }
    int middle = (from + to) >>> 1;
    int keys = minLayeredKeys(middle + 1, to);
    return keys > middle + 1 ? keys : minLayeredKeys(from, middle);
  }

  /**
   * Returns the layout of the bumped Ribbon filter whose image begins at a given offset.
   *
   * @param header the header of this image
   * @throws FilterFormatException if it contradicts the image's table of layers or its length
   */
  public static <T> FilterLayout layout(
      FilterHeader header, ByteAccess<T> access, T image, int offset) {
    return BumpedRibbonLayout.of(header, access, image, offset);
  }

  /**
   * Returns the sizing of bumped Ribbon filters for a false-positive rate; a filter's rate is at
   * most this.
   */
  public static BumpedRibbonSizing forRate(double rate) {
    return new BumpedRibbonSizing(RibbonSizing.forRate(rate, 64));
  }

  @Override
  public FilterImage build(KeyBuffer keys, KeyHash keyHash, boolean verified) {
    return SCRATCH.build(keys, scratch -> scratch.build(this, keys, keyHash, verified));
  }

  /**
   * Returns the type "bumped Ribbon"; the image of few keys is nevertheless a homogeneous one,
   * which is smaller.
   */
  @Override
  public FilterType type() {
    return FilterType.BUMPED_RIBBON;
  }

  @Override
  public double rate() {
    return last.rate();
  }

  /**
   * Returns the number of columns of a bumped Ribbon filter's layers: the fewest that keep the rate
   * if no block has one fewer.
   */
  int columns() {
    return -Math.getExponent(last.rate());
  }

  /**
   * Returns by which part the rate may rise if blocks leave out their last column: the configured
   * rate over that of a filter whose blocks have all columns, minus 1. It is below 1.
   */
  private double allowance() {
    return Math.max(0, Math.scalb(last.rate(), columns()) - 1);
  }

  /**
   * Returns the largest number of blocks that can have one column fewer in a bumped Ribbon filter's
   * layer with these thresholds. A key that starts in such a block passes twice as often; so these
   * blocks may hold as large a part of all held starts as the allowance says.
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

  /** Returns the false-positive rate of a bumped layer, for keys that it does not bump. */
  double layerRate(long[] thresholds, int slots, int lowerBlocks) {
    long kept = keptStarts(thresholds, slots, slots / 64);
    double lower = keptStarts(thresholds, slots, lowerBlocks);
    return Math.scalb(1 + (kept == 0 ? 0 : lower / kept), -columns());
  }

  /**
   * Counts the starts (first slots of keys' windows), in a given number of first blocks of a bumped
   * Ribbon filter's layer, whose keys are not bumped (left to the next layer).
   */
  private static long keptStarts(long[] thresholds, int slots, int blocks) {
    long sum = 0;
    for (int block = 0; block < blocks; block++) {
      sum += BumpedLayer.keptStarts(thresholds, slots, block);
    }
    return sum;
  }

  /**
   * Returns the number of slots in a bumped Ribbon filter's layer for this number of keys, in whole
   * blocks.
   */
  static long slots(long keys) {
    return (long) Math.ceil(keys * SLOTS_PER_KEY / 64) * 64;
  }

  @Override
  public long keyLimit(long imageBytes) {
    FilterSizing.checkBytes(imageBytes);
    return RibbonSizing.maxKeys(this, last.keyLimit(imageBytes), imageBytes);
  }

  /**
   * Returns whether a Ribbon filter of this number of keys, and each larger one, is smaller with
   * bumped layers than without. So repeats, which count until they are found, cannot prevent
   * layers.
   */
  boolean layersPay(long keys) {
    return keys >= ALWAYS_LAYERED || keys >= minLayeredKeys();
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

  /** Returns the expected size in bytes of a Ribbon filter's image with bumped layers. */
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
