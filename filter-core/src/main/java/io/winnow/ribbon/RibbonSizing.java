package io.winnow.ribbon;

import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.FilterLayout;
import io.winnow.FilterSizing;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.base.KeyBuffer;
import io.winnow.base.ScratchPool;
import java.security.SecureRandom;
import java.util.function.IntSupplier;

/**
 * Sizes of homogeneous Ribbon filters, for any number of keys.
 *
 * <p>There are two kinds. <em>From a rate</em>: the filter is as small as possible with at most
 * this rate. <em>From a byte size and a rate</em>, as in Lindorm (Ribbon in Lindorm, section 3.1):
 * a full filter has exactly this many bytes, and about 1.06 times the rate, because the paper's
 * formula ignores the cost of integer columns. It also ignores that blocks are whole: in small
 * chunks, at 1 %, the rate is 1.13 times as high at 8 KB and 1.29 times at 2 KB. Immutable.
 */
public final class RibbonSizing implements FilterSizing {
  private static final ScratchPool<HomogeneousConstruction> SCRATCH_64 =
      new ScratchPool<>(() -> new HomogeneousConstruction(64, image -> {}));

  private static final ScratchPool<HomogeneousConstruction> SCRATCH_128 =
      new ScratchPool<>(() -> new HomogeneousConstruction(128, image -> {}));

  /**
   * Minimum size in bytes of an image that is sized by the formula of Lindorm's paper, which is for
   * full chunks of a store file: with few slots it does not hold.
   */
  public static final int MIN_LINDORM_BYTES = 1024;

  /**
   * Fraction of the configured false-positive rate that a build is expected to lose because many
   * keys start close together.
   */
  private static final double RESERVE = 0.03;

  /**
   * Minimum of the fraction of the configured false-positive rate that is set aside for keys that
   * start close together, when columns are chosen.
   */
  private static final double MIN_RESERVE = 0.01;

  /**
   * False-positive rate at which a build aims, as a fraction of the configured rate, because the
   * estimate has an error of 0.02 %.
   */
  private static final double TARGET_SHARE = 0.999;

  /**
   * Factor by which a filter's rate may exceed the one that its columns imply, with the sizing of
   * Lindorm's paper.
   */
  private static final double LINDORM_TOLERANCE = 1.1;

  /** Number of keys for which the free slots per key of a Ribbon filter were measured. */
  private static final int REFERENCE_KEYS = 145_000;

  /** Minimum of free slots of a homogeneous Ribbon filter, beyond one per column. */
  private static final int SPARE_SLOTS = 5;

  private static final double LOG_2 = Math.log(2);

  /**
   * Source of the seeds of filters, which are secret: an attacker who knows a filter's seed can
   * choose keys that crowd under it.
   */
  private static final IntSupplier SECRET_SEEDS = new SecureRandom()::nextInt;

  private final double rate;
  private final int width;
  private final int lindormBytes;

  /** Number of bits that a key takes at least at the configured rate: {@code log2(1 / rate)}. */
  private final double bitsOfRate;

  /** Number of columns of a Ribbon solution before a build makes the filter larger. */
  private final int columns;

  /** Source of the first seed of each build; the build's later attempts count up from there. */
  private final IntSupplier firstSeeds;

  private RibbonSizing(double rate, int width, int lindormBytes, IntSupplier firstSeeds) {
    this.rate = rate;
    this.width = width;
    this.lindormBytes = lindormBytes;
    this.firstSeeds = firstSeeds;
    this.bitsOfRate = -Math.log(rate) / LOG_2;
    double met = isLindorm() ? target() : target() * (1 - MIN_RESERVE);
    this.columns = (int) Math.ceil(-Math.log(met) / LOG_2);
  }

  /**
   * Returns a sizing of the same filters with another source of seeds, for tests and golden files.
   */
  RibbonSizing withFirstSeeds(IntSupplier newFirstSeeds) {
    return new RibbonSizing(rate, width, lindormBytes, newFirstSeeds);
  }

