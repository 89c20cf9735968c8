package io.winnow.ribbon;

import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.build.KeyBuffer;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * Builds homogeneous Ribbon filters of one width, one after the other.
 *
 * <p>Building never fails. A finished filter's rate is determined ({@link RibbonRate}); one that
 * would be too high, or would need noticeably more columns than planned, is rebuilt with another
 * seed, {@value #SEEDS_PER_SIZE} times at most, and then with more slots, {@value #MAX_GROWTH}
 * times at most. The first seed is drawn anew for each build, so that nobody can choose keys that
 * crowd under it. Attempts of the planned size where keys crowd all the same are given up; larger
 * ones are not, since only a filter with columns is one.
 *
 * <p>The work is bounded, whatever the keys are: there are {@code 4 * 7} attempts at most, and each
 * takes at most {@code 154 n + 2^17} steps of elimination at width 64, and {@code 194 n + 2^17} at
 * width 128 ({@link RibbonBanding}); 4 to 8 and 8 to 21 per key are usual.
 *
 * <p>Unless told otherwise a filter is then checked ({@link Verification}); should a key be lost,
 * which only a fault of the machine could explain, the next seed is tried, and in the end a filter
 * is handed out that answers {@code true} to everything.
 *
 * <p>Scratch: 8 bytes per key, {@code width / 8} per slot, and the solution. Not thread-safe.
 */
final class HomogeneousConstruction {
  private static final int SEEDS_PER_SIZE = 4;
  private static final int GROWTH_AFTER_FAULTS = 4;
  private static final int MAX_GROWTH = 6;

  private static final int MOST_SLOTS = Integer.MAX_VALUE / 64 * 63;

  /** An image may be this much larger than planned before another seed is tried. */
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

  /** Of this build so far. */
  private int attempts;

  HomogeneousConstruction(int width) {
    this(width, image -> {});
  }

  /** Of filters that something happens to between packing and verification, for tests. */
  HomogeneousConstruction(int width, Consumer<byte[]> fault) {
    this.banding = new RibbonBanding(width);
    this.rate = new RibbonRate(width);
    this.fault = fault;
  }

  /** Builds the filter of these keys. */
  FilterImage build(
      RibbonSizing newSizing, KeyBuffer newKeys, KeyHash newKeyHash, boolean newVerified) {
    keys = newKeys;
    keyHash = newKeyHash;
    verified = newVerified;
    if (newSizing.forKeys(keys.count()) != newSizing) {
      keys.dropRepeats(); // they may be what is too many
    }
    sizing = newSizing.forKeys(keys.count());
    try {
      if (keys.count() == 0) {
        return withoutColumns(0, 0);
      }
      attempts = 0;
      FilterImage best = bestImage();
      FilterImage image = best != null ? best : withoutColumns(1, 1); // the set of everything
      return image.withRebuilds(attempts - 1);
    } finally {
      keys = null; // it belongs to a builder, and this scratch to none
    }
  }

  /** The first image that is as planned, or else the best one; null if each lost a key. */
  private FilterImage bestImage() {
    FilterImage best = null;
    int seed = sizing.firstSeed();
    for (int growth = 0; growth <= mostGrowth(best != null); growth++) {
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

  /** How far it may grow: only for keys that crowd far, and never beyond what an array can have. */
  private int mostGrowth(boolean keysCrowd) {
    int most = keysCrowd ? MAX_GROWTH : GROWTH_AFTER_FAULTS;
    for (; most > 0; most--) {
      long slots = sizing.slots(keys.count(), most);
      if (slots <= MOST_SLOTS && slots * sizing.columns(most) / 8 <= MOST_SLOTS) {
        break;
      }
    }
    return most;
  }

  /**
   * One filter, with whatever rate and size it comes out at; null if elimination was given up, or a
   * key is not found in it.
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

  private boolean isGood(FilterImage finished, byte[] image) {
    HomogeneousRibbonLayout layout = (HomogeneousRibbonLayout) finished.layout();
    return Verification.isFound(layout, image, keys)
        && verification.holdsAll(
            layout.shape(), image, sorter.mixed(), sorter.count(), sorter.sum());
  }

  /**
   * Eliminates all keys' rows: the number of slots, or 0 if that was given up. Should there be
   * repeats that were not dropped yet, they are now, and everything starts again: so the image
   * depends on the set of hashes alone.
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

  private int lowerBlocks(int blocks, int growth) {
    if (sizing.isLindorm()) {
      int mostByRate = rate.lowerBlocks(sizing.highestRate(), blocks);
      return (int) sizing.lindormLowerBlocks(blocks, growth, mostByRate);
    }
    return Math.max(0, rate.lowerBlocks(sizing.target(), blocks));
  }

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

  private FilterImage withoutColumns(int blocks, double estimatedRate) {
    RibbonShape shape = new RibbonShape(blocks, 0, 0, sizing.width(), 0);
    return finish(new byte[FilterHeader.SIZE_IN_BYTES], estimatedRate, shape);
  }

  private boolean isLowEnough(FilterImage image) {
    return image.layout().estimatedRate() <= sizing.highestRate();
  }

  private boolean isAsPlanned(FilterImage image, int growth) {
    return isLowEnough(image)
        && (sizing.isLindorm() || growth > 0 || image.sizeInBytes() <= sizeLimit());
  }

  /**
   * Returns the size up to which an image is as planned. That of few keys may be above what is
   * expected under every seed, since its blocks are whole: then another seed would gain nothing.
   */
  private double sizeLimit() {
    int count = keys.count();
    return Math.max(
        sizing.expectedImageBytes(count) * SIZE_TOLERANCE, sizing.leastImageBytes(count));
  }

  private boolean isBetter(FilterImage image, FilterImage other) {
    if (isLowEnough(image) && isLowEnough(other)) {
      return image.sizeInBytes() < other.sizeInBytes();
    }
    return image.layout().estimatedRate() < other.layout().estimatedRate();
  }
}
