package io.winnow.quotient;

import static io.winnow.TestHashes.splitMix;
import static io.winnow.TestHashes.unmix;
import static io.winnow.quotient.QuotientModelTest.contents;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import io.winnow.KeyHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotientMergeTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 9, 16, 33})
  void anyNumberOfArrays(int sources) {
    long seed = Long.getLong("winnow.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      List<FingerprintCursor> cursors = new ArrayList<>();
      List<Long> expected = new ArrayList<>();
      for (int i = 0; i < sources; i++) {
        int finer = random.nextInt(3);
        long universe = 1000L << finer;
        long[] sorted = random.longs(random.nextInt(50), 0, universe).sorted().toArray();
        cursors.add(new ArrayCursor(universe, sorted));
        Arrays.stream(sorted).forEach(fingerprint -> expected.add(fingerprint >>> finer));
      }
      expected.sort(null);
      cursors.add(random.nextInt(sources + 1), new ArrayCursor(1000));
      FingerprintCursor merged = QuotientMerge.of(cursors);
      assertEquals(1000, merged.universe());
      assertEquals(expected, contents(merged), "winnow.seed=" + seed);
      assertFalse(merged.next());
    }
  }

  @Test
  void setsHaveNoRepeats() {
    QuotientShape shape = QuotientShape.ofSlots(10, 7);
    FingerprintCursor sorted = new ArrayCursor(1280, 0, 0, 1, 5, 5, 5, 9);
    QuotientFilter multiset = QuotientFilter.ofSorted(shape, sorted);
    QuotientFilter set = QuotientFilter.mergeDistinct(List.of(multiset));
    assertEquals(List.of(0L, 1L, 5L, 9L), contents(set.fingerprints()));
    assertEquals(QuotientScheme.RANK_SELECT.slotsFor(4), set.shape().slots());
  }

  /** Of other sizes, remainder widths and schemes; what one filter of all keys would hold. */
  @Test
  void filtersOfAllKinds() {
    List<QuotientFilter> filters = new ArrayList<>();
    QuotientFilter all = QuotientFilter.of(QuotientShape.ofFingerprintBits(24, 9000));
    for (int i = 0; i < 6; i++) {
      QuotientShape shape = QuotientShape.ofFingerprintBits(24 + 3 * i, 700 * (i + 1));
      QuotientFilter filter = QuotientFilter.of(shape.with(QuotientScheme.values()[i % 2]));
      for (int j = 0; j < 500 * (i + 1); j++) {
        long hash = splitMix(i % 3, j); // some are in two filters
        filter.insert(hash);
        all.insert(hash);
      }
      filters.add(filter);
    }
    QuotientFilter merged = QuotientFilter.merge(filters);
    assertEquals(1L << 24, merged.shape().universe());
    assertTrue(merged.load() > 0.94);
    assertEquals(contents(all.fingerprints()), contents(merged.fingerprints()));
    for (int j = 0; j < 3000; j++) {
      assertTrue(merged.mightContain(splitMix(2, j)));
    }
  }

  /** Keys that several have are there once, and the table is no larger than they need. */
  @Test
  void setsMergeIntoASet() {
    List<QuotientFilter> filters = new ArrayList<>();
    QuotientFilter all = QuotientFilter.of(QuotientShape.ofFingerprintBits(24, 9000));
    for (int i = 0; i < 4; i++) {
      QuotientFilter filter =
          QuotientFilter.of(QuotientShape.ofFingerprintBits(24 + i, 700)).hashedBy(KeyHash.XXH3);
      for (int j = 100 * i; j < 100 * i + 1000; j++) {
        filter.insertIfAbsent(splitMix(7, j));
        all.insertIfAbsent(splitMix(7, j));
      }
      filters.add(filter);
    }
    QuotientFilter merged = QuotientFilter.mergeDistinct(filters);
    assertEquals(contents(all.fingerprints()), contents(merged.fingerprints()));
    assertEquals(QuotientScheme.RANK_SELECT.slotsFor(all.count()), merged.shape().slots());
    assertEquals(KeyHash.XXH3, merged.keyHash());
    assertEquals(4000, QuotientFilter.merge(filters).count());
    assertThrows(IllegalArgumentException.class, () -> QuotientFilter.mergeDistinct(List.of()));
  }

  /** Few keys with long fingerprints take more slots than keys: remainders have 56 bits at most. */
  @Test
  void fewKeysWithLongFingerprints() {
    QuotientFilter one = QuotientFilter.of(QuotientShape.ofFingerprintBits(62, 64));
    QuotientFilter other = one.copy();
    one.insert(5);
    other.insert(-5);
    QuotientFilter merged = QuotientFilter.merge(List.of(one, other));
    assertEquals(2, merged.count());
    assertTrue(merged.mightContain(5) && merged.mightContain(-5));
    assertEquals(
        0, QuotientFilter.merge(List.of(QuotientFilter.of(QuotientShape.ofSlots(9, 9)))).count());
  }

  /** One of two fingerprints, at 75 %: two slots were one too many for a remainder of one bit. */
  @Test
  void asManyFingerprintsAsThereAre() {
    QuotientShape shape = QuotientShape.ofSlots(1, 1).with(QuotientScheme.THREE_BIT);
    QuotientFilter one = QuotientFilter.of(shape);
    one.insert(unmix(-1));
    QuotientFilter merged = QuotientFilter.merge(List.of(one));
    assertEquals(List.of(1L), contents(merged.fingerprints()));
    assertThrows(IllegalArgumentException.class, () -> QuotientFilter.merge(List.of(one, merged)));
  }

  @Test
  void mergingAllocatesNothingPerFingerprint() {
    long[] sorted = new long[100_000];
    Arrays.setAll(sorted, i -> 3L * i);
    long[] sum = new long[1];
    for (int sources : new int[] {2, 5}) {
      List<FingerprintCursor> cursors = new ArrayList<>();
      for (int i = 0; i < sources; i++) {
        cursors.add(new ArrayCursor(1 << 20, sorted));
      }
      FingerprintCursor merged = QuotientMerge.of(cursors);
      long allocated =
          Allocation.bytesOf(
              () -> {
                while (merged.next()) {
                  sum[0] += merged.fingerprint();
                }
              });
      assertTrue(allocated < 10_000, allocated + " bytes");
    }
  }
}
