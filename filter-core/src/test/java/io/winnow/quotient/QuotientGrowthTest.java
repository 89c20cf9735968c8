package io.winnow.quotient;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static io.winnow.quotient.QuotientFilters.assertHoldsAll;
import static io.winnow.quotient.QuotientFilters.filled;
import static io.winnow.quotient.QuotientFilters.plain;
import static io.winnow.quotient.QuotientModelTest.contents;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterImage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The table while it grows, by doubling or in steps, and comes back; and where it cannot. */
class QuotientGrowthTest {
  @ParameterizedTest
  @EnumSource
  void growsByItselfAndLosesNothing(QuotientScheme scheme) {
    long[] hashes = distinct(2, 100_000);
    for (QuotientGrowth growth : List.of(QuotientGrowth.DOUBLING, QuotientGrowth.STEPS)) {
      QuotientFilter filter =
          QuotientFilter.of(QuotientShape.ofFingerprintBits(32, 50).with(scheme)).growing(growth);
      for (int i = 0; i < hashes.length; i++) {
        if (i % 2 == 0) {
          filter.insert(hashes[i]);
        } else {
          filter.insertIfAbsent(hashes[i]);
        }
        assertTrue(filter.load() <= scheme.maxLoad() + 1.0 / filter.shape().slots());
      }
      assertHoldsAll(filter, hashes);
      assertEquals(100_000, filter.count(), 2); // few fingerprints of 32 bits are equal
      assertEquals(1L << 32, filter.shape().universe());
      assertEquals(contents(filter.fingerprints()), plain(filter).fingerprints());
    }
  }

  /** Where a step is a slot or two, and from a table that is fuller than its scheme allows. */
  @ParameterizedTest
  @EnumSource
  void growsFromTheSmallestAndFromTheFullest(QuotientScheme scheme) {
    for (QuotientGrowth growth : List.of(QuotientGrowth.DOUBLING, QuotientGrowth.STEPS)) {
      for (int slots = 1; slots < 40; slots++) {
        QuotientShape shape = QuotientShape.ofFingerprintBits(50, slots).with(scheme);
        QuotientFilter filter = QuotientFilter.of(shape).growing(growth);
        long[] hashes = distinct(11, 300);
        for (long hash : hashes) {
          filter.insert(hash);
          assertTrue(filter.count() <= filter.shape().capacity(), filter.shape()::toString);
        }
        assertHoldsAll(filter, hashes);
        QuotientFilter full = QuotientFilter.thawed(shape, filter.fingerprints()).growing(growth);
        full.insert(1);
        assertEquals(301, full.count());
        assertHoldsAll(full, hashes);
      }
    }
  }

  /** The promise of growth in steps: from 2048 slots on, no jump by more than a tenth. */
  @ParameterizedTest
  @EnumSource
  void stepsKeepSpacePerKeyLevel(QuotientScheme scheme) {
    QuotientFilter filter =
        QuotientFilter.of(QuotientShape.ofFingerprintBits(40, 2048).with(scheme))
            .growing(QuotientGrowth.STEPS);
    double before = Double.POSITIVE_INFINITY;
    for (int i = 0; i < 300_000; i++) {
      int slots = filter.shape().slots();
      filter.insert(splitMix(3, i));
      double bitsPerKey = 8.0 * filter.sizeInBytes() / filter.count();
      if (filter.shape().slots() != slots) {
        assertTrue(bitsPerKey <= 1.1 * before, bitsPerKey + " bits per key after " + before);
      }
      before = bitsPerKey;
    }
  }

  @ParameterizedTest
  @EnumSource
  void doublingAndHalvingComeBack(QuotientScheme scheme) {
    QuotientFilter filter = filled(QuotientShape.ofSlots(1000, 12).with(scheme), distinct(6, 370));
    List<Long> before = contents(filter.fingerprints());
    FilterImage image = filter.toImage();
    filter.doubleSlots();
    assertEquals(2000, filter.shape().slots());
    assertEquals(11, filter.shape().remainderBits());
    assertEquals(before, contents(filter.fingerprints()));
    filter.halveSlots();
    assertEquals(image.buffer(), filter.toImage().buffer());
    filter.halveSlots();
    assertEquals(500, filter.shape().slots());
    assertEquals(13, filter.shape().remainderBits());
    assertEquals(before, plain(filter).fingerprints());
    assertHoldsAll(filter, distinct(6, 370));
  }

  @Test
  void refusesWhatDoesNotFit() {
    QuotientFilter fixed =
        filled(QuotientShape.ofSlots(100, 7), distinct(1, 95)).growing(QuotientGrowth.NONE);
    assertThrows(IllegalStateException.class, () -> fixed.insert(1));
    assertThrows(IllegalStateException.class, () -> fixed.insertIfAbsent(1));
    assertFalse(fixed.insertIfAbsent(splitMix(1, 0)), "there already");
    assertEquals(95, fixed.count());
    assertThrows(IllegalArgumentException.class, () -> fixed.resize(99));
    assertThrows(IllegalArgumentException.class, () -> fixed.resize(12_800));
    assertEquals(95, fixed.count());

    QuotientFilter grown = filled(QuotientShape.ofSlots(64, 3));
    int inserted = 0;
    try {
      for (; inserted < 10_000; inserted++) {
        grown.insert(splitMix(2, inserted));
      }
    } catch (IllegalStateException e) {
      assertTrue(e.getMessage().contains("full: " + grown.count()), e.getMessage());
    }
    assertEquals(256, grown.shape().slots(), "one bit is left to the remainders");
    assertEquals(grown.shape().capacity(), inserted);
  }
}
