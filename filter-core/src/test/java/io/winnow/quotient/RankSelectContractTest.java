package io.winnow.quotient;

import java.util.Map;

class RankSelectContractTest extends QuotientContractTest {
  @Override
  QuotientScheme scheme() {
    return QuotientScheme.RANK_SELECT;
  }

  @Override
  protected Map<Integer, Double> bitsPerKeyBounds() {
    return Map.of(145_000, 9.62, 100_000, 9.62, 10_000, 9.7, 1000, 10.6, 100, 20.0, 1, 1300.0);
  }
}
