package io.winnow.ribbon;

import io.winnow.FilterBuilder;
import io.winnow.FilterContractTest;
import java.util.Map;

class LindormRibbonTest extends FilterContractTest {
  private static final int CHUNK_BYTES = 1 << 19; // so that the largest set still is one chunk

  private static RibbonSizing sizing(double rate) {
    return RibbonSizing.lindorm(CHUNK_BYTES, rate).withFirstSeeds(() -> 0);
  }

  @Override
  protected FilterBuilder builder(double rate) {
    return FilterBuilder.of(sizing(rate));
  }

  /** What the bytes of a full filter allow for, and a tenth for crowded slots. */
  @Override
  protected double promisedRate(double rate, int keys) {
    return sizing(rate).highestRate();
  }

  @Override
  protected Map<Integer, Double> bitsPerKeyBounds() {
    return Map.of(145_000, 7.24, 10_000, 7.33, 1000, 8.2, 100, 15.0, 1, 1000.0);
  }

  @Override
  protected int[] keyCountsAtEdges(double rate) {
    return RibbonHashes.maxKeysPerBlocks(sizing(rate), 1, 2, 3, 10, 100);
  }

  @Override
  protected long[] crowdedHashes(int count) {
    return RibbonHashes.crowded(count);
  }
}
