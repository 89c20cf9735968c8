package io.winnow.quotient;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.unmix;
import static io.winnow.quotient.QuotientFilters.assertHoldsAll;
import static io.winnow.quotient.QuotientFilters.filled;
import static io.winnow.quotient.QuotientModelTest.contents;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.KeyHash;
import java.math.BigInteger;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Shapes and sizes: how many slots and bits, and where a fingerprint lies. */
class QuotientShapeTest {
  /** Fingerprints and places agree with arithmetic that cannot overflow. */
  @Test
  void placesAgainstBigIntegers() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      int slots = 1 + random.nextInt(1 << random.nextInt(30));
      long universe = 2 + (random.nextLong() >>> 2 + random.nextInt(60));
      if (!QuotientShape.fits(universe, slots)) {
        continue;
      }
      QuotientShape shape = QuotientShape.ofUniverse(QuotientScheme.RANK_SELECT, universe, slots);
      for (int j = 0; j < 5; j++) {
        long hash = j == 0 ? 0 : j == 1 ? -1 : random.nextLong();
        long fingerprint = shape.fingerprint(unmix(hash));
        var exact =
            new BigInteger(Long.toUnsignedString(hash))
                .multiply(BigInteger.valueOf(universe))
                .shiftRight(64);
        assertEquals(exact.longValueExact(), fingerprint);
        assertEquals(shape.placeOf(fingerprint), shape.place(unmix(hash)));
        long place = shape.placeOf(fingerprint);
        assertTrue(place >= 0 && place >>> shape.remainderBits() < slots);
        assertEquals(fingerprint, shape.fingerprintAt(place));
        if (fingerprint > 0) {
          assertTrue(shape.placeOf(fingerprint - 1) < place);
        }
      }
    }
  }

  @Test
  void finerFingerprintsBecomeThoseOfACoarserShape() {
    QuotientShape fine = QuotientShape.ofSlots(1000, 12);
    QuotientShape coarse = QuotientShape.ofSlots(1000, 8);
    long[] hashes = distinct(10, 900);
    QuotientFilter filter = QuotientFilter.ofSorted(coarse, filled(fine, hashes).fingerprints());
    assertArrayEquals(
        contents(filled(coarse, hashes).fingerprints()).toArray(),
        contents(filter.fingerprints()).toArray());
    assertHoldsAll(filter, hashes);
  }

  /** And that of filters that are made for a number of keys. */
  @ParameterizedTest
  @EnumSource
  void sizesFollowTheKeys(QuotientScheme scheme) {
    for (double rate : new double[] {0.1, 0.01, 0.001}) {
      QuotientSizing sizing = QuotientSizing.forRate(rate, scheme);
      double before = Double.POSITIVE_INFINITY;
      for (long keys = 1000; keys < 1_000_000_000; keys += 1 + keys / 1000) {
        double bitsPerKey = 8.0 * sizing.expectedImageBytes(keys) / keys;
        assertTrue(bitsPerKey <= 1.1 * before, keys + " keys: " + bitsPerKey + " after " + before);
        before = bitsPerKey;
      }
    }
  }

  /** As many keys as fit, with a block left, and no fewer: one more block would be too many. */
  @ParameterizedTest
  @EnumSource
  void keysOfAnImageOfSoManyBytes(QuotientScheme scheme) {
    for (double rate : new double[] {0.5, 0.01, 1e-9}) {
      QuotientSizing sizing = QuotientSizing.forRate(rate, scheme);
      int block = sizing.shape(1000).blockBytes();
      int twoBlocks = 64 + 8 + 2 * block; // header and padding; a block with keys, one left
      for (long bytes = 0; bytes < twoBlocks; bytes++) {
        assertEquals(1, sizing.keyLimit(bytes), "one key always, even in " + bytes + " bytes");
      }
      assertEquals(scheme.capacity(64), sizing.keyLimit(twoBlocks));
      long before = 1;
      for (long bytes = twoBlocks; bytes < 1L << 50; bytes += 1 + bytes / 3) {
        long keys = sizing.keyLimit(bytes);
        assertTrue(keys >= before && keys <= scheme.capacity(QuotientShape.MAX_SLOTS));
        if (bytes <= Integer.MAX_VALUE && keys < scheme.capacity(QuotientShape.MAX_SLOTS)) {
          long left = bytes - sizing.expectedImageBytes(keys);
          assertTrue(left >= block && left < 2 * block, left + " bytes left of " + bytes);
          assertTrue(sizing.expectedImageBytes(keys + 1) > bytes - block, "one more fits");
        } else { // as many as the largest array takes, or a table
          assertEquals(sizing.keyLimit(Integer.MAX_VALUE), keys);
        }
        before = keys;
      }
    }
  }

  @Test
  void misuseIsNamed() {
    record Case(Runnable misuse, String message) {}
    QuotientFilter filter = filled(QuotientShape.ofSlots(100, 7), 1, 2);
    for (Case wrong :
        List.of(
            new Case(() -> QuotientShape.ofSlots(0, 7), "0 slots"),
            new Case(() -> QuotientShape.ofSlots(-1, 7), "-1 slots"),
            new Case(() -> QuotientShape.ofSlots(1 << 30 | 1, 7), "1073741825 slots"),
            new Case(() -> QuotientShape.ofSlots(10, 0), "0 bits"),
            new Case(() -> QuotientShape.ofSlots(10, 57), "57 bits"),
            new Case(() -> QuotientShape.ofSlots(1000, 56), "1000 slots"),
            new Case(() -> QuotientShape.ofFingerprintBits(1, 1), "1 bits"),
            new Case(() -> QuotientShape.ofFingerprintBits(63, 1 << 20), "63 bits"),
            new Case(() -> QuotientShape.ofFingerprintBits(10, 1024), "1024 slots"),
            new Case(() -> QuotientShape.ofFingerprintBits(60, 8), "8 slots"),
            new Case(() -> QuotientSizing.forRate(0), "rate is 0.0"),
            new Case(() -> QuotientSizing.forRate(Double.NaN), "rate is NaN"),
            new Case(() -> QuotientSizing.forRate(0.01).shape(1L << 31), "2147483648 keys"),
            new Case(() -> QuotientSizing.forRate(0.01).shape(-1), "-1 keys"),
            new Case(() -> QuotientSizing.forRate(0.01).expectedImageBytes(-1), "-1 keys"),
            new Case(
                () -> QuotientSizing.forRate(0.01).shape(Long.MAX_VALUE),
                "9223372036854775807 keys"),
            new Case(
                () -> QuotientSizing.forRate(0.01).shape(Long.MAX_VALUE / 50),
                "184467440737095516"),
            new Case(() -> QuotientFilter.merge(List.of()), "nothing"),
            new Case(() -> QuotientMerge.of(List.of()), "nothing"),
            new Case(
                () ->
                    QuotientFilter.merge(
                        List.of(filter, QuotientFilter.of(filter.shape()).hashedBy(KeyHash.XXH3))),
                "hashed by null and by xxh3"),
            new Case(
                () -> QuotientFilter.merge(List.of(seeded(1), seeded(2))),
                "keys hashed by xxh3-seeded with different seeds"),
            new Case(
                () -> QuotientMerge.of(List.of(seeded(1).fingerprints(), frozen(seeded(2)))),
                "use one seed, with KeyHash.seeded(seed)"),
            new Case(
                () -> QuotientFilter.ofSorted(QuotientShape.ofSlots(99, 7), filter.fingerprints()),
                "12800 fingerprints are not 12672"),
            new Case(
                () -> QuotientFilter.ofSorted(QuotientShape.ofSlots(100, 8), filter.fingerprints()),
                "12800 fingerprints are not 25600"),
            new Case(
                () -> QuotientFilter.merge(List.of(filter, filled(QuotientShape.ofSlots(99, 7)))),
                "12800 fingerprints are not 12672"),
            new Case(
                () ->
                    QuotientFilter.ofSorted(
                        QuotientShape.ofSlots(10, 7), new ArrayCursor(1280, 5, 4)),
                "fingerprint 4"),
            new Case(
                () ->
                    QuotientFilter.ofSorted(
                        QuotientShape.ofSlots(10, 7), new ArrayCursor(1280, 1280)),
                "fingerprint 1280"),
            new Case(
                () ->
                    QuotientFilter.ofSorted(
                        QuotientShape.ofSlots(10, 7), new ArrayCursor(1280, new long[11])),
                "11 fingerprints"))) {
      var e = assertThrows(IllegalArgumentException.class, wrong.misuse()::run, wrong.message());
      assertTrue(e.getMessage().contains(wrong.message()), wrong.message() + ": " + e.getMessage());
    }
  }

  @Test
  void limitsAreIncluded() {
    assertEquals(2, QuotientShape.ofSlots(1, 1).universe());
    assertEquals(1L << 62, QuotientShape.ofSlots(64, 56).universe());
    assertThrows(IllegalArgumentException.class, () -> QuotientShape.ofSlots(65, 56));
    assertEquals(1L << 62, QuotientShape.ofSlots(1 << 30, 32).universe());
    assertEquals(2, QuotientShape.ofFingerprintBits(2, 1).remainderBits());
    assertEquals(56, QuotientShape.ofFingerprintBits(62, 64).remainderBits());
  }

  /** The nearer of two limits refuses one key more: 2^30 slots, or the size of an image. */
  @ParameterizedTest
  @EnumSource
  void aFilterHoldsKeysUpToItsLimit(QuotientScheme scheme) {
    QuotientSizing small = QuotientSizing.forRate(0.5, scheme);
    assertLimit(small, scheme.capacity(1 << 30));
    QuotientSizing large = QuotientSizing.forRate(1e-9, scheme);
    int block = large.shape(1000).blockBytes();
    long blocks = (Integer.MAX_VALUE / 16 * 15 - 1 - 64 - 8) / block; // with header and padding
    assertLimit(large, scheme.capacity((int) blocks * 64));
  }

  private static void assertLimit(QuotientSizing sizing, long keys) {
    assertTrue(sizing.shape(keys).capacity() >= keys);
    assertTrue(sizing.fits(keys) && !sizing.fits(keys + 1), keys + " keys");
    assertThrows(IllegalArgumentException.class, () -> sizing.shape(keys + 1));
  }

  private static QuotientFilter seeded(long seed) {
    QuotientFilter filter =
        QuotientFilter.of(QuotientShape.ofSlots(100, 7)).hashedBy(KeyHash.seeded(seed));
    filter.insert(new byte[] {1});
    return filter;
  }

  private static FingerprintCursor frozen(QuotientFilter filter) {
    return QuotientFilter.fingerprints(filter.freeze());
  }

  /** With one seed filters merge, and what comes out knows it; so does what is read from bytes. */
  @Test
  void filtersOfOneSeedMerge() {
    QuotientFilter one = seeded(5);
    QuotientFilter other = QuotientFilter.thaw(seeded(5).toImage().open());
    other.insert(new byte[] {2});
    QuotientFilter merged = QuotientFilter.mergeDistinct(List.of(one, other));
    assertEquals(KeyHash.seeded(5), merged.keyHash());
    assertTrue(merged.mightContain(new byte[] {1}) && merged.mightContain(new byte[] {2}));
    assertEquals(2, merged.count());
  }

  /**
   * Chosen keys of one quotient are all found in a run of many blocks, which begins in the first
   * block or in the second. A key of the next block is found behind it.
   */
  @ParameterizedTest
  @CsvSource({"RANK_SELECT, 7", "RANK_SELECT, 77", "THREE_BIT, 7", "THREE_BIT, 77"})
  void aLongRunIsFoundWhole(QuotientScheme scheme, long quotient) {
    QuotientFilter filter = QuotientFilter.of(QuotientShape.ofSlots(1 << 13, 20).with(scheme));
    int keys = 4000;
    for (int i = 0; i < keys; i++) {
      filter.insert(inOneSlot(quotient, i));
      assertTrue(filter.mightContain(inOneSlot(quotient, i)));
    }
    int absent = 0;
    for (int i = 0; i < 2 * keys; i++) {
      boolean answer = filter.mightContain(inOneSlot(quotient, i));
      assertTrue(answer || i >= keys);
      absent += answer ? 0 : 1;
    }
    assertEquals(keys, absent, "fingerprints tell them apart");
    long behind = inOneSlot(quotient + 64, 1);
    filter.insert(behind);
    assertTrue(filter.mightContain(behind));
    assertFalse(filter.mightContain(inOneSlot(quotient + 64, 2)));
    assertTrue(filter.delete(behind));
    for (int i = 0; i < keys; i++) {
      assertTrue(filter.delete(inOneSlot(quotient, i)));
      assertFalse(filter.mightContain(inOneSlot(quotient, i)));
    }
    assertEquals(0, filter.count());
  }

  /** The remainder in the bits below the 13 of the quotient, in an order that is not ascending. */
  private static long inOneSlot(long quotient, int i) {
    return unmix(quotient << 51 | (i * 48_271L & 0xFFFFF) << 31);
  }

  /** The remainders' 56 bits ask for slots; too few fingerprints allow no more of them. */
  @ParameterizedTest
  @EnumSource
  void theSmallestShapeOfAUniverse(QuotientScheme scheme) {
    assertEquals(64, QuotientShape.forUniverse(scheme, 1L << 62, 1).slots());
    assertEquals(3, QuotientShape.forUniverse(scheme, 4, 3).slots());
    assertThrows(IllegalArgumentException.class, () -> QuotientShape.forUniverse(scheme, 1, 1));
  }
}