  /** Returns a new seed for the first attempt of a build. */
  int firstSeed() {
    return firstSeeds.getAsInt();
  }

  /**
   * Returns the sizing of Ribbon filters of a given number of keys: this one, or one by the rate if
   * these are too many for {@link #lindorm}.
   */
  RibbonSizing forKeys(long keys) {
    return isLindorm() && keys > keyLimit(lindormBytes)
        ? new RibbonSizing(rate, width, 0, firstSeeds)
        : this;
  }

  /**
   * Returns the layout of the filter that a header describes.
   *
   * @throws FilterFormatException if it contradicts itself or the payload's length
   */
  public static FilterLayout layout(FilterHeader header) {
    return HomogeneousRibbonLayout.of(header);
  }

  /**
   * Returns the sizing of homogeneous Ribbon filters of width 64 for a rate; a filter's rate is at
   * most this.
   */
  public static RibbonSizing forRate(double rate) {
    return forRate(rate, 64);
  }

  /**
   * Returns the sizing of homogeneous Ribbon filters of a width, 64 or 128, for a rate; a filter's
   * rate is at most this.
   */
  public static RibbonSizing forRate(double rate, int width) {
    FilterSizing.checkRate(rate);
    if (width != 64 && width != 128) {
      throw new IllegalArgumentException("width is " + width + ", must be 64 or 128");
    }
    return new RibbonSizing(rate, width, 0, SECRET_SEEDS);
  }

  /**
   * Returns the sizing of Lindorm's paper, of width 64, in which a size in bytes determines a full
   * filter. The image of a full filter has {@code chunkBytes} bytes (rounded down to a multiple of
   * 8), header included, and holds {@link #keyLimit} keys. The image of more keys is that of {@link
   * #forRate(double)}, with this rate, and larger.
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

  /** Returns the number of coefficients in a key's row of the Ribbon filter: 64 or 128. */
  public int width() {
    return width;
  }

  /** Returns whether a size in bytes determines the Ribbon filters, instead of the rate. */
  public boolean isLindorm() {
    return lindormBytes > 0;
  }

  /**
   * {@inheritDoc} In rare cases, if keys crowd, an image is up to 1.5 % larger than expected; or it
   * is larger by one column of one block, if whole blocks allow no better size. With Lindorm's
   * sizing the result is the limit for its own byte size, and the argument is ignored.
   */
  @Override
  public long keyLimit(long imageBytes) {
    FilterSizing.checkBytes(imageBytes);
    if (isLindorm()) {
      return Math.max(1, (long) Math.floor(8L * lindormBytes / lindormBitsPerKey()));
    }
    return maxKeys(this, 1, imageBytes);
  }

