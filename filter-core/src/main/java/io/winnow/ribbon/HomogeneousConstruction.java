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
 * Builds homogeneous Ribbon filters, one after the other.
 *
 * <p>Building never fails. A finished filter's rate is determined ({@link RibbonRate}); one that
 * would be too high, or would need noticeably more columns than planned, is rebuilt with another
 * seed, {@value #SEEDS_PER_SIZE} times at most, and then with more slots, {@value #MAX_GROWTH}
 * times at most. Unless told otherwise it is then probed with every hash that it was built from;
 * should one not be found, which only a fault of the machine could explain, the next seed is tried,
 * and in the end a filter is handed out that answers {@code true} to everything.
 *
 * <p>Scratch: 16 bytes per key, {@code width / 8} per slot, and the solution. Cost from hashes: see
 * {@code docs/benchmarks.md}. Not thread-safe.
 */
final class HomogeneousConstruction {
  private static final int SEEDS_PER_SIZE = 4;
  private static final int MAX_GROWTH = 4;

  /** An image may be this much larger than planned before another seed is tried. */
  private static final double SIZE_TOLERANCE = 1.015;

  private final KeyPartitioner partitioner = new KeyPartitioner();
  private final RibbonBanding[] bandings = new RibbonBanding[2];
  private final RibbonRate[] rates = new RibbonRate[2];
  private final Verification verification = new Verification();
  private final Consumer<byte[]> fault;
  private long[] solution = {};
  private long[] hashes = {};

  private RibbonSizing sizing;
  private KeyBuffer keys;
  private KeyHash keyHash;
  private boolean verified;
  private RibbonBanding banding;
  private RibbonRate rate;

  HomogeneousConstruction() {
    this(image -> {});
  }

  /** Of filters that something happens to between packing and verification, for tests. */
  HomogeneousConstruction(Consumer<byte[]> fault) {
    this.fault = fault;
  }

  /** Builds the filter of these keys. */
  FilterImage build(
      RibbonSizing newSizing, KeyBuffer newKeys, KeyHash newKeyHash, boolean newVerified) {
    sizing = newSizing;
    keys = newKeys;
    keyHash = newKeyHash;
    verified = newVerified;
    int kind = sizing.width() == 64 ? 0 : 1;
    if (bandings[kind] == null) {
      bandings[kind] = RibbonBanding.ofWidth(sizing.width());
      rates[kind] = new RibbonRate(sizing.width());
    }
    banding = bandings[kind];
    rate = rates[kind];
    return keys.count() == 0 ? empty() : build();
  }

  private FilterImage build() {
    FilterImage best = null;
    int seed = 0;
    for (int growth = 0; growth <= MAX_GROWTH; growth++) {
      for (int i = 0; i < SEEDS_PER_SIZE; i++, seed++) {
        FilterImage image = build(seed, growth);
        if (image == null) {
          continue;
        }
        if (isAsPlanned(image, growth)) {
          return image;
        }
        if (best == null || isBetter(image, best)) {
          best = image;
        }
      }
      if (best != null && isLowEnough(best)) {
        return best;
      }
    }
    return best != null ? best : acceptAll();
  }

  /**
   * One filter, with whatever rate and size it comes out at; null if elimination was given up, or a
   * key is not found in it.
   */
  private FilterImage build(int seed, int growth) {
    long seedMask = RibbonHasher.seedMask(seed);
    int slots = band(seedMask, growth);
    if (slots == 0) {
      return null;
    }
    long keyCount = keys.count();
    int columns = sizing.columns(growth);
    int words = slots / 64 * columns;
    if (solution.length < words) {
      solution = new long[words];
    }
    banding.solve(columns, seedMask, solution);
    rate.measure(solution, columns, slots);
    int blocks = slots / sizing.width();
    int lowerBlocks =
        sizing.isLindorm()
            ? (int)
                sizing.lindormLowerBlocks(
                    blocks, growth, rate.lowerBlocks(sizing.highestRate(), blocks))
            : Math.max(0, rate.lowerBlocks(sizing.target(), blocks));
    byte[] image = new byte[Math.toIntExact(sizing.imageBytes(blocks, columns, lowerBlocks))];
    pack(image, columns, lowerBlocks, blocks);
    fault.accept(image);
    RibbonShape shape = new RibbonShape(blocks, lowerBlocks, seed, sizing.width(), columns);
    FilterImage finished = write(image, keyCount, rate.rate(lowerBlocks), shape);
    return verified
            && !verification.holdsAll(
                shape, image, partitioner.mixed(), partitioner.count(), partitioner.sum())
        ? null
        : finished;
  }

  /**
   * Eliminates all keys' rows: the number of slots, or 0 if that was given up. Should there be
   * repeats that were not dropped yet, they are now, and everything starts again: so the image
   * depends on the set of hashes alone.
   */
  private int band(long seedMask, int growth) {
    while (true) {
      int slots = Math.toIntExact(sizing.slots(keys.count(), growth));
      partitioner.partition(copied(), keys.count(), seedMask);
      Elimination elimination = banding.addAll(partitioner, slots, keys.isDistinct());
      if (elimination == Elimination.DONE) {
        return slots;
      }
      if (keys.isDistinct()) {
        return 0;
      }
      keys.dropRepeats();
    }
  }

  private long[] copied() {
    if (hashes.length < keys.count()) {
      hashes = new long[keys.count()];
    }
    keys.copyTo(hashes);
    return hashes;
  }

  private void pack(byte[] image, int columns, int lowerBlocks, int blocks) {
    int wordsPerColumn = sizing.width() / 64;
    int lowerWords = (columns - 1) * wordsPerColumn;
    int upperWords = columns * wordsPerColumn;
    int words = 0;
    for (int block = 0; block < blocks; block++) {
      int used = block < lowerBlocks ? lowerWords : upperWords;
      System.arraycopy(solution, block * upperWords, solution, words, used); // at most where it was
      words += used;
    }
    ByteBuffer.wrap(image)
        .order(ByteOrder.LITTLE_ENDIAN)
        .position(FilterHeader.SIZE_IN_BYTES)
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN)
        .asLongBuffer()
        .put(solution, 0, words);
  }

  private FilterImage write(byte[] image, long keyCount, double estimatedRate, RibbonShape shape) {
    FilterHeader.write(
        image,
        FilterType.RIBBON,
        keyHash,
        keyCount,
        sizing.rate(),
        estimatedRate,
        shape.word0(),
        shape.word1());
    return FilterImage.of(image);
  }

  private boolean isLowEnough(FilterImage image) {
    return image.layout().estimatedRate() <= sizing.highestRate();
  }

  private boolean isAsPlanned(FilterImage image, int growth) {
    return isLowEnough(image)
        && (sizing.isLindorm()
            || growth > 0
            || image.sizeInBytes()
                <= sizing.expectedImageBytes(image.layout().keyCount()) * SIZE_TOLERANCE);
  }

  private boolean isBetter(FilterImage image, FilterImage other) {
    if (isLowEnough(image) && isLowEnough(other)) {
      return image.sizeInBytes() < other.sizeInBytes();
    }
    return image.layout().estimatedRate() < other.layout().estimatedRate();
  }

  private FilterImage empty() {
    return withoutColumns(0, 0);
  }

  private FilterImage acceptAll() {
    return withoutColumns(1, 1);
  }

  private FilterImage withoutColumns(int blocks, double estimatedRate) {
    RibbonShape shape = new RibbonShape(blocks, 0, 0, sizing.width(), 0);
    return write(new byte[FilterHeader.SIZE_IN_BYTES], keys.count(), estimatedRate, shape);
  }
}
