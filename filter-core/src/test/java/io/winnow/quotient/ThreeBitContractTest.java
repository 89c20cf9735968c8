package io.winnow.quotient;

import java.util.Map;

class ThreeBitContractTest extends QuotientContractTest {
  @Override
  QuotientScheme scheme() {
    return QuotientScheme.THREE_BIT;
  }

  @Override
  protected Map<Integer, Double> bitsPerKeyBounds() {
    return Map.of(145_000, 13.35, 100_000, 13.36, 10_000, 13.5, 1000, 14.5, 100, 25.0, 1, 1300.0);
  }
}
