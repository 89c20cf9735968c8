package io.winnow.ribbon;

import io.winnow.bits.ByteAccess;
import io.winnow.format.FilterHeader;
import java.util.Arrays;

/**
 * Checks that a finished image answers {@code true} for every key that it was built from, before it
 * is handed out.
 *
 * <p>Every key is checked against the image's bytes by way of {@link FoldedSolution}, in the order
 * of starts, and one key in {@value #PROBED} by the probe that readers use. What was checked is
 * summed up beside it, so that a key that went astray while keys were sorted is missed as well.
 *
 * <p>Found for certain: any single wrong bit that a key's answer depends on, any number of them in
 * one or two columns of a key, a wrong threshold that sends a key to another layer's zeros. Found
 * all but certainly: damage to more, as it is seen by each key that it concerns anew.
 *
 * <p>Scratch, less than a third of the image at 1 %, is kept. Not thread-safe.
 */
final class Verification {
  private static final int PROBED = 64;

  /** Keys that are looked at between two looks at the room for those that are bumped. */
  private static final int BATCH = 1024;

  private final FoldedSolution folded = new FoldedSolution();
  private long[] bumped = {};

  /** Whether a homogeneous filter holds {@code mixed[0..count)}, whose sum should be this. */
  boolean holdsAll(RibbonShape shape, byte[] image, long[] mixed, int count, long sum) {
    for (int i = 0; i < count; i += PROBED) {
      if (!shape.probeMixed(ByteAccess.ARRAY, image, FilterHeader.SIZE_IN_BYTES, mixed[i])) {
        return false;
      }
    }
    return isSolved(shape, image, FilterHeader.SIZE_IN_BYTES, mixed, count, sum);
  }

  /** Whether a bumped filter holds {@code mixed[0..count)}, whose sum should be this. */
  boolean holdsAll(BumpedRibbonLayout layout, byte[] image, long[] mixed, int count, long sum) {
    for (int i = 0; i < count; i += PROBED) {
      if (!layout.probeMixed(ByteAccess.ARRAY, image, FilterHeader.SIZE_IN_BYTES, mixed[i])) {
        return false;
      }
    }
    if (sum(mixed, count) != sum) {
      return false;
    }
    int left = checkLayer(layout.layer(0), image, mixed, count);
    for (int i = 1; i < layout.layerCount() && left > 0; i++) {
      mixBumped(left, RibbonHasher.LAYER_MASK);
      left = checkLayer(layout.layer(i), image, bumped, left);
    }
    if (left < 0) {
      return false;
    }
    RibbonShape last = layout.last();
    mixBumped(left, last.seedMask());
    int lastSolution = FilterHeader.SIZE_IN_BYTES + layout.lastSolution();
    return left == 0 || isSolved(last, image, lastSolution, bumped, left, sum(bumped, left));
  }

  private void mixBumped(int count, long mask) {
    for (int i = 0; i < count; i++) {
      bumped[i] = RibbonHasher.mix(bumped[i], mask);
    }
  }

  private static long sum(long[] mixed, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += mixed[i];
    }
    return sum;
  }

  private boolean isSolved(
      RibbonShape shape, byte[] image, int offset, long[] mixed, int count, long sum) {
    if (shape.blocks() == 0) {
      return false;
    }
    int width = shape.width();
    folded.fold(image, offset, width, shape.blocks(), shape.lowerBlocks(), shape.columns());
    long rawStarts = RibbonHasher.rawStarts(shape.slots(), width);
    long missed = 0;
    long found = 0;
    if (width == 64) {
      for (int i = 0; i < count; i++) {
        long x = mixed[i];
        found += x;
        int start = RibbonHasher.start(x, rawStarts, 64);
        missed |= folded.miss64(start, RibbonHasher.row(x), 0);
      }
    } else {
      for (int i = 0; i < count; i++) {
        long x = mixed[i];
        found += x;
        int start = RibbonHasher.start(x, rawStarts, 128);
        missed |= folded.miss128(start, RibbonHasher.row(x), RibbonHasher.highRow(x));
      }
    }
    return (missed & 1) == 0 && found == sum;
  }

  /**
   * Checks the keys that the layer keeps, and collects the others: how many those are, or -1 if a
   * kept one is missed.
   */
  private int checkLayer(BumpedLayer layer, byte[] image, long[] keys, int count) {
    int payload = FilterHeader.SIZE_IN_BYTES;
    folded.fold(
        image, payload + layer.solution, 64, layer.blocks, layer.lowerBlocks, layer.columns);
    long missed = 0;
    int passedOn = 0;
    for (int from = 0; from < count; from += BATCH) {
      int to = Math.min(from + BATCH, count);
      if (bumped.length < passedOn + BATCH) {
        bumped = Arrays.copyOf(bumped, 2 * (passedOn + BATCH));
      }
      long[] out = bumped;
      for (int i = from; i < to; i++) {
        long x = keys[i];
        int start = RibbonHasher.plainStart(x, layer.starts);
        if (layer.isBumped(ByteAccess.ARRAY, image, payload, start)) {
          out[passedOn++] = x; // at most where it was
        } else {
          missed |= folded.miss64(start, RibbonHasher.row(x), RibbonHasher.fingerprint(x));
        }
      }
    }
    return (missed & 1) == 0 ? passedOn : -1;
  }
}
