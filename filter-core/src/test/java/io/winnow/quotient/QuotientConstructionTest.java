package io.winnow.quotient;

import static io.winnow.TestHashes.build;
import static io.winnow.TestHashes.countPositives;
import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static io.winnow.TestHashes.unmix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.FilterBuilder;
import io.winnow.FilterFormatException;
import io.winnow.FilterImage;
import io.winnow.ImageFilter;
import io.winnow.KeyHash;
import io.winnow.MembershipFilter;
import io.winnow.base.KeyBuffer;
import io.winnow.image.Filters;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rates of keys that have bits in common, verification, and what stands in when it fails. */
class QuotientConstructionTest {

  private static boolean holdsAll(MembershipFilter filter, long[] hashes) {
    for (long hash : hashes) {
      if (!filter.mightContain(hash)) {
        return false;
      }
    }
    return true;
  }

  private static boolean answersAll(FilterImage image) {
    return image.layout().estimatedRate() == 1
        && image.sizeInBytes() == 64
        && countPositives(image.open(), 5, 1000) == 1000;
  }

  /**
   * Keys of a shard that was chosen by 1 to 8 bits of the same hash, top or bottom: the rate is the
   * one that the header states, whether the keys that are asked for are of the shard or not.
   */
  @ParameterizedTest
  @EnumSource
  void shardsKeepTheRate(QuotientScheme scheme) {
    int keys = 100_000;
    int probes = 200_000;
    FilterBuilder builder = FilterBuilder.of(QuotientSizing.forRate(0.01, scheme));
    for (int bits = 1; bits <= 8; bits++) {
      long shard = 0x5A >>> 8 - bits;
      int shift = 64 - bits;
      List<LongUnaryOperator> choices =
          List.of(hash -> shard << shift | hash >>> 64 - shift, hash -> hash << 64 - shift | shard);
      for (LongUnaryOperator choice : choices) {
        long[] hashes = distinct(bits, keys);
        for (int i = 0; i < keys; i++) {
          hashes[i] = choice.applyAsLong(hashes[i]);
        }
        FilterImage image = build(builder, hashes);
        MembershipFilter filter = image.open();
        assertTrue(holdsAll(filter, hashes));
        double rate = image.layout().estimatedRate();
        assertTrue(rate <= 0.01);
        // The rate of a table of distinct fingerprints; expected are those of random hashes.
        QuotientShape shape = ((QuotientLayout) image.layout()).shape();
        double expected = shape.expectedRate(keys);
        assertEquals(expected, rate, 5 * Math.sqrt(expected / shape.universe()));
        int inShard = 0;
        for (int i = 0; i < probes; i++) {
          inShard += filter.mightContain(choice.applyAsLong(splitMix(99, i))) ? 1 : 0;
        }
        double sigma = Math.sqrt(rate * (1 - rate) / probes);
        String what = bits + " bits, " + scheme;
        assertEquals(rate, inShard / (double) probes, 5 * sigma, what);
        assertEquals(rate, countPositives(filter, 98, probes) / (double) probes, 5 * sigma, what);
      }
    }
  }

  private static KeyBuffer buffer(long[] hashes) {
    KeyBuffer keys = new KeyBuffer();
    keys.add(hashes, 0, hashes.length);
    return keys;
  }

  /** Whatever bit of a table is wrong: no key is lost, or the filter answers true to everything. */
  @ParameterizedTest
  @EnumSource
  void verificationFindsEveryBitThatLosesAKey(QuotientScheme scheme) {
    QuotientSizing sizing = QuotientSizing.forRate(0.1, scheme);
    long[] hashes = distinct(3, scheme.capacity(200));
    long[] atTheEnd = hashes.clone();
    for (int i = 0; i < 70; i++) {
      atTheEnd[i] = unmix(-1 - (hashes[i] >>> 2)); // one cluster through several blocks
    }
    for (long[] keys : List.of(hashes, atTheEnd)) {
      FilterImage sound =
          new QuotientConstruction(image -> {}).build(sizing, buffer(keys), null, true);
      int lost = 0;
      int replaced = 0;
      for (int bit = 64 * 8; bit < sound.sizeInBytes() * 8; bit++) {
        int wrong = bit;
        QuotientConstruction packer =
            new QuotientConstruction(image -> image[wrong / 8] ^= (byte) (1 << wrong % 8));
        FilterImage unverified = packer.build(sizing, buffer(keys), KeyHash.XXH3, false);
        FilterImage verified = packer.build(sizing, buffer(keys), KeyHash.XXH3, true);
        assertTrue(holdsAll(verified.open(), keys), "bit " + bit);
        assertEquals(keys.length, verified.layout().keyCount());
        assertEquals(KeyHash.XXH3, verified.layout().keyHash());
        assertEquals(0.1, verified.layout().configuredRate());
        if (verified.sizeInBytes() == sound.sizeInBytes()) {
          assertTrue(unverified.buffer().equals(verified.buffer()));
        } else {
          assertTrue(answersAll(verified));
          replaced++;
        }
        lost += holdsAll(unverified.open(), keys) ? 0 : 1;
      }
      assertTrue(lost > 500 && replaced >= lost, lost + " lost, " + replaced + " replaced");
    }
  }

