package io.winnow.quotient;

import static io.winnow.TestHashes.splitMix;
import static io.winnow.TestHashes.unmix;

import io.winnow.FilterBuilder;
import io.winnow.FilterContractTest;

/** What every filter owes, as a filter that is built once. */
abstract class QuotientContractTest extends FilterContractTest {
  abstract QuotientScheme scheme();

  @Override
  protected FilterBuilder builder(double rate) {
    return FilterBuilder.of(QuotientSizing.forRate(rate, scheme()));
  }

  /** Where another block is needed. */
  @Override
  protected int[] keyCountsAtEdges(double rate) {
    return new int[] {scheme().capacity(64), scheme().capacity(128), scheme().capacity(64 * 100)};
  }

  /** All of them have one quotient, and a few fingerprints. */
  @Override
  protected long[] crowdedHashes(int count) {
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = unmix(0x5A5A5A5A5AL << 24 | splitMix(1, 0) >>> 40 ^ i);
    }
    return hashes;
  }
}
