package io.winnow.ribbon;

import io.winnow.FilterImage;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.build.KeyBuffer;
import io.winnow.build.ScratchPool;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyHash;
import java.security.SecureRandom;
import java.util.function.IntSupplier;

/**
 * How large a homogeneous Ribbon filter is made for how many keys.
 *
 * <p>Two ways. <em>From a rate</em>: the filter is as small as it can be with its rate at most the
 * asked one. <em>From a byte size and a rate</em>, as Lindorm does it (Ribbon in Lindorm, section
 * 3.1): a full filter has exactly that many bytes, and about 1.06 times the asked rate, because the
 * paper's formula leaves out what integer columns cost. Nor does it count that blocks are whole: in
 * small chunks, at 1 %, it is 1.13 times at 8 KB and 1.29 times at 2 KB. Immutable.
 */
public final class RibbonSizing implements FilterSizing {
  private static final ScratchPool<HomogeneousConstruction> SCRATCH_64 =
      new ScratchPool<>(() -> new HomogeneousConstruction(64));

  private static final ScratchPool<HomogeneousConstruction> SCRATCH_128 =
      new ScratchPool<>(() -> new HomogeneousConstruction(128));

  /** Lindorm's formula is for full chunks of a store file: with few slots it does not hold. */
  public static final int MIN_LINDORM_BYTES = 1024;

  /** The share of the rate that elimination is expected to lose. */
  private static final double RESERVE = 0.03;

  /** The share of the rate that it must at least be able to lose when columns are chosen. */
  private static final double LEAST_RESERVE = 0.01;

  /** Aimed at, as a share of the asked rate: the estimate is within 0.02 %. */
  private static final double TARGET_SHARE = 0.999;

  /** With Lindorm's sizing: the rate may be this much higher than its columns say. */
  private static final double LINDORM_TOLERANCE = 1.1;

  /** The number of keys that the measured overheads are for. */
  private static final int REFERENCE_KEYS = 145_000;

  /** Slots that stay free beyond one per column, whatever the overhead says. */
  private static final int SPARE_SLOTS = 5;

  private static final double LOG_2 = Math.log(2);

  /** A secret of the machine: whoever knows a filter's seed can choose keys that crowd under it. */
  private static final IntSupplier SECRET_SEEDS = new SecureRandom()::nextInt;

  private final double rate;
  private final int width;
  private final int lindormBytes;

  /** {@code log2(1 / rate)}. */
  private final double bitsOfRate;

  /** Columns before it grows. */
  private final int columns;

  /** Where builds begin; the attempts of one build count up from there. */
  private final IntSupplier firstSeeds;

  private RibbonSizing(double rate, int width, int lindormBytes, IntSupplier firstSeeds) {
    this.rate = rate;
    this.width = width;
    this.lindormBytes = lindormBytes;
    this.firstSeeds = firstSeeds;
    this.bitsOfRate = -Math.log(rate) / LOG_2;
    double met = isLindorm() ? target() : target() * (1 - LEAST_RESERVE);
    this.columns = (int) Math.ceil(-Math.log(met) / LOG_2);
  }

  /** The same, whose builds begin at these seeds: for tests and golden files. */
  RibbonSizing withFirstSeeds(IntSupplier newFirstSeeds) {
    return new RibbonSizing(rate, width, lindormBytes, newFirstSeeds);
  }

  /** The seed of a build's first attempt: a fresh one each time. */
  int firstSeed() {
    return firstSeeds.getAsInt();
  }

  /** The sizing that is used for this number of keys, see {@link #lindorm}. */
  RibbonSizing forKeys(long keys) {
    return isLindorm() && keys > keyLimit(lindormBytes)
        ? new RibbonSizing(rate, width, 0, firstSeeds)
        : this;
  }

  /** Width 64: the achieved rate is at most the asked one. */
  public static RibbonSizing forRate(double rate) {
    return forRate(rate, 64);
  }

