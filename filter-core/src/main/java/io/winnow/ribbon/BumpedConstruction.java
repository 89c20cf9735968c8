package io.winnow.ribbon;

import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.FilterType;
import io.winnow.bits.ByteAccess;
import io.winnow.build.KeyBuffer;
import io.winnow.format.FilterHeader;
import io.winnow.hash.KeyHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Builds bumped Ribbon filters, one after the other.
 *
 * <p>Building never fails: each layer passes on the keys that it could not take, and the last one
 * is homogeneous and takes all. Where there are too few keys for layers to pay, the image is that
 * of a homogeneous filter, and says so. The first seed is drawn anew for each build. A filter that
 * came out a good deal larger than planned (only hashes that were crafted for that very seed do
 * that) is built anew with another seed, {@value #SEEDS} times at most. Unless told otherwise the
 * filter is then checked ({@link Verification}); should a key be lost, which only a fault of the
 * machine could explain, another seed, and in the end a homogeneous filter take its place.
 *
 * <p>Scratch: 8 bytes per key for its sorted hash, 16 per slot, the solution and its packed words:
 * at 1 % 28 bytes per key in all, image included, beside the 8 that hold its hash. Not thread-safe.
 */
final class BumpedConstruction {
  private static final int SEEDS = 3;

  /** An image may be this much larger than planned before another seed is tried. */
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

  /** Of this build so far. */
  private int attempts;

  /** A bumped layer that is built: its rate is that of the keys that it does not bump. */
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

  BumpedConstruction() {
    this(image -> {});
  }

  /** Of filters that something happens to between packing and verification, for tests. */
  BumpedConstruction(Consumer<byte[]> fault) {
    this.fault = fault;
    this.lastLayer = new HomogeneousConstruction(64, fault);
  }

  /** Builds the filter of these keys. */
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
        image = lastLayer.build(sizing.last(), keys, keyHash, verified);
        attempts += 1 + image.rebuilds();
      }
      return image.withRebuilds(attempts - 1);
    } finally {
      keys = null; // it belongs to a builder, and this scratch to none
    }
  }

  /** The filter with bumped layers; null if they do not pay, or lose a key with each seed. */
  private FilterImage layered() {
    FilterImage best = null;
    int firstSeed = sizing.last().firstSeed();
    while (attempts < SEEDS && sizing.layersPay(keys.count())) {
      int seed = firstSeed + attempts;
      FilterImage last = addLayers(seed) ? finishLast() : null;
      if (last == null && !keys.isDistinct()) { // perhaps a repeated hash; there is none now
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
   * Builds the bumped layers, leaving the rest to the last; false if it met a repeated hash, or
   * elimination was given up.
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
      // Every key takes all columns; which blocks can do with one fewer is seen afterwards.
      if (banding.addAll(sorter, slots, columns, keys.isDistinct()) != Elimination.DONE) {
        return false;
      }
      int lowerBlocks = sizing.lowerBlocks(banding.thresholds(), slots);
      packLayer(slots, columns, lowerBlocks);
      double rate = sizing.layerRate(banding.thresholds(), slots, lowerBlocks);
      layers.add(new Layer(slots, lowerBlocks, rate, banding.bumpedShare()));
      left = banding.bumped();
    }
    return true;
  }

  /** The last layer as a filter of its own, or null if it met a repeated hash. */
  private FilterImage finishLast() {
    KeyBuffer left = banding.bumped();
    int count = left.count();
    FilterImage last = lastLayer.build(sizing.last(), left, null, verified);
    return last.layout().keyCount() < count ? null : last;
  }

  /** Appends a layer's thresholds and solution to the words of the payload. */
  private void packLayer(int slots, int columns, int lowerBlocks) {
    int blockCount = slots / 64;
    if (solution.length < blockCount * columns) {
      solution = new long[blockCount * columns];
    }
    banding.solve(columns, solution);
    int thresholdWords = BumpedLayer.thresholdWords(slots);
    int needed = wordCount + thresholdWords + blockCount * columns - lowerBlocks;
    if (words.length < needed) {
      words = Arrays.copyOf(words, needed + needed / 8);
    }
    System.arraycopy(banding.thresholds(), 0, words, wordCount, thresholdWords);
    wordCount += thresholdWords;
    wordCount = Scratch.pack(solution, blockCount, lowerBlocks, columns, 64, words, wordCount);
  }

  /** The image of the layers built, or null if a key is not found in it. */
  private FilterImage finishLayers(int seed, FilterImage last) {
    HomogeneousRibbonLayout lastLayout = (HomogeneousRibbonLayout) last.layout();
    int tableLength = BumpedRibbonLayout.tableLength(layers.size());
    long length = last.sizeInBytes() + tableLength + 8L * wordCount; // a header is in the first
    byte[] image = new byte[Math.toIntExact(length)];
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    out.position(FilterHeader.SIZE_IN_BYTES);
    for (Layer layer : layers) {
      out.putInt(layer.slots / 64).putInt(layer.lowerBlocks);
    }
    out.putLong(lastLayout.shape().word0()).putLong(lastLayout.shape().word1());
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

  private boolean isGood(FilterImage finished, byte[] image) {
    BumpedRibbonLayout layout = (BumpedRibbonLayout) finished.layout();
    KeySorter all = firstSorter;
    return Verification.isFound(layout, image, keys)
        && verification.holdsAll(layout, image, all.mixed(), all.count(), all.sum());
  }

  /** A key that no layer bumps meets a fingerprint; one that is bumped, the next layer. */
  private double estimatedRate(double lastRate) {
    double rate = lastRate;
    for (int i = layers.size() - 1; i >= 0; i--) {
      Layer layer = layers.get(i);
      rate = (1 - layer.bumpedShare) * layer.rate + layer.bumpedShare * rate;
    }
    return rate;
  }
}
