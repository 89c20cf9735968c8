package io.winnow.quotient;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterImage;

/** Quotient filters of some keys, and what must be true of them. */
final class QuotientFilters {
  private QuotientFilters() {}

  static QuotientFilter filled(QuotientShape shape, long... hashes) {
    return filled(QuotientFilter.of(shape), hashes);
  }

  static QuotientFilter filled(QuotientFilter filter, long... hashes) {
    for (long hash : hashes) {
      filter.insert(hash);
    }
    return filter;
  }

  static PlainQuotientReader plain(QuotientFilter filter) {
    FilterImage image = filter.toImage();
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return new PlainQuotientReader(bytes);
  }

  static void assertHoldsAll(QuotientFilter filter, long[] hashes) {
    for (long hash : hashes) {
      assertTrue(filter.mightContain(hash), filter.shape()::toString);
    }
  }
}
