package io.winnow.flash.bloom;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** False-positive rates of the positions in a Bloom filter. */
class BloomRatesTest {
  private static final int PROBES = 1_000_000;

  /** The usual formula takes the share of set bits at its mean, so small filters are left out. */
  @ParameterizedTest
  @CsvSource({
    "100000, 0.5, 0",
    "100000, 0.1, 0",
    "100000, 0.01, 0",
    "100000, 0.001, 0",
    "100000, 0.0004, 0",
    "1000000, 0.01, 0",
    "100000, 0.01, 1",
    "100000, 0.01, 2",
    "100000, 0.01, 3",
    "100000, 0.01, 20",
    "100000, 0.9, 64"
  })
  void theRateIsTheExpectedOne(int keys, double rate, int hashFunctions) {
    BloomSizing sizing =
        hashFunctions == 0
            ? BloomSizing.forRate(keys, rate)
            : BloomSizing.forRate(keys, rate, hashFunctions);
    long[] hashes = distinct(1, keys);
    BloomModel filter = new BloomModel(sizing);
    for (int half = 0; half < 2; half++) {
      int from = half * keys / 2;
      for (int i = from; i < from + keys / 2; i++) {
        filter.insert(hashes[i]);
      }
      int inserted = from + keys / 2;
      double expected = sizing.expectedRate(inserted);
      int positives = 0;
      for (int i = 0; i < PROBES; i++) {
        positives += filter.mightContain(splitMix(~keys, i)) ? 1 : 0;
      }
      double measured = positives / (double) PROBES;
      double sigma = Math.sqrt(expected * (1 - expected) / PROBES);
      assertEquals(expected, measured, 5 * sigma + spread(sizing, inserted));
    }
  }

  /** Returns five standard deviations of the rate that the number of set bits accounts for. */
  private static double spread(BloomSizing sizing, long keys) {
    double k = sizing.hashFunctions();
    double empty = Math.exp(-k * keys / sizing.bits());
    double share = 1 - empty;
    double sigma = Math.sqrt(empty * share / sizing.bits());
    return 5 * k * Math.pow(share, k - 1) * sigma;
  }

  /** Structured hashes are mixed: consecutive numbers do no worse than random ones. */
  @Test
  void consecutiveHashesKeepTheRate() {
    for (int shift : new int[] {0, 20, 40}) {
      BloomModel filter = new BloomModel(BloomSizing.forRate(100_000, 0.01));
      for (long i = 0; i < 100_000; i++) {
        filter.insert(i << shift);
      }
      int positives = 0;
      for (long i = 100_000; i < 1_100_000; i++) {
        positives += filter.mightContain(i << shift) ? 1 : 0;
      }
      assertEquals(0.01, positives / 1e6, 5 * Math.sqrt(0.01 * 0.99 / 1e6) + 1e-4);
    }
  }
}
