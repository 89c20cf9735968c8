package io.winnow.quotient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.TestHashes;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RankSelectContractTest extends QuotientContractTest {
  @Override
  QuotientScheme scheme() {
    return QuotientScheme.RANK_SELECT;
  }

  @Override
  protected Map<Integer, Double> bitsPerKeyBounds() {
    return Map.of(145_000, 9.62, 100_000, 9.62, 10_000, 9.7, 1000, 10.6, 100, 20.0, 1, 1300.0);
  }

  @Test
  void selectFindsTheBitThatALoopFinds() {
    for (int i = 0; i < 20_000; i++) {
      long word = TestHashes.splitMix(1, i);
      int thinner = i % 8; // words of many bits and of few, of all and of none
      for (int j = 0; j < thinner; j++) {
        word &= TestHashes.splitMix(2 + j, i);
      }
      word = i % 3 == 0 ? ~word : word;
      for (int number = 1; number <= 64; number++) {
        long left = word;
        for (int j = 1; j < number; j++) {
          left &= left - 1;
        }
        assertEquals(Long.numberOfTrailingZeros(left), TableReader.select(word, number));
      }
    }
  }

  /** Runs of all lengths, remainders of all widths: yes for what is held, and for nothing else. */
  @Test
  void answersAreThoseOfTheSetOfFingerprints() {
    for (int bits = 1; bits <= QuotientShape.MAX_REMAINDER_BITS; bits++) {
      QuotientShape shape = QuotientShape.ofSlots(bits <= 52 ? 400 : 60, bits);
      for (int range = 1; range <= 64; range *= 4) { // the smaller, the longer the runs
        QuotientFilter filter = QuotientFilter.of(shape);
        Set<Long> held = new HashSet<>();
        long end = Math.max(2, shape.universe() / range >>> Math.max(0, bits - 12));
        for (int i = 0; i < shape.capacity(); i++) {
          long fingerprint = Math.floorMod(TestHashes.splitMix(bits, i), end);
          held.add(fingerprint);
          filter.insert(hashOf(shape, fingerprint));
        }
        for (int i = 0; i < 2000; i++) {
          long fingerprint = Math.floorMod(TestHashes.splitMix(~bits, i), end);
          assertEquals(held.contains(fingerprint), filter.mightContain(hashOf(shape, fingerprint)));
        }
      }
    }
  }

  /** A hash of this fingerprint, which is the high word of its product with the universe. */
  private static long hashOf(QuotientShape shape, long fingerprint) {
    long hash = Long.divideUnsigned(-1, shape.universe()) * fingerprint;
    while (shape.fingerprint(TestHashes.unmix(hash)) < fingerprint) {
      hash += Math.max(1, Long.divideUnsigned(-1, shape.universe()) / 2);
    }
    assertEquals(fingerprint, shape.fingerprint(TestHashes.unmix(hash)));
    return TestHashes.unmix(hash);
  }
}