  /** A width of 64 or 128: the achieved rate is at most the asked one. */
  public static RibbonSizing forRate(double rate, int width) {
    FilterSizing.checkRate(rate);
    if (width != 64 && width != 128) {
      throw new IllegalArgumentException("width is " + width + ", must be 64 or 128");
    }
    return new RibbonSizing(rate, width, 0, SECRET_SEEDS);
  }

  /**
   * As Lindorm does it, width 64: a full filter's image has {@code chunkBytes} bytes (rounded down
   * to a multiple of 8), header included, and holds {@link #keyLimit} keys. More keys than that get
   * the image that {@link #forRate(double)} gives them, at its rate, which is larger.
   *
   * @param chunkBytes at least {@value #MIN_LINDORM_BYTES}
   */
  public static RibbonSizing lindorm(int chunkBytes, double rate) {
    FilterSizing.checkRate(rate);
    if (chunkBytes < MIN_LINDORM_BYTES) {
      throw new IllegalArgumentException(
          "chunk size is " + chunkBytes + " bytes, must be at least " + MIN_LINDORM_BYTES);
    }
    return new RibbonSizing(rate, 64, chunkBytes, SECRET_SEEDS);
  }

  @Override
  public FilterImage build(KeyBuffer keys, KeyHash keyHash, boolean verified) {
    return (width == 64 ? SCRATCH_64 : SCRATCH_128)
        .build(keys, scratch -> scratch.build(this, keys, keyHash, verified));
  }

  @Override
  public FilterType type() {
    return FilterType.RIBBON;
  }

  @Override
  public double rate() {
    return rate;
  }

  /** Coefficients per row: 64 or 128. */
  public int width() {
    return width;
  }

  /** Whether the byte size rather than the rate decides. */
  public boolean isLindorm() {
    return lindormBytes > 0;
  }

  /**
   * {@inheritDoc} An image may turn out up to 1.5 % larger than expected, seldom, where keys crowd;
   * or larger by one column of one block, where whole blocks can do no better. With Lindorm's
   * sizing that is the limit for its own byte size, whatever is handed in.
   */
  @Override
  public long keyLimit(long imageBytes) {
    FilterSizing.checkBytes(imageBytes);
    if (isLindorm()) {
      return Math.max(1, (long) Math.floor(8L * lindormBytes / lindormBitsPerKey()));
    }
    return mostKeys(this, 1, imageBytes);
  }

