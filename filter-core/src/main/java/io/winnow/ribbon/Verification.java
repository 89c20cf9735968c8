package io.winnow.ribbon;

import io.winnow.ByteAccess;
import io.winnow.FilterHeader;
import io.winnow.FilterLayout;
import io.winnow.base.KeyBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks, before a finished Ribbon image is returned, that a probe of each of its keys returns
 * {@code true}.
 *
 * <p>Each key is checked against the image's bytes with {@link FoldedSolution}, in the order of
 * starts ({@code holdsAll}). The sum of the checked hashes is compared as well, to notice a key
 * that was lost while keys were sorted. One key in {@value #PROBED} is also probed as a reader does
 * it ({@link #isFound}).
 *
 * <p>{@code docs/design/ribbon-build.md} says which errors this finds, and which it cannot.
 *
 * <p>The memory, less than a third of the image at 1 %, is kept for the next one. Not thread-safe.
 */
final class Verification {
  private static final int PAYLOAD = FilterHeader.SIZE_IN_BYTES;

  /** Number of keys of which one is probed when a Ribbon filter's image is verified. */
  private static final int PROBED = 64;

  private final List<FoldedSolution> bumpedLayers = new ArrayList<>();
  private final FoldedSolution homogeneous = new FoldedSolution();

  /**
   * Returns whether a homogeneous Ribbon filter holds the keys with the hashes {@code
   * mixed[0..count)}.
   *
   * @param sum the expected sum of these hashes
   */
  boolean holdsAll(RibbonShape shape, byte[] image, long[] mixed, int count, long sum) {
    fold(shape, image, PAYLOAD);
    long missed = 0;
    long found = 0;
    for (int i = 0; i < count; i++) {
      long x = mixed[i];
      found += x;
      missed |= miss(shape, x);
    }
    return (missed & 1) == 0 && found == sum;
  }

  /**
   * Returns whether a bumped Ribbon filter holds the keys with the hashes {@code mixed[0..count)}.
   *
   * @param sum the expected sum of these hashes
   */
  boolean holdsAll(BumpedRibbonLayout layout, byte[] image, long[] mixed, int count, long sum) {
    for (int i = 0; i < layout.layers.length; i++) {
      if (i == bumpedLayers.size()) {
        bumpedLayers.add(new FoldedSolution());
      }
      BumpedLayer layer = layout.layers[i];
      bumpedLayers
          .get(i)
          .fold(
              image, PAYLOAD + layer.solution, 64, layer.blocks, layer.lowerBlocks, layer.columns);
    }
    fold(layout.last, image, PAYLOAD + layout.lastSolution);
    long missed = 0;
    long found = 0;
    BumpedLayer first = layout.layers[0];
    FoldedSolution firstFold = bumpedLayers.get(0);
    for (int i = 0; i < count; i++) {
      long x = mixed[i];
      found += x;
      int start = RibbonHasher.plainStart(x, first.starts);
      missed |=
          first.isBumped(ByteAccess.ARRAY, image, PAYLOAD, start)
              ? miss(layout, image, x)
              : firstFold.miss(start, x, RibbonHasher.fingerprint(x));
    }
    return (missed & 1) == 0 && found == sum;
  }

  /**
   * Returns whether probes of a Ribbon filter's image find a sample of the keys, with the seed in
   * the image's header.
   */
  static boolean isFound(FilterLayout layout, byte[] image, KeyBuffer keys) {
    for (int i = 0; i < keys.count(); i += PROBED) {
      if (!layout.mightContain(ByteAccess.ARRAY, image, 0, keys.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Folds (xors) the columns of a homogeneous Ribbon solution. */
  private void fold(RibbonShape shape, byte[] image, int offset) {
    homogeneous.fold(image, offset, shape.width, shape.blocks, shape.lowerBlocks, shape.columns);
  }

  /**
   * Checks if a homogeneous Ribbon solution has a key, by its folds (xored columns).
   *
   * @return a number whose bit 0 is 1 if the key is missing
   */
  private long miss(RibbonShape shape, long mixed) {
    if (shape.blocks == 0) {
      return 1;
    }
    return homogeneous.miss(RibbonHasher.start(mixed, shape.rawStarts, shape.width), mixed, 0);
  }

  /**
   * Checks if the bumped Ribbon filter's layer that holds a key has it, by the folds (xored
   * columns) of its solution.
   *
   * @return a number whose bit 0 is 1 if the key is missing
   */
  private long miss(BumpedRibbonLayout layout, byte[] image, long mixed) {
    long x = mixed;
    for (int i = 0; i < layout.layers.length; i++) {
      BumpedLayer layer = layout.layers[i];
      int start = RibbonHasher.plainStart(x, layer.starts);
      if (!layer.isBumped(ByteAccess.ARRAY, image, PAYLOAD, start)) {
        return bumpedLayers.get(i).miss(start, x, RibbonHasher.fingerprint(x));
      }
      boolean last = i == layout.layers.length - 1;
      x = RibbonHasher.mix(x, last ? layout.last.seedMask : RibbonHasher.LAYER_MASK);
    }
    return miss(layout.last, x);
  }
}
