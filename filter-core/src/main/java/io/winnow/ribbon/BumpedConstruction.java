package io.winnow.ribbon;

import io.winnow.ByteAccess;
import io.winnow.FilterFormatException;
import io.winnow.FilterHeader;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.KeyHash;
import io.winnow.base.KeyBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Builds bumped Ribbon filters, one after the other.
 *
 * <p>Building never fails: each layer bumps the keys that it cannot hold, and the last layer is
 * homogeneous and holds all keys. If there are too few keys for layers to pay, the image is that of
 * a homogeneous filter, with that type in its header. The first seed is random for each build. A
 * filter that is much larger than planned (which happens only with hashes that were crafted for
 * this seed) is built again with another seed, at most {@value #SEEDS} times. Then the filter is
 * checked, unless the caller has disabled it ({@link Verification}). Should a key be lost, which
 * only a fault of the machine could explain, it is built with another seed, and in the end as a
 * homogeneous filter.
 *
 * <p>Scratch: 8 bytes per key for its sorted hash, 16 per slot, the solution and its packed words.
 * At 1 % these are 28 bytes per key including the image, in addition to the 8 bytes of its hash.
 * Not thread-safe.
 */
final class BumpedConstruction {
  /** Maximum of seeds that the build of a bumped Ribbon filter tries. */
  private static final int SEEDS = 3;

  /**
   * Factor by which a bumped Ribbon filter's image may exceed its planned size before another seed
   * is tried.
   */
  private static final double SIZE_TOLERANCE = 1.1;

  private final HomogeneousConstruction lastLayer;
  private final KeySorter firstSorter = new KeySorter();
  private final KeySorter nextSorter = new KeySorter();
  private final BumpedBanding banding = new BumpedBanding();
  private final Verification verification = new Verification();
  private final List<Layer> layers = new ArrayList<>();
  private final Consumer<byte[]> fault;
  private long[] solution = {};
  private long[] words = {};
  private int wordCount;

  private BumpedRibbonSizing sizing;
  private KeyBuffer keys;
  private KeyHash keyHash;
  private boolean verified;

  /** Number of attempts of the present build of a bumped Ribbon filter. */
  private int attempts;

  /**
   * A finished layer of a bumped Ribbon filter; {@code rate} is the false-positive rate for keys
   * that it does not bump.
   */
  private static final class Layer {
    final int slots;
    final int lowerBlocks;
    final double rate;
    final double bumpedShare;

    Layer(int slots, int lowerBlocks, double rate, double bumpedShare) {
      this.slots = slots;
      this.lowerBlocks = lowerBlocks;
      this.rate = rate;
      this.bumpedShare = bumpedShare;
    }
  }

  /**
   * Creates a builder of bumped Ribbon filters.
   *
   * @param fault changes each image before it is verified: a test's fault of the machine, or
   *     nothing
   */
  BumpedConstruction(Consumer<byte[]> fault) {
    this.fault = fault;
    this.lastLayer = new HomogeneousConstruction(64, fault);
  }

  /** Builds the bumped Ribbon filter of the keys in a buffer. */
  FilterImage build(
      BumpedRibbonSizing newSizing, KeyBuffer newKeys, KeyHash newKeyHash, boolean newVerified) {
    sizing = newSizing;
    keys = newKeys;
    keyHash = newKeyHash;
    verified = newVerified;
    try {
      attempts = 0;
      FilterImage image = layered();
      if (image == null) {
        image = lastLayer.build(sizing.last, keys, keyHash, verified);
        attempts += 1 + image.rebuilds();
      }
      return image.withRebuilds(attempts - 1);
    } finally {
      keys = null; // the keys belong to a builder
    }
  }

  /**
   * Returns the filter with bumped layers, or null if they make it no smaller or each seed loses a
   * key.
   */
  private FilterImage layered() {
    FilterImage best = null;
    int firstSeed = sizing.last.firstSeed();
    while (attempts < SEEDS && sizing.layersPay(keys.count())) {
      int seed = firstSeed + attempts;
      FilterImage last = addLayers(seed) ? finishLast() : null;
      if (last == null
          && !keys.isDistinct()) { // a hash may be repeated: drop repeats and try again
        keys.dropRepeats();
        continue;
      }
      attempts++;
      FilterImage image = last == null ? null : finishLayers(seed, last);
      if (image != null
          && image.sizeInBytes() <= sizing.expectedImageBytes(keys.count()) * SIZE_TOLERANCE) {
        return image;
      }
      if (image != null && (best == null || image.sizeInBytes() < best.sizeInBytes())) {
        best = image;
      }
    }
    return best;
  }

  /**
   * Builds the bumped Ribbon filter's layers, except the last one, which takes the keys that all of
   * them bump.
   *
   * @return false if a hash was repeated, or elimination was abandoned
   */
  private boolean addLayers(int seed) {
    int columns = sizing.columns();
    wordCount = 0;
    layers.clear();
    KeyBuffer left = keys;
    while (layers.size() < BumpedRibbonLayout.MAX_LAYERS
        && (layers.isEmpty() || left.count() >= BumpedRibbonSizing.MIN_LAYER_KEYS)) {
      boolean first = layers.isEmpty();
      int slots = Math.toIntExact(BumpedRibbonSizing.slots(left.count()));
      KeySorter sorter = first ? firstSorter : nextSorter;
      long mask = first ? RibbonHasher.seedMask(seed) : RibbonHasher.LAYER_MASK;
      sorter.sortByThird(left, mask, slots);
      // Each key is added with all columns; the blocks with one column fewer are chosen afterwards.
      if (banding.addAll(sorter, slots, columns, keys.isDistinct()) != Elimination.DONE) {
        return false;
      }
      int lowerBlocks = sizing.lowerBlocks(banding.thresholds, slots);
      packLayer(slots, columns, lowerBlocks);
      double rate = sizing.layerRate(banding.thresholds, slots, lowerBlocks);
      layers.add(new Layer(slots, lowerBlocks, rate, banding.bumpedShare()));
      left = banding.bumped;
    }
    return true;
  }

  /**
   * Returns the last layer of the bumped Ribbon filter as a separate filter, or null if a hash was
   * repeated.
   */
  private FilterImage finishLast() {
    KeyBuffer left = banding.bumped;
    int count = left.count();
    FilterImage last = lastLayer.build(sizing.last, left, null, verified);
    return last.layout().keyCount() < count ? null : last;
  }

  /**
   * Appends the thresholds and the solution of a bumped Ribbon filter's layer to the words of the
   * image.
   */
  private void packLayer(int slots, int columns, int lowerBlocks) {
    int blockCount = slots / 64;
    if (solution.length < blockCount * columns) {
      solution = new long[blockCount * columns];
    }
    banding.system.solve(columns, solution);
    int thresholdWords = BumpedLayer.thresholdWords(slots);
    int needed = wordCount + thresholdWords + blockCount * columns - lowerBlocks;
    if (words.length < needed) {
      words = Arrays.copyOf(words, needed + needed / 8);
    }
    System.arraycopy(banding.thresholds, 0, words, wordCount, thresholdWords);
    wordCount += thresholdWords;
    wordCount = Scratch.pack(solution, blockCount, lowerBlocks, columns, 64, words, wordCount);
  }

  /**
   * Returns the image of all layers of the bumped Ribbon filter, or null if it does not hold every
   * key.
   */
  private FilterImage finishLayers(int seed, FilterImage last) {
    HomogeneousRibbonLayout lastLayout = (HomogeneousRibbonLayout) last.layout();
    int tableLength = BumpedRibbonLayout.tableLength(layers.size());
    long length = last.sizeInBytes() + tableLength + 8L * wordCount; // the first term has a header
    byte[] image = new byte[Math.toIntExact(length)];
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    out.position(FilterHeader.SIZE_IN_BYTES);
    for (Layer layer : layers) {
      out.putInt(layer.slots / 64).putInt(layer.lowerBlocks);
    }
    out.putLong(lastLayout.shape.word0()).putLong(lastLayout.shape.word1());
    out.asLongBuffer().put(words, 0, wordCount);
    out.position(out.position() + 8 * wordCount);
    out.put(last.buffer().position(FilterHeader.SIZE_IN_BYTES));
    fault.accept(image);
    int tableCrc = ByteAccess.ARRAY.crc32c(image, FilterHeader.SIZE_IN_BYTES, tableLength);
    image =
        FilterHeader.write(
            image,
            FilterType.BUMPED_RIBBON,
            keyHash,
            keys.count(),
            sizing.rate(),
            estimatedRate(lastLayout.estimatedRate()),
            BumpedRibbonLayout.shape0(seed, layers.size(), sizing.columns()),
            Integer.toUnsignedLong(tableCrc));
    try {
      FilterHeader header = FilterHeader.of(image);
      FilterImage finished =
          FilterImage.of(image, BumpedRibbonLayout.of(header, ByteAccess.ARRAY, image, 0));
      return !verified || isGood(finished, image) ? finished : null;
    } catch (FilterFormatException e) { // the layer table contradicts itself
      return null;
    }
  }

  /** Returns whether probes of a finished bumped Ribbon filter find all keys. */
  private boolean isGood(FilterImage finished, byte[] image) {
    BumpedRibbonLayout layout = (BumpedRibbonLayout) finished.layout();
    KeySorter all = firstSorter;
    return Verification.isFound(layout, image, keys)
        && verification.holdsAll(layout, image, all.mixed, all.count, all.sum);
  }

  /**
   * Returns the estimated false-positive rate of the bumped Ribbon filter. A key that a layer does
   * not bump is compared with a fingerprint there; a bumped key is looked up in the next layer.
   */
  private double estimatedRate(double lastRate) {
    double rate = lastRate;
    for (int i = layers.size() - 1; i >= 0; i--) {
      Layer layer = layers.get(i);
      rate = (1 - layer.bumpedShare) * layer.rate + layer.bumpedShare * rate;
    }
    return rate;
  }
}
