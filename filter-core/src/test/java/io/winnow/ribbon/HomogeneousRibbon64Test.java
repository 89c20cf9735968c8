package io.winnow.ribbon;

import io.winnow.FilterBuilder;
import io.winnow.FilterContractTest;
import java.util.Map;

class HomogeneousRibbon64Test extends FilterContractTest {
  @Override
  protected FilterBuilder builder(double rate) {
    return FilterBuilder.of(RibbonSizing.forRate(rate).withFirstSeeds(() -> 0));
  }

  @Override
  protected Map<Integer, Double> bitsPerKeyBounds() {
    return Map.of(145_000, 7.34, 100_000, 7.35, 10_000, 7.36, 1000, 8.2, 100, 15.0, 1, 1000.0);
  }

  @Override
  protected int[] keyCountsAtEdges(double rate) {
    return RibbonHashes.maxKeysPerBlocks(RibbonSizing.forRate(rate), 1, 2, 3, 10, 100);
  }

  @Override
  protected long[] crowdedHashes(int count) {
    return RibbonHashes.crowded(count);
  }
}
