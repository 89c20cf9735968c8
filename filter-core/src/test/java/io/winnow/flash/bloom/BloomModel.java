package io.winnow.flash.bloom;

import java.util.BitSet;

/** A Bloom filter as a set of positions: the model of those on flash and of sliced ones. */
public final class BloomModel {
  private final BloomSizing sizing;
  private final BitSet bits = new BitSet();
  private final long[] positions;

  public BloomModel(BloomSizing sizing) {
    this.sizing = sizing;
    this.positions = new long[sizing.hashFunctions()];
  }

  public void insert(long keyHash) {
    BloomPositions.of(sizing, keyHash, positions);
    for (long position : positions) {
      bits.set((int) position);
    }
  }

  public boolean mightContain(long keyHash) {
    BloomPositions.of(sizing, keyHash, positions);
    for (long position : positions) {
      if (!bits.get((int) position)) {
        return false;
      }
    }
    return true;
  }
}