  /** The most keys whose image is expected to have at most these bytes; {@code least} at least. */
  static long mostKeys(FilterSizing sizing, long least, long imageBytes) {
    long low = least;
    // More keys than bits never fit at a rate of at most 1/2.
    long high = Math.min(8 * Math.min(imageBytes, Integer.MAX_VALUE), KeyBuffer.MAX_COUNT) + 1;
    while (low + 1 < high) {
      long middle = (low + high) >>> 1;
      if (sizing.expectedImageBytes(middle) <= imageBytes) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Lindorm's bits per key: the paper's slots per key times log2(1/rate) bits per slot. */
  double lindormBitsPerKey() {
    double r = bitsOfRate;
    return r * (1 + (4 + r / 4) / width);
  }

  /**
   * Slots for this many keys, whole blocks; growth from its second step on adds an eighth, and from
   * its fifth on doubles them.
   */
  long slots(long keys, int growth) {
    double r = bitsOfRate;
    double overhead = isLindorm() ? (4 + r / 4) / width : overhead(keys, r);
    // Few keys: what must not happen is that the slots left free are fewer than the columns.
    double slots =
        Math.max(keys * (1 + overhead), keys + r + SPARE_SLOTS)
            * (growth < 5 ? 1 + Math.max(0, growth - 1) / 8.0 : 1 << growth - 4);
    return (long) Math.ceil(slots / width) * width;
  }

  /**
   * Slots per key beyond one, as measured: about one build in ten at 145 000 keys then meets a
   * stretch of crowded slots that is worth another seed, and fewer at smaller sizes, where the
   * overhead follows the size to keep it so.
   */
  private double overhead(long keys, double r) {
    double atChunkSize = (width == 64 ? 3.8 + r / 4 : 3.5 + r / 4) / width;
    double doublings = Math.log(keys / (double) REFERENCE_KEYS) / LOG_2;
    double perDoubling = width == 64 ? 0.004 : 0.002;
    return Math.max(0.5 * atChunkSize, atChunkSize + perDoubling * Math.min(doublings, 2));
  }

  /** Columns to solve for; growth adds one before it adds slots. */
  int columns(int growth) {
    return Math.min(RibbonShape.MAX_COLUMNS, columns + (growth > 0 && !isLindorm() ? 1 : 0));
  }

  /** What the builder aims at: a little below the asked rate, for what it cannot measure. */
  double target() {
    return isLindorm() ? rate : rate * TARGET_SHARE;
  }

  /** Blocks that have one column fewer if elimination loses no more than the reserve. */
  long expectedLowerBlocks(long blocks) {
    double whole = Math.scalb(1.0, -columns(0));
    double share = (target() * (1 - RESERVE) - whole) / whole;
    return (long) Math.floor(Math.max(0, Math.min(1, share)) * blocks);
  }

  /**
   * Returns the size of an image of this number of keys of which elimination loses nothing: no seed
   * makes a smaller one. The lower blocks are counted in raw starts, as {@link RibbonRate} does it:
   * in few blocks the first holds more than its share of these, and the last less.
   */
  long leastImageBytes(long keys) {
    long slots = slots(keys, 0);
    long blocks = slots / width;
    long rawStarts = RibbonHasher.rawStarts(slots, width);
    double share = Math.scalb(target(), columns(0)) - 1; // of the raw starts, in lower blocks
    long lowerStarts = (long) (share * rawStarts);
    long lowerBlocks =
        lowerStarts < rawStarts
            ? RibbonHasher.clamp(lowerStarts, rawStarts, width) / width
            : blocks;
    return imageBytes(blocks, columns(0), lowerBlocks);
  }

  /**
   * Blocks that have one column fewer in Lindorm's sizing: the share that a full filter has, but no
   * more than the measured rate allows, which counts where there are few blocks; yet as many as it
   * takes for the image not to outgrow the chunk.
   */
  long lindormLowerBlocks(long blocks, int growth, long mostByRate) {
    long lower = Math.min((long) Math.floor(blocks * lindormLowerShare()), mostByRate);
    if (growth <= 1) {
      lower = Math.max(lower, blocks * columns(growth) - lindormPayloadWords());
    }
    return Math.max(0, Math.min(blocks, lower));
  }

  /** The rate of a full filter in Lindorm's sizing, if elimination loses nothing. */
  double lindormRate() {
    return Math.scalb(1 + lindormLowerShare(), -columns(0));
  }

  /** The estimated rate up to which a filter is handed out without another attempt. */
  double highestRate() {
    return isLindorm() ? lindormRate() * LINDORM_TOLERANCE : rate;
  }

  private double lindormLowerShare() {
    double blocks = slots(keyLimit(lindormBytes), 0) / (double) width;
    double share = columns(0) - lindormPayloadWords() / blocks;
    return Math.max(0, Math.min(1, share));
  }

  private long lindormPayloadWords() {
    return (lindormBytes - FilterHeader.SIZE_IN_BYTES) / 8;
  }

  /** The size of an image with this shape. */
  long imageBytes(long blocks, int columns, long lowerBlocks) {
    return FilterHeader.SIZE_IN_BYTES + (blocks * columns - lowerBlocks) * (width / 8);
  }

  @Override
  public long expectedImageBytes(long keys) {
    if (FilterSizing.checkKeys(keys) == 0) {
      return FilterHeader.SIZE_IN_BYTES;
    }
    RibbonSizing used = forKeys(keys);
    if (used != this) {
      return used.expectedImageBytes(keys);
    }
    long blocks = slots(keys, 0) / width;
    return imageBytes(blocks, columns(0), expectedLowerBlocks(blocks));
  }

  @Override
  public String toString() {
    return isLindorm()
        ? "ribbon of width 64 in chunks of " + lindormBytes + " bytes, as Lindorm, rate " + rate
        : "ribbon of width " + width + ", rate " + rate;
  }
}
