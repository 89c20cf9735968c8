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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Builds bumped Ribbon filters from streamed key hashes.
 *
 * <p>Building never fails: each layer passes on the keys that it could not take, and the last one
 * is homogeneous and takes all. Where there are too few keys for layers to pay, the image is that
 * of a homogeneous filter, and says so. A filter that came out a good deal larger than planned
 * (only crafted hashes do that) is built anew with another seed, {@value #SEEDS} times at most.
 * Every filter is probed with every hash that it was built from before it is handed out, unless
 * {@link #verified} says otherwise; should one not be found, which only a fault of the machine
 * could explain, the next seed is tried, and in the end a homogeneous filter takes its place.
 *
 * <p>Memory: 8 bytes per key while keys come in, in an array that doubles; at finish another 16 for
 * their sorted copies, 16 per slot, and the solution, its packed words and the image: at 1 % 36
 * bytes per key, 44 with the keys in a full array. Scratch is kept for the next filter, which then
 * allocates its image alone.
 *
 * <p>Not thread-safe.
 */
public final class BumpedRibbonBuilder implements FilterBuilder {
  private static final int SEEDS = 3;

  /** An image may be this much larger than planned before another seed is tried. */
  private static final double SIZE_TOLERANCE = 1.1;

  private final BumpedRibbonSizing sizing;
  private final HomogeneousRibbonBuilder lastLayer;
  private final KeyBuffer keys = new KeyBuffer();
  private final BucketSorter firstSorter = new BucketSorter();
  private final BucketSorter nextSorter = new BucketSorter();
  private final BumpedBanding banding = new BumpedBanding();
  private final Verification verification = new Verification();
  private final List<Layer> layers = new ArrayList<>();
  private long[] solution = {};
  private long[] words = {};
  private int wordCount;
  private long[] bumped;
  private int bumpedCount;
  private int hashId;
  private boolean verified = true;

  /** A bumped layer that is built: its rate is that of the keys that it does not bump. */
  private record Layer(int slots, int lowerBlocks, double rate, double bumpedShare) {}

  private BumpedRibbonBuilder(BumpedRibbonSizing sizing) {
    this.sizing = sizing;
    this.lastLayer = HomogeneousRibbonBuilder.of(sizing.last());
  }

  public static BumpedRibbonBuilder of(BumpedRibbonSizing sizing) {
    return new BumpedRibbonBuilder(sizing);
  }

  /** Records in the image which function made the hashes. */
  public BumpedRibbonBuilder hashedBy(KeyHash hash) {
    hashId = hash.id();
    lastLayer.hashedBy(hash);
    return this;
  }

  /** Whether a finished filter is probed with every hash that it was built from: the default. */
  public BumpedRibbonBuilder verified(boolean newVerified) {
    verified = newVerified;
    lastLayer.verified(newVerified);
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
    FilterImage image = build();
    keys.clear();
    return image;
  }

  private FilterImage build() {
    FilterImage best = null;
    for (int seed = 0; seed < SEEDS && sizing.layersPay(keys.count()); seed++) {
      FilterImage last = addLayers(seed) ? finishLast() : null;
      if (last == null && !keys.isDistinct()) { // perhaps a repeated hash; there is none now
        keys.dropRepeats();
        seed--;
        continue;
      }
      FilterImage image = last == null ? null : finishLayers(seed, last);
      if (image != null
          && image.sizeInBytes() <= sizing.expectedImageBytes(keys.count()) * SIZE_TOLERANCE) {
        return image;
      }
      if (image != null && (best == null || image.sizeInBytes() < best.sizeInBytes())) {
        best = image;
      }
    }
    return best != null ? best : homogeneous();
  }

  /**
   * Builds the bumped layers, leaving the rest to the last; false if it met a repeated hash, or
   * elimination was given up.
   */
  private boolean addLayers(int seed) {
    long[] hashes = keys.hashes();
    int count = keys.count();
    int columns = sizing.columns();
    wordCount = 0;
    layers.clear();
    while (layers.size() < BumpedRibbonLayout.MAX_LAYERS
        && (layers.isEmpty() || count >= BumpedRibbonSizing.MIN_LAYER_KEYS)) {
      boolean first = layers.isEmpty();
      int slots = Math.toIntExact(BumpedRibbonSizing.slots(count));
      BucketSorter sorter = first ? firstSorter : nextSorter;
      long mask = first ? RibbonHasher.seedMask(seed) : RibbonHasher.LAYER_MASK;
      sorter.sort(hashes, count, mask, slots);
      // Every key takes all columns; which blocks can do with one fewer is seen afterwards.
      if (banding.addAll(sorter, slots, columns, keys.isDistinct()) != Elimination.DONE) {
        return false;
      }
      int lowerBlocks = sizing.lowerBlocks(banding.thresholds(), slots);
      packLayer(slots, columns, lowerBlocks);
      double rate = sizing.layerRate(banding.thresholds(), slots, lowerBlocks);
      layers.add(new Layer(slots, lowerBlocks, rate, banding.bumpedShare()));
      hashes = banding.bumped();
      count = banding.bumpedCount();
    }
    bumped = hashes;
    bumpedCount = count;
    return true;
  }

  /** The last layer as a filter of its own, or null if it met a repeated hash. */
  private FilterImage finishLast() {
    for (int i = 0; i < bumpedCount; i++) {
      lastLayer.add(bumped[i]);
    }
    FilterImage last = lastLayer.finish();
    return last.layout().keyCount() < bumpedCount ? null : last;
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
    for (int block = 0; block < blockCount; block++) {
      int used = columns - (block < lowerBlocks ? 1 : 0);
      System.arraycopy(solution, block * columns, words, wordCount, used);
      wordCount += used;
    }
  }

  /** The image of the layers built, or null if a key is not found in it. */
  private FilterImage finishLayers(int seed, FilterImage last) {
    HomogeneousRibbonLayout lastLayout = (HomogeneousRibbonLayout) last.layout();
    int lastLength = last.sizeInBytes() - FilterHeader.SIZE_IN_BYTES;
    int tableLength = BumpedRibbonLayout.tableLength(layers.size());
    byte[] image =
        new byte
            [Math.toIntExact(
                FilterHeader.SIZE_IN_BYTES + tableLength + 8L * wordCount + lastLength)];
    ByteBuffer out = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    out.position(FilterHeader.SIZE_IN_BYTES);
    for (Layer layer : layers) {
      out.putInt(layer.slots / 64).putInt(layer.lowerBlocks);
    }
    out.putLong(lastLayout.shape().word0()).putLong(lastLayout.shape().word1());
    out.asLongBuffer().put(words, 0, wordCount);
    out.position(out.position() + 8 * wordCount);
    out.put(last.buffer().position(FilterHeader.SIZE_IN_BYTES));
    int tableCrc =
        BumpedRibbonLayout.crc(ByteAccess.ARRAY, image, FilterHeader.SIZE_IN_BYTES, tableLength);
    FilterHeader.write(
        image,
        FilterType.BUMPED_RIBBON,
        hashId,
        keys.count(),
        sizing.rate(),
        estimatedRate(lastLayout.estimatedRate()),
        BumpedRibbonLayout.shape0(seed, layers.size(), sizing.columns()),
        Integer.toUnsignedLong(tableCrc));
    BumpedRibbonLayout layout =
        BumpedRibbonLayout.of(
            FilterHeader.read(ByteAccess.ARRAY, image, 0, image.length),
            ByteAccess.ARRAY,
            image,
            0);
    return verified
            && !verification.holdsAll(
                layout, image, firstSorter.sorted(), firstSorter.count(), firstSorter.sum())
        ? null
        : FilterImage.wrap(image, layout);
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

  private FilterImage homogeneous() {
    for (int i = 0; i < keys.count(); i++) {
      lastLayer.add(keys.hashes()[i]);
    }
    return lastLayer.finish();
  }
}
