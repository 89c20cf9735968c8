package io.winnow.ribbon;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyBuffer;
import io.winnow.hash.KeyHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Builds homogeneous Ribbon filters from streamed key hashes.
 *
 * <p>Building never fails. A finished filter's rate is determined ({@link RibbonRate}); one that
 * would be too high, or would need noticeably more columns than planned, is rebuilt with another
 * seed, {@value #SEEDS_PER_SIZE} times at most, and then with more slots, {@value #MAX_GROWTH}
 * times at most. Every filter is probed with every hash that it was built from before it is handed
 * out, unless {@link #verified} says otherwise; should one not be found, which only a fault of the
 * machine could explain, the next seed is tried, and in the end a filter is handed out that answers
 * {@code true} to everything.
 *
 * <p>Memory: 8 bytes per key while keys come in; at finish another 8 for their partitioned copy and
 * {@code width / 8} per slot, and the solution. Scratch is kept for the next filter. Cost from
 * hashes: see {@code docs/benchmarks.md}. Not thread-safe.
 */
public final class HomogeneousRibbonBuilder implements FilterBuilder {
  private static final int SEEDS_PER_SIZE = 4;
  private static final int MAX_GROWTH = 4;

  /** An image may be this much larger than planned before another seed is tried. */
  private static final double SIZE_TOLERANCE = 1.015;

  private final RibbonSizing sizing;
  private final KeyBuffer keys = new KeyBuffer();
  private final KeyPartitioner partitioner = new KeyPartitioner();
  private final RibbonBanding banding;
  private final RibbonRate rate;
  private final Verification verification = new Verification();
  private long[] solution = {};
  private int hashId;
  private boolean verified = true;

  private HomogeneousRibbonBuilder(RibbonSizing sizing) {
    this.sizing = sizing;
    this.banding = RibbonBanding.ofWidth(sizing.width());
    this.rate = new RibbonRate(sizing.width());
  }

  public static HomogeneousRibbonBuilder of(RibbonSizing sizing) {
    return new HomogeneousRibbonBuilder(sizing);
  }

  /** Records in the image which function made the hashes. */
  public HomogeneousRibbonBuilder hashedBy(KeyHash hash) {
    hashId = hash.id();
    return this;
  }

  /** Whether a finished filter is probed with every hash that it was built from: the default. */
  public HomogeneousRibbonBuilder verified(boolean newVerified) {
    verified = newVerified;
    return this;
  }

  @Override
  public void add(long keyHash) {
    keys.add(keyHash);
  }

  @Override
  public long pendingCount() {
    return keys.count();
  }

  @Override
  public FilterImage finish() {
    FilterImage image = keys.count() == 0 ? empty() : build();
    keys.clear();
    return image;
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
    HomogeneousRibbonLayout layout =
        write(
            image,
            keyCount,
            rate.rate(lowerBlocks),
            new RibbonShape(blocks, lowerBlocks, seed, sizing.width(), columns));
    return verified
            && !verification.holdsAll(
                layout.shape(), image, partitioner.mixed(), partitioner.count(), partitioner.sum())
        ? null
        : FilterImage.wrap(image, layout);
  }

  /**
   * Eliminates all keys' rows: the number of slots, or 0 if that was given up. Should there be
   * repeats that were not dropped yet, they are now, and everything starts again: so the image
   * depends on the set of hashes alone.
   */
  private int band(long seedMask, int growth) {
    while (true) {
      int slots = Math.toIntExact(sizing.slots(keys.count(), growth));
      partitioner.partition(keys.hashes(), keys.count(), seedMask);
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

  private HomogeneousRibbonLayout write(
      byte[] image, long keyCount, double estimatedRate, RibbonShape shape) {
    FilterHeader.write(
        image,
        FilterType.RIBBON,
        hashId,
        keyCount,
        sizing.rate(),
        estimatedRate,
        shape.word0(),
        shape.word1());
    FilterHeader header = FilterHeader.read(ByteAccess.ARRAY, image, 0, image.length);
    return HomogeneousRibbonLayout.of(header);
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
    byte[] image = new byte[FilterHeader.SIZE_IN_BYTES];
    return FilterImage.wrap(
        image,
        write(
            image, keys.count(), estimatedRate, new RibbonShape(blocks, 0, 0, sizing.width(), 0)));
  }
}