  /**
   * Returns the largest number of keys whose filter's image is expected to have at most {@code
   * imageBytes} bytes, but at least {@code min}.
   */
  static long maxKeys(FilterSizing sizing, long min, long imageBytes) {
    long low = min;
    // At a rate of at most 1/2, more keys than bits never fit.
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

  /**
   * Returns the bits per key in the sizing of Lindorm's paper: its slots per key times log2(1/rate)
   * bits per slot.
   */
  double lindormBitsPerKey() {
    double r = bitsOfRate;
    return r * (1 + (4 + r / 4) / width);
  }

  /**
   * Returns the number of slots of a homogeneous Ribbon filter for this many keys, in whole blocks.
   * Growth adds an eighth in each step from its second on, and doubles the slots in each step from
   * its fifth on.
   */
  long slots(long keys, int growth) {
    double r = bitsOfRate;
    double overhead = isLindorm() ? (4 + r / 4) / width : overhead(keys, r);
    // With few keys, the free slots must not be fewer than the columns.
    double slots =
        Math.max(keys * (1 + overhead), keys + r + SPARE_SLOTS)
            * (growth < 5 ? 1 + Math.max(0, growth - 1) / 8.0 : 1 << growth - 4);
    return (long) Math.ceil(slots / width) * width;
  }

  /**
   * Returns the number of free slots of a homogeneous Ribbon filter per key, as measured. At
   * 145,000 keys about one build in ten then has a stretch of crowded slots that needs another
   * seed. At smaller sizes it is fewer; the overhead depends on the size to keep it so.
   */
  private double overhead(long keys, double r) {
    double atChunkSize = (width == 64 ? 3.8 + r / 4 : 3.5 + r / 4) / width;
    double doublings = Math.log(keys / (double) REFERENCE_KEYS) / LOG_2;
    double perDoubling = width == 64 ? 0.004 : 0.002;
    return Math.max(0.5 * atChunkSize, atChunkSize + perDoubling * Math.min(doublings, 2));
  }

  /**
   * Returns the number of columns of a Ribbon solution; the first growth step adds one, later steps
   * add slots.
   */
  int columns(int growth) {
    return Math.min(RibbonShape.MAX_COLUMNS, columns + (growth > 0 && !isLindorm() ? 1 : 0));
  }

  /**
   * Returns the false-positive rate that the builder aims at: a little below the configured rate,
   * to allow for the error of the estimate.
   */
  double target() {
    return isLindorm() ? rate : rate * TARGET_SHARE;
  }

  /**
   * Returns the number of a Ribbon filter's blocks that are expected to have one column fewer, if
   * keys crowd no more than usual.
   */
  long expectedLowerBlocks(long blocks) {
    double whole = Math.scalb(1.0, -columns(0));
    double share = (target() * (1 - RESERVE) - whole) / whole;
    return (long) Math.floor(Math.max(0, Math.min(1, share)) * blocks);
  }

  /**
   * Returns the size in bytes of a Ribbon filter's image for this number of keys if crowded keys
   * cost nothing of the rate. If there are few keys, no seed makes a smaller one. If there are
   * many, {@link RibbonRate} measures some starts for all, and an image may have one column of one
   * block fewer. The lower blocks are counted in raw starts, as in {@link RibbonRate}: if there are
   * few blocks, the first has more than its share of the raw starts, and the last less.
   */
  long minImageBytes(long keys) {
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
   * Returns the number of a Ribbon filter's blocks with one column fewer in the sizing of Lindorm's
   * paper. It is the fraction of a full filter, but no more than the measured rate allows, which
   * matters for few blocks, and enough to keep the image within the chunk.
   *
   * @param maxByRate the number that the measured rate allows
   */
  long lindormLowerBlocks(long blocks, int growth, long maxByRate) {
    long lower = Math.min((long) Math.floor(blocks * lindormLowerShare()), maxByRate);
    if (growth <= 1) {
      lower = Math.max(lower, blocks * columns(growth) - lindormPayloadWords());
    }
    return Math.max(0, Math.min(blocks, lower));
  }

  /**
   * Returns the false-positive rate of a full filter in the sizing of Lindorm's paper, if
   * elimination loses nothing.
   */
  double lindormRate() {
    return Math.scalb(1 + lindormLowerShare(), -columns(0));
  }

  /**
   * Returns the estimated false-positive rate up to which a filter is returned without another
   * attempt.
   */
  double highestRate() {
    return isLindorm() ? lindormRate() * LINDORM_TOLERANCE : rate;
  }

  /**
   * Returns the fraction of blocks that have one column fewer in a full filter in the sizing of
   * Lindorm's paper.
   */
  private double lindormLowerShare() {
    double blocks = slots(keyLimit(lindormBytes), 0) / (double) width;
    double share = columns(0) - lindormPayloadWords() / blocks;
    return Math.max(0, Math.min(1, share));
  }

  /**
   * Returns the number of 64-bit words after the header of a full filter in the sizing of Lindorm's
   * paper.
   */
  private long lindormPayloadWords() {
    return (lindormBytes - FilterHeader.SIZE_IN_BYTES) / 8;
  }

  /**
   * Returns the size in bytes of a Ribbon filter's image, header included, with this many blocks
   * and columns.
   */
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
