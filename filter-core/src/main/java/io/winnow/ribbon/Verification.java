package io.winnow.ribbon;

import io.winnow.FilterLayout;
import io.winnow.bits.ByteAccess;
import io.winnow.build.KeyBuffer;
import io.winnow.format.FilterHeader;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks that a finished image answers {@code true} for every key that it was built from, before it
 * is handed out.
 *
 * <p>Every key is checked against the image's bytes by way of {@link FoldedSolution}, in the order
 * of starts ({@code holdsAll}); what was checked is summed up beside it, so that a key that went
 * astray while keys were sorted is missed as well. One key in {@value #PROBED} is asked for as a
 * reader asks ({@link #isFound}).
 *
 * <p>What that finds, and what it cannot: {@code docs/design/ribbon-build.md}.
 *
 * <p>Scratch, less than a third of the image at 1 %, is kept. Not thread-safe.
 */
final class Verification {
  private static final int PAYLOAD = FilterHeader.SIZE_IN_BYTES;
  private static final int PROBED = 64;

  private final List<FoldedSolution> bumpedLayers = new ArrayList<>();
  private final FoldedSolution homogeneous = new FoldedSolution();

  /** Whether a homogeneous filter holds {@code mixed[0..count)}, whose sum should be this. */
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

  /** Whether a bumped filter holds {@code mixed[0..count)}, whose sum should be this. */
  boolean holdsAll(BumpedRibbonLayout layout, byte[] image, long[] mixed, int count, long sum) {
    for (int i = 0; i < layout.layerCount(); i++) {
      if (i == bumpedLayers.size()) {
        bumpedLayers.add(new FoldedSolution());
      }
      BumpedLayer layer = layout.layer(i);
      bumpedLayers
          .get(i)
          .fold(
              image, PAYLOAD + layer.solution, 64, layer.blocks, layer.lowerBlocks, layer.columns);
    }
    fold(layout.last(), image, PAYLOAD + layout.lastSolution());
    long missed = 0;
    long found = 0;
    BumpedLayer first = layout.layer(0);
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

  /** Whether a sample of the keys is found by their hashes, with the seed that the header has. */
  static boolean isFound(FilterLayout layout, byte[] image, KeyBuffer keys) {
    for (int i = 0; i < keys.count(); i += PROBED) {
      if (!layout.mightContain(ByteAccess.ARRAY, image, 0, keys.get(i))) {
        return false;
      }
    }
    return true;
  }

  private void fold(RibbonShape shape, byte[] image, int offset) {
    homogeneous.fold(
        image, offset, shape.width(), shape.blocks(), shape.lowerBlocks(), shape.columns());
  }

  /** Bit 0 says whether the homogeneous solution misses a key. */
  private long miss(RibbonShape shape, long mixed) {
    if (shape.blocks() == 0) {
      return 1;
    }
    long rawStarts = RibbonHasher.rawStarts(shape.slots(), shape.width());
    return homogeneous.miss(RibbonHasher.start(mixed, rawStarts, shape.width()), mixed, 0);
  }

  /** The same for the layer that keeps the key, whichever that is. */
  private long miss(BumpedRibbonLayout layout, byte[] image, long mixed) {
    long x = mixed;
    for (int i = 0; i < layout.layerCount(); i++) {
      BumpedLayer layer = layout.layer(i);
      int start = RibbonHasher.plainStart(x, layer.starts);
      if (!layer.isBumped(ByteAccess.ARRAY, image, PAYLOAD, start)) {
        return bumpedLayers.get(i).miss(start, x, RibbonHasher.fingerprint(x));
      }
      boolean last = i == layout.layerCount() - 1;
      x = RibbonHasher.mix(x, last ? layout.last().seedMask() : RibbonHasher.LAYER_MASK);
    }
    return miss(layout.last(), x);
  }
}