  /** The same where most keys are in no sample: wrong bits of the last block, and of any. */
  @ParameterizedTest
  @EnumSource
  void verificationFindsWhatNoSampleMeets(QuotientScheme scheme) {
    QuotientSizing sizing = QuotientSizing.forRate(0.01, scheme);
    long[] hashes = distinct(9, 12_000);
    FilterImage sound =
        new QuotientConstruction(image -> {}).build(sizing, buffer(hashes), null, true);
    int lastBlock =
        8 * (sound.sizeInBytes() - 8 - ((QuotientLayout) sound.layout()).shape().blockBytes());
    Random random = new Random(9);
    int replaced = 0;
    for (int i = 0; i < 1000; i++) {
      int wrong = i < 400 ? lastBlock + i : 512 + random.nextInt(lastBlock - 512);
      QuotientConstruction packer =
          new QuotientConstruction(image -> image[wrong / 8] ^= (byte) (1 << wrong % 8));
      FilterImage image = packer.build(sizing, buffer(hashes), null, true);
      replaced += answersAll(image) ? 1 : 0;
      assertTrue(holdsAll(image.open(), hashes), "bit " + wrong);
    }
    assertTrue(replaced > 500, replaced + " replaced");
  }

  /** A probe that misses a key although its bytes are there, as if it were compiled wrongly. */
  @Test
  void aSampleIsProbed() {
    QuotientSizing sizing = QuotientSizing.forRate(1e-9);
    for (boolean verified : new boolean[] {true, false}) {
      KeyBuffer keys = buffer(distinct(4, 500));
      QuotientConstruction missing =
          new QuotientConstruction(image -> keys.segment(0)[123] = splitMix(5, 0));
      assertEquals(verified, answersAll(missing.build(sizing, keys, null, verified)));
    }
    KeyBuffer keys = buffer(distinct(4, 500));
    assertFalse(answersAll(new QuotientConstruction(image -> {}).build(sizing, keys, null, true)));
  }

  @Test
  void theBuilderHandsOutWhatAnswersTrue() {
    QuotientConstruction faulty = new QuotientConstruction(image -> image[70] ^= 1);
    QuotientSizing sizing = QuotientSizing.forRate(0.01);
    KeyBuffer keys = buffer(distinct(6, 1000));
    FilterImage image = faulty.build(sizing, keys, KeyHash.XXH3, true);
    assertTrue(answersAll(image));
    assertEquals("everything", image.layout().describe());
    assertEquals(KeyHash.XXH3, image.layout().keyHash());
    assertFalse(answersAll(faulty.build(sizing, keys, KeyHash.XXH3, false)));
  }

  /** It holds no fingerprints that could be read: without them a merge would lose every key. */
  @Test
  void whatAnswersTrueHasNoFingerprints() {
    QuotientConstruction faulty = new QuotientConstruction(image -> image[70] ^= 1);
    FilterImage image =
        faulty.build(QuotientSizing.forRate(0.01), buffer(distinct(6, 1000)), null, true);
    ImageFilter filter = Filters.open(image.buffer());
    assertThrows(FilterFormatException.class, () -> QuotientFilter.fingerprints(filter));
    assertThrows(FilterFormatException.class, () -> QuotientFilter.thaw(filter));
  }

  /** Runs as long as the table, and clusters: both are walked through by each probe of theirs. */
  @ParameterizedTest
  @EnumSource
  void craftedKeys(QuotientScheme scheme) {
    int keys = 300_000;
    Random random = new Random(1);
    List<long[]> sets = new ArrayList<>();
    for (int kind = 0; kind < 4; kind++) {
      long[] hashes = new long[keys];
      for (int i = 0; i < keys; i++) {
        long mixed =
            switch (kind) {
              case 0 -> i; // a single quotient
              case 1 -> -1L - ((long) i << 20); // the last ones
              case 2 -> i < 400 ? i : ((long) i << 45) - 1; // displaced by 400 slots
              default -> random.nextLong() >>> 20; // a small part of the table
            };
        hashes[i] = unmix(mixed);
      }
      sets.add(hashes);
    }
    for (double rate : new double[] {0.01, 4e-15}) {
      FilterBuilder builder = FilterBuilder.of(QuotientSizing.forRate(rate, scheme));
      for (long[] hashes : sets) {
        FilterImage image = build(builder, hashes);
        MembershipFilter filter = image.open();
        assertFalse(answersAll(image));
        for (int i = 0; i < keys; i += 10_000) {
          assertTrue(filter.mightContain(hashes[i]));
        }
      }
    }
  }

  @Test
  void sizesOfNothing() {
    QuotientSizing sizing = QuotientSizing.forRate(0.01);
    assertEquals(64, sizing.expectedImageBytes(0));
    assertEquals(64, FilterBuilder.of(sizing).finish().sizeInBytes());
    for (int keys : new int[] {1, 60, 61, 62, 1000, 50_000}) {
      for (double rate : new double[] {0.3, 0.01, 4e-15}) {
        QuotientSizing other = QuotientSizing.forRate(rate);
        FilterImage image = build(FilterBuilder.of(other), distinct(8, keys));
        int block = ((QuotientLayout) image.layout()).shape().blockBytes();
        long over = image.sizeInBytes() - other.expectedImageBytes(keys);
        assertTrue(over == 0 || over == block, over + " bytes more for " + keys + " keys");
      }
    }
  }
}
