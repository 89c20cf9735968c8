package io.winnow.ribbon;

import io.winnow.FilterBuilder;
import io.winnow.FilterContractTest;
import java.util.Map;

class HomogeneousRibbon128Test extends FilterContractTest {
  @Override
  protected FilterBuilder builder(double rate) {
    return FilterBuilder.of(RibbonSizing.forRate(rate, 128).withFirstSeeds(() -> 0));
  }

  @Override
  protected Map<Integer, Double> bitsPerKeyBounds() {
    return Map.of(145_000, 7.05, 100_000, 7.06, 10_000, 7.15, 1000, 8.6, 100, 24.0, 1, 1500.0);
  }

  @Override
  protected int[] keyCountsAtEdges(double rate) {
    return RibbonHashes.maxKeysPerBlocks(RibbonSizing.forRate(rate, 128), 1, 2, 3, 10, 100);
  }

  @Override
  protected long[] crowdedHashes(int count) {
    return RibbonHashes.crowded(count);
  }
}
