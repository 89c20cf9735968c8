package io.winnow.flash.bloom;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BloomFilterTest {
  private static final int PROBES = 1_000_000;

  private static BloomFilter filled(BloomSizing sizing, long[] hashes) {
    BloomFilter filter = BloomFilter.of(sizing);
    for (long hash : hashes) {
      filter.insert(hash);
    }
    return filter;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 0.01",
    "10, 0.5",
    "1000, 0.1",
    "10000, 0.01",
    "100000, 0.0004",
    "1000000, 0.01",
    "200000, 0.000001"
  })
  void noKeyIsLost(int keys, double rate) {
    long[] hashes = distinct(keys, keys);
    BloomFilter filter = filled(BloomSizing.forRate(keys, rate), hashes);
    for (long hash : hashes) {
      assertTrue(filter.mightContain(hash));
    }
  }

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
    BloomFilter filter = BloomFilter.of(sizing);
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

  /** What the number of set bits, which differs from its mean, may do to the rate: 5 sigma. */
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
      BloomFilter filter = BloomFilter.forRate(100_000, 0.01);
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

  /** Exactly the bits that the positions name, and all of them. */
  @ParameterizedTest
  @CsvSource({"64, 1", "64, 64", "65, 3", "127, 7", "1000, 11", "100003, 7"})
  void aPlainBitSetAgrees(int bits, int hashFunctions) {
    BloomSizing sizing = new BloomSizing(bits, hashFunctions);
    int keys = Math.max(1, bits / hashFunctions / 2);
    BloomFilter filter = filled(sizing, distinct(bits, keys));
    BitSet model = new BitSet(bits);
    long[] positions = new long[hashFunctions];
    for (long hash : distinct(bits, keys)) {
      BloomPositions.of(sizing, hash, positions);
      for (long position : positions) {
        model.set((int) position);
      }
    }
    for (int i = 0; i < 20_000; i++) {
      BloomPositions.of(sizing, splitMix(7, i), positions);
      boolean expected = true;
      for (long position : positions) {
        expected &= model.get((int) position);
      }
      assertEquals(expected, filter.mightContain(splitMix(7, i)));
    }
  }

  @Test
  void anEmptyOneDeniesAll() {
    BloomFilter filter = BloomFilter.of(new BloomSizing(1000, 3));
    assertEquals(128, filter.sizeInBytes());
    for (long hash : distinct(1, 100)) {
      assertFalse(filter.mightContain(hash));
    }
  }

  @Test
  void moreBitsThanFitIntoAnArrayAreRefused() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> BloomFilter.of(new BloomSizing(1L << 37, 7)));
    assertTrue(e.getMessage().startsWith("137438953472 bits in memory"), e.getMessage());
  }

  @Test
  void operationsAllocateNothing() {
    BloomFilter filter = BloomFilter.forRate(10_000, 0.01);
    Runnable operations =
        () -> {
          for (int i = 0; i < 10_000; i++) {
            filter.insert(splitMix(1, i));
            if (!filter.mightContain(splitMix(1, i))) {
              throw new AssertionError("lost");
            }
          }
        };
    operations.run();
    assertEquals(0, Allocation.bytesOf(operations));
  }
}
