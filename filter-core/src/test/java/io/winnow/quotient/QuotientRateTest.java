package io.winnow.quotient;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static io.winnow.quotient.QuotientFilters.filled;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.FilterSizing;
import io.winnow.TestHashes;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a filter lets through and takes, and that it says so. */
class QuotientRateTest {
  /** Within 5 sigma of 1 - e^(-load / 2^r), for the whole of load and remainder width. */
  @ParameterizedTest
  @EnumSource
  void rateIsTheOneToExpect(QuotientScheme scheme) {
    int slots = 100_003;
    for (int remainderBits : new int[] {1, 2, 4, 7, 11}) {
      for (int percent = 25; percent <= scheme.maxLoad() * 100; percent += 10) {
        int keys = (int) ((long) slots * percent / 100);
        QuotientFilter filter =
            QuotientFilter.of(QuotientShape.ofSlots(slots, remainderBits).with(scheme));
        for (long hash : distinct(remainderBits + percent, keys)) {
          filter.insert(hash);
        }
        double load = keys / (double) slots;
        double rate = 1 - Math.exp(-load / (1 << remainderBits));
        int probes = 400_000;
        int positives = 0;
        for (int i = 0; i < probes; i++) {
          positives += filter.mightContain(splitMix(~percent, i)) ? 1 : 0;
        }
        // The probes' chance, and that of which fingerprints the keys happened to have.
        double universe = (double) slots * (1 << remainderBits);
        double fill = rate * (1 - rate) / universe;
        double sigma = Math.sqrt(rate * (1 - rate) / probes + fill);
        assertEquals(
            rate, positives / (double) probes, 5 * sigma, filter.shape() + " load " + load);
        double known = filter.expectedRate();
        assertEquals(
            known,
            positives / (double) probes,
            5 * Math.sqrt(known * (1 - known) / probes),
            filter.shape() + " load " + load);
      }
    }
  }

  /** Copies do not make a filter answer yes more often. */
  @Test
  void theRateIsThatOfDistinctFingerprints() {
    QuotientShape shape = QuotientShape.ofSlots(1000, 7);
    long[] hashes = distinct(14, 300);
    QuotientFilter copies = filled(shape, hashes);
    copies.insert(hashes, 0, 300);
    copies.insert(hashes, 0, 300);
    QuotientFilter once = QuotientFilter.mergeDistinct(List.of(copies));
    assertEquals(once.count() / (double) shape.universe(), copies.expectedRate());
    assertEquals(copies.expectedRate(), copies.toImage().layout().estimatedRate());
    assertEquals(copies.expectedRate(), copies.copy().expectedRate());
    assertEquals(copies.expectedRate(), QuotientFilter.thaw(copies.freeze()).expectedRate());
    for (long hash : hashes) {
      copies.delete(hash);
      copies.delete(hash);
    }
    assertEquals(once.expectedRate(), copies.expectedRate());
    for (long hash : hashes) {
      copies.delete(hash);
    }
    assertEquals(0, copies.expectedRate());
  }

  @Test
  void spaceIsThatOfThePapersClaims() {
    int keys = 1_000_000;
    FilterImage image =
        TestHashes.build(FilterBuilder.of(QuotientSizing.forRate(0.01)), distinct(1, keys));
    assertTrue(image.layout().bitsPerKey() <= 9.7, image.layout().bitsPerKey() + " bits per key");
    assertTrue(image.layout().estimatedRate() <= 0.01);

    QuotientShape shape =
        QuotientShape.ofSlots((int) QuotientScheme.THREE_BIT.slotsFor(keys), 10)
            .with(QuotientScheme.THREE_BIT);
    QuotientFilter filter = filled(shape, distinct(1, keys));
    assertEquals(0.75, filter.load(), 1e-6);
    // A Bloom filter of 10 hash functions at this rate: (1 - e^(-10 / b))^10.
    double bloomBits = -10 / Math.log1p(-Math.pow(filter.expectedRate(), 0.1));
    double bits = filter.toImage().layout().bitsPerKey();
    assertTrue(bits <= 1.2 * bloomBits, bits + " bits per key, Bloom " + bloomBits);
  }

  /** Rates that need more than 2^62 fingerprints get those that there are, and lose no key. */
  @Test
  void ratesBelowAllHashes() {
    for (double rate : new double[] {1e-9, 1e-14, FilterSizing.MIN_RATE}) {
      for (int keys : new int[] {1, 2, 63, 64, 65, 1000, 100_000}) {
        long[] hashes = distinct(1, keys);
        FilterBuilder builder = FilterBuilder.of(QuotientSizing.forRate(rate));
        FilterImage image = TestHashes.build(builder, hashes);
        assertTrue(
            image.layout().estimatedRate() <= Math.max(rate, Math.scalb(1.0 + keys / 16.0, -56)));
      }
    }
  }
}
