package io.winnow.ribbon;

import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.base.KeyBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * Builds homogeneous Ribbon filters of one width (slots per key's window), one after the other.
 *
 * <p>Building never fails. The rate of a finished filter is determined ({@link RibbonRate}). A
 * filter whose rate is too high, or that is noticeably larger than planned, is built again with
 * another seed, at most {@value #SEEDS_PER_SIZE} times, and then with more slots, at most {@value
 * #MAX_GROWTH} times. The first seed is random for each build, so that an attacker cannot choose
 * keys that crowd under it. An attempt of the planned size in which keys crowd is abandoned; a
 * larger one is not, since a filter without columns would rule out nothing.
 *
 * <p>The work is bounded for any keys: there are at most {@code 4 * 7} attempts, and each takes at
 * most {@code 154 n + 2^17} steps of elimination at width 64, and {@code 194 n + 2^17} at width 128
 * ({@link RibbonBanding}); 4 to 8 and 8 to 21 per key are usual.
 *
 * <p>Then a filter is checked, unless the caller has disabled it ({@link Verification}). Should a
 * key be lost, which only a fault of the machine could explain, the next seed is tried, and in the
 * end a filter is returned whose answer is always {@code true}.
 *
 * <p>Scratch: 8 bytes per key, {@code width / 8} per slot, and the solution. Not thread-safe.
 */
final class HomogeneousConstruction {
  /** Maximum of seeds that a build tries with each number of slots and columns. */
  private static final int SEEDS_PER_SIZE = 4;

  /** Maximum of steps by which a build makes a Ribbon filter larger after faults of the machine. */
  private static final int GROWTH_AFTER_FAULTS = 4;

  /**
   * Maximum of steps by which a build makes a Ribbon filter larger if many keys start close
   * together.
   */
  private static final int MAX_GROWTH = 6;

  private static final int MAX_SLOTS = Integer.MAX_VALUE / 64 * 63;

  /**
   * Factor by which a homogeneous Ribbon filter's image may exceed its planned size before another
   * seed is tried.
   */
  private static final double SIZE_TOLERANCE = 1.015;

  private final KeySorter sorter = new KeySorter();
  private final RibbonBanding banding;
  private final RibbonRate rate;
  private final Verification verification = new Verification();
  private final Consumer<byte[]> fault;
  private long[] solution = {};

  private RibbonSizing sizing;
  private KeyBuffer keys;
  private KeyHash keyHash;
  private boolean verified;

  /** Number of attempts of the present build of a homogeneous Ribbon filter. */
  private int attempts;

  /**
   * Creates a builder of homogeneous Ribbon filters.
   *
   * @param width coefficients of a row, 64 or 128
   * @param fault changes each image before it is verified: a test's fault of the machine, or
   *     nothing
   */
  HomogeneousConstruction(int width, Consumer<byte[]> fault) {
    this.banding = new RibbonBanding(width);
    this.rate = new RibbonRate(width);
    this.fault = fault;
  }

  /** Builds the homogeneous Ribbon filter of the keys in a buffer. */
  FilterImage build(
      RibbonSizing newSizing, KeyBuffer newKeys, KeyHash newKeyHash, boolean newVerified) {
    keys = newKeys;
    keyHash = newKeyHash;
    verified = newVerified;
    if (newSizing.forKeys(keys.count()) != newSizing) {
      keys.dropRepeats(); // perhaps only repeats exceed the limit
    }
    sizing = newSizing.forKeys(keys.count());
    try {
      if (keys.count() == 0) {
        return withoutColumns(0, 0);
      }
      attempts = 0;
      FilterImage best = bestImage();
      FilterImage image = best != null ? best : withoutColumns(1, 1); // the set of all keys
      return image.withRebuilds(attempts - 1);
    } finally {
      keys = null; // the keys belong to a builder
    }
  }

  /**
   * Returns the first built image whose rate and size are as planned, otherwise the best one, or
   * null if each lost a key.
   */
  private FilterImage bestImage() {
    FilterImage best = null;
    int seed = sizing.firstSeed();
    for (int growth = 0; growth <= maxGrowth(best != null); growth++) {
      for (int i = 0; i < SEEDS_PER_SIZE; i++) {
        FilterImage image = build(seed++, growth);
        if (image != null && isAsPlanned(image, growth)) {
          return image;
        }
        if (image != null && (best == null || isBetter(image, best))) {
          best = image;
        }
      }
      if (best != null && isLowEnough(best)) {
        return best;
      }
    }
    return best;
  }

  /**
   * Returns the maximum of steps by which a build makes a Ribbon filter larger. It depends on
   * whether keys crowd, and never leads to more slots than an array can have.
   */
  private int maxGrowth(boolean keysCrowd) {
    int max = keysCrowd ? MAX_GROWTH : GROWTH_AFTER_FAULTS;
    for (; max > 0; max--) {
      long slots = sizing.slots(keys.count(), max);
      if (slots <= MAX_SLOTS && slots * sizing.columns(max) / 8 <= MAX_SLOTS) {
        break;
      }
    }
    return max;
  }

  /**
   * Builds one image with a seed, at any resulting rate and size.
   *
   * @return null if elimination was abandoned, or the image does not hold every key
   */
  private FilterImage build(int seed, int growth) {
    attempts++;
    long seedMask = RibbonHasher.seedMask(seed);
    int slots = band(seedMask, growth);
    if (slots == 0) {
      return null;
    }
    int columns = sizing.columns(growth);
    if (solution.length < slots / 64 * columns) {
      solution = new long[slots / 64 * columns];
    }
    banding.solve(columns, seedMask, solution);
    rate.measure(solution, columns, slots);
    int blocks = slots / sizing.width();
    int lowerBlocks = lowerBlocks(blocks, growth);
    RibbonShape shape = new RibbonShape(blocks, lowerBlocks, seed, sizing.width(), columns);
    byte[] image = new byte[Math.toIntExact(sizing.imageBytes(blocks, columns, lowerBlocks))];
    int words = Scratch.pack(solution, blocks, lowerBlocks, columns, sizing.width(), solution, 0);
    ByteBuffer.wrap(image)
        .order(ByteOrder.LITTLE_ENDIAN)
        .position(FilterHeader.SIZE_IN_BYTES)
        .asLongBuffer()
        .put(solution, 0, words);
    fault.accept(image);
    FilterImage finished = finish(image, rate.rate(lowerBlocks), shape);
    return !verified || isGood(finished, image) ? finished : null;
  }

  /** Returns whether probes of a finished homogeneous Ribbon filter find all keys. */
  private boolean isGood(FilterImage finished, byte[] image) {
    HomogeneousRibbonLayout layout = (HomogeneousRibbonLayout) finished.layout();
    return Verification.isFound(layout, image, keys)
        && verification.holdsAll(layout.shape, image, sorter.mixed, sorter.count, sorter.sum);
  }

  /**
   * Eliminates the rows of all keys from the Ribbon filter's linear system. If it meets repeats
   * that were not dropped yet, it drops them and starts again, so that the image depends only on
   * the set of hashes.
   *
   * @return the number of slots, or 0 if elimination was abandoned
   */
  private int band(long seedMask, int growth) {
    while (true) {
      int slots = Math.toIntExact(sizing.slots(keys.count(), growth));
      sorter.partition(keys, seedMask);
      if (banding.addAll(sorter, slots, keys.isDistinct(), growth == 0) == Elimination.DONE) {
        return slots;
      }
      if (keys.isDistinct()) {
        return 0;
      }
      keys.dropRepeats();
    }
  }

  /** Returns the number of blocks of a Ribbon solution that get one column fewer. */
  private int lowerBlocks(int blocks, int growth) {
    if (sizing.isLindorm()) {
      int maxByRate = rate.lowerBlocks(sizing.highestRate(), blocks);
      return (int) sizing.lindormLowerBlocks(blocks, growth, maxByRate);
    }
    return Math.max(0, rate.lowerBlocks(sizing.target(), blocks));
  }

  /** Writes the header of a homogeneous Ribbon filter, and returns the image. */
  private FilterImage finish(byte[] image, double estimatedRate, RibbonShape shape) {
    byte[] written =
        FilterHeader.write(
            image,
            FilterType.RIBBON,
            keyHash,
            keys.count(),
            sizing.rate(),
            estimatedRate,
            shape.word0(),
            shape.word1());
    return FilterImage.of(written, HomogeneousRibbonLayout.of(FilterHeader.of(written)));
  }

  /**
   * Returns the image of a Ribbon filter without columns, which is for no keys or the last resort.
   */
  private FilterImage withoutColumns(int blocks, double estimatedRate) {
    RibbonShape shape = new RibbonShape(blocks, 0, 0, sizing.width(), 0);
    return finish(new byte[FilterHeader.SIZE_IN_BYTES], estimatedRate, shape);
  }

  /** Returns whether the estimated false-positive rate of an image is acceptable. */
  private boolean isLowEnough(FilterImage image) {
    return image.layout().estimatedRate() <= sizing.highestRate();
  }

  /**
   * Returns whether the false-positive rate of an image is acceptable and the image is not larger
   * than expected.
   */
  private boolean isAsPlanned(FilterImage image, int growth) {
    return isLowEnough(image)
        && (sizing.isLindorm() || growth > 0 || image.sizeInBytes() <= sizeLimit());
  }

  /**
   * Returns the size in bytes up to which a Ribbon filter's image is as small as planned. With few
   * keys every seed may make a larger image than expected, because it has whole blocks: another
   * seed would gain nothing then.
   */
  private double sizeLimit() {
    int count = keys.count();
    return Math.max(sizing.expectedImageBytes(count) * SIZE_TOLERANCE, sizing.minImageBytes(count));
  }

  /** Returns whether a Ribbon filter's image has a better rate or size than another one. */
  private boolean isBetter(FilterImage image, FilterImage other) {
    if (isLowEnough(image) && isLowEnough(other)) {
      return image.sizeInBytes() < other.sizeInBytes();
    }
    return image.layout().estimatedRate() < other.layout().estimatedRate();
  }
}
