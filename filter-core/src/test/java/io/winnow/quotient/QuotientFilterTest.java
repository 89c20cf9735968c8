package io.winnow.quotient;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static io.winnow.TestHashes.unmix;
import static io.winnow.quotient.QuotientModelTest.contents;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import io.winnow.FilterBuilder;
import io.winnow.FilterImage;
import io.winnow.ImageFilter;
import io.winnow.TestHashes;
import io.winnow.hash.KeyHash;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QuotientFilterTest {

  private static QuotientFilter filled(QuotientShape shape, long... hashes) {
    return filled(QuotientFilter.of(shape), hashes);
  }

  private static QuotientFilter filled(QuotientFilter filter, long... hashes) {
    for (long hash : hashes) {
      filter.insert(hash);
    }
    return filter;
  }

  private static PlainQuotientReader plain(QuotientFilter filter) {
    FilterImage image = filter.toImage();
    byte[] bytes = new byte[image.sizeInBytes()];
    image.buffer().get(bytes);
    return new PlainQuotientReader(bytes);
  }

  private static void assertHoldsAll(QuotientFilter filter, long[] hashes) {
    for (long hash : hashes) {
      assertTrue(filter.mightContain(hash), filter.shape()::toString);
    }
  }

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

  @ParameterizedTest
  @EnumSource
  void severalAtOnceAreAsOneByOne(QuotientScheme scheme) {
    long[] hashes = distinct(3, 20_000);
    QuotientShape shape =
        QuotientShape.ofFingerprintBits(24, 50).with(scheme); // it grows meanwhile
    QuotientFilter filter = QuotientFilter.of(shape);
    Random random = new Random(3);
    for (int from = 0, count; from < hashes.length; from += count) {
      count = Math.min(hashes.length - from, random.nextInt(200));
      filter.insert(hashes, from, count);
    }
    assertEquals(contents(filled(shape, hashes).fingerprints()), contents(filter.fingerprints()));
    long[] asked = distinct(4, 20_000);
    System.arraycopy(hashes, 0, asked, 5000, 5000);
    for (int from = 0, count; from < asked.length; from += count) {
      count = Math.min(asked.length - from, 1 + random.nextInt(64));
      long answers = filter.mightContain(asked, from, count);
      for (int i = 0; i < Long.SIZE; i++) {
        boolean expected = i < count && filter.mightContain(asked[from + i]);
        assertEquals(expected, (answers >>> i & 1) == 1);
      }
    }
    assertThrows(IndexOutOfBoundsException.class, () -> filter.insert(hashes, 19_999, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> filter.mightContain(hashes, 19_999, 2));
    assertThrows(IllegalArgumentException.class, () -> filter.mightContain(hashes, 0, 65));
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

  @Test
  void keysOfAnImageOfSoManyBytes() {
    for (double rate : new double[] {0.5, 0.01, 1e-9}) {
      QuotientSizing sizing = QuotientSizing.forRate(rate);
      assertEquals(1, sizing.keyLimit(0));
      long before = 1;
      for (long bytes = 1; bytes < 1L << 50; bytes *= 2) {
        long keys = sizing.keyLimit(bytes);
        assertTrue(keys >= before && keys <= QuotientShape.MAX_SLOTS, keys + " in " + bytes);
        assertTrue(keys == 1 || sizing.expectedImageBytes(keys) <= bytes);
        before = keys;
      }
    }
  }

  /** Rates that need more than 2^62 fingerprints get those that there are, and lose no key. */
  @Test
  void ratesBelowAllHashes() {
    for (double rate : new double[] {1e-9, 1e-14, 1e-18, Double.MIN_VALUE}) {
      for (int keys : new int[] {1, 2, 63, 64, 65, 1000, 100_000}) {
        long[] hashes = distinct(1, keys);
        FilterBuilder builder = FilterBuilder.of(QuotientSizing.forRate(rate));
        FilterImage image = TestHashes.build(builder, hashes);
        assertTrue(
            image.layout().estimatedRate() <= Math.max(rate, Math.scalb(1.0 + keys / 16.0, -56)));
      }
    }
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
            new Case(() -> QuotientShape.forKeys(1L << 31, 0.01), "2147483648 keys"),
            new Case(() -> QuotientShape.forKeys(-1, 0.01), "-1 keys"),
            new Case(() -> QuotientSizing.forRate(0.01).expectedImageBytes(-1), "-1 keys"),
            new Case(() -> QuotientShape.forKeys(Long.MAX_VALUE, 0.01), "9223372036854775807 keys"),
            new Case(() -> QuotientShape.forKeys(Long.MAX_VALUE / 50, 0.01), "184467440737095516"),
            new Case(() -> QuotientFilter.merge(List.of()), "nothing"),
            new Case(() -> QuotientMerge.of(List.of()), "nothing"),
            new Case(
                () ->
                    QuotientFilter.merge(
                        List.of(filter, QuotientFilter.of(filter.shape()).hashedBy(KeyHash.XXH3))),
                "hashed by null and by XXH3"),
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

  @ParameterizedTest
  @EnumSource
  void deletesWhatIsThereAndRefusesTheRest(QuotientScheme scheme) {
    long[] hashes = distinct(4, 700);
    QuotientFilter filter = filled(QuotientShape.ofSlots(1000, 40).with(scheme), hashes);
    assertFalse(filter.delete(splitMix(5, 0)));
    assertFalse(filter.delete(splitMix(5, 1)));
    assertEquals(2, filter.refusedDeletes());
    assertEquals(700, filter.count());
    for (int i = 0; i < 350; i++) {
      assertTrue(filter.delete(hashes[i]));
    }
    for (int i = 0; i < 700; i++) {
      assertEquals(i >= 350, filter.mightContain(hashes[i]));
    }
    assertFalse(filter.delete(hashes[0]));
    assertEquals(3, filter.refusedDeletes());
    assertEquals(3, filter.copy().refusedDeletes());
    filter.clear();
    assertEquals(0, filter.refusedDeletes());
    assertFalse(filter.mightContain(hashes[400]));
  }

  /** The hazard that the documentation speaks of, and why insert is a multiset. */
  @Test
  void keysWithOneFingerprintAreToldApartByNumberAlone() {
    long one = unmix(1);
    long two = unmix(2); // the fingerprint is that of the top bits when mixed
    QuotientFilter multiset = filled(QuotientShape.ofSlots(10, 4), one, two);
    assertEquals(2, multiset.count());
    assertTrue(multiset.delete(one));
    assertTrue(multiset.mightContain(two));

    QuotientFilter set = QuotientFilter.of(QuotientShape.ofSlots(10, 4));
    assertTrue(set.insertIfAbsent(one));
    assertFalse(set.insertIfAbsent(two));
    assertTrue(set.delete(one));
    assertFalse(set.mightContain(two), "went with the other");
  }

  /** A run of thousands: offsets that a byte cannot say, and blocks without an end of a run. */
  @ParameterizedTest
  @EnumSource
  void oneFingerprintManyTimes(QuotientScheme scheme) {
    QuotientFilter filter =
        QuotientFilter.of(QuotientShape.ofSlots(5000, 9).with(scheme)).growing(QuotientGrowth.NONE);
    Random random = new Random(1);
    long one = 0x2000_0000_0000_0000L;
    for (int i = 0; i < 3000; i++) {
      filter.insert(i % 3 == 0 ? random.nextLong() : one);
    }
    assertEquals(contents(filter.fingerprints()), plain(filter).fingerprints());
    for (int i = 0; i < 2000; i++) {
      assertTrue(filter.delete(one));
      if (i % 100 == 0) {
        assertEquals(contents(filter.fingerprints()), plain(filter).fingerprints());
      }
    }
    assertEquals(1000, filter.count());
    assertEquals(contents(filter.fingerprints()), plain(filter).fingerprints());
  }

  /** Every fingerprint of the highest quotient: all of them but one run over the end. */
  @ParameterizedTest
  @EnumSource
  void runsOverTheEndAddBlocks(QuotientScheme scheme) {
    QuotientShape shape = QuotientShape.ofSlots(640, 10).with(scheme);
    QuotientFilter filter = QuotientFilter.of(shape).growing(QuotientGrowth.NONE);
    long before = filter.sizeInBytes();
    for (int i = 0; i < shape.capacity(); i++) {
      filter.insert(unmix(-1L - i));
    }
    assertTrue(filter.sizeInBytes() > before);
    assertTrue(filter.mightContain(unmix(-1)));
    assertFalse(filter.mightContain(unmix(0)));
    assertEquals(filter.count(), plain(filter).fingerprints().size());
    for (int i = 0; i < shape.capacity(); i++) {
      assertTrue(filter.delete(unmix(-1L - i)));
    }
    assertEquals(List.of(), contents(filter.fingerprints()));
    filter.insert(7);
    assertEquals(
        filled(shape, 7).toImage().buffer(), filter.toImage().buffer(), "nothing is left of them");
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
  void iterationEndsWithAChange() {
    QuotientFilter filter = filled(QuotientShape.ofSlots(100, 7), distinct(7, 50));
    for (Runnable change :
        List.<Runnable>of(
            () -> filter.insert(1),
            () -> filter.delete(1),
            () -> filter.insertIfAbsent(1),
            () -> filter.insert(distinct(8, 10), 0, 10),
            filter::doubleSlots,
            filter::halveSlots,
            () -> filter.insert(distinct(9, 100), 0, 100), // it grows
            filter::clear)) {
      FingerprintCursor cursor = filter.fingerprints();
      assertEquals(filter.count() > 0, cursor.next());
      change.run();
      assertThrows(ConcurrentModificationException.class, cursor::next);
    }
  }

  /** What changes nothing does not disturb a reader either. */
  @Test
  void iterationOutlivesWhatIsRefused() {
    QuotientFilter filter = filled(QuotientShape.ofSlots(100, 40), distinct(7, 50));
    FingerprintCursor cursor = filter.fingerprints();
    assertFalse(filter.insertIfAbsent(splitMix(7, 0)));
    assertFalse(filter.delete(1));
    assertTrue(filter.mightContain(splitMix(7, 1)));
    assertEquals(50, contents(cursor).size());
  }

  @Test
  void keysAsBytesAreHashedByTheRecordedFunction() {
    byte[] key = {1, 2, 3};
    QuotientFilter filter = QuotientFilter.of(QuotientShape.ofSlots(100, 40));
    assertThrows(IllegalStateException.class, filter::keyHash);
    for (Executable byKey :
        List.<Executable>of(
            () -> filter.insert(key),
            () -> filter.insertIfAbsent(key),
            () -> filter.delete(key),
            () -> filter.mightContain(key))) {
      var e = assertThrows(IllegalStateException.class, byKey);
      assertTrue(e.getMessage().contains("hashedBy"), e.getMessage());
    }
    filter.hashedBy(KeyHash.MURMUR3).insert(key);
    assertEquals(KeyHash.MURMUR3, filter.keyHash());
    assertTrue(filter.mightContain(key) && filter.mightContain(KeyHash.MURMUR3.hash(key)));
    assertFalse(filter.mightContain(KeyHash.XXH3.hash(key)));
    assertFalse(filter.insertIfAbsent(key));
    QuotientFilter thawed = QuotientFilter.thaw(filter.freeze());
    assertEquals(KeyHash.MURMUR3, thawed.keyHash());
    assertTrue(thawed.delete(key));
    assertEquals(0, thawed.count());
    filter.hashedBy(KeyHash.MURMUR3);
    assertThrows(IllegalStateException.class, () -> filter.hashedBy(KeyHash.XXH3));
    thawed.hashedBy(KeyHash.XXH3); // it is empty
    QuotientFilter ofHashes = filled(QuotientShape.ofSlots(100, 40), 42);
    assertThrows(IllegalStateException.class, () -> ofHashes.hashedBy(KeyHash.XXH3));
    assertTrue(thawed.insertIfAbsent(key));
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
  void frozenIsACopyForReaders() {
    long[] hashes = distinct(8, 500);
    QuotientFilter filter =
        filled(QuotientFilter.of(QuotientShape.ofSlots(1000, 30)).hashedBy(KeyHash.XXH3), hashes);
    ImageFilter frozen = filter.freeze();
    filter.clear();
    for (long hash : hashes) {
      assertTrue(frozen.mightContain(hash));
    }
    assertEquals(KeyHash.XXH3.id(), frozen.layout().hashId());
    QuotientFilter thawed = QuotientFilter.thaw(frozen);
    thawed.delete(hashes[0]);
    assertTrue(frozen.mightContain(hashes[0]));
    assertFalse(thawed.mightContain(hashes[0]));
    assertEquals(KeyHash.XXH3.id(), thawed.toImage().layout().hashId());
  }

  @Test
  void mergedFiltersAreOfTheSameHash() {
    QuotientShape shape = QuotientShape.ofSlots(100, 30);
    QuotientFilter left =
        filled(QuotientFilter.of(shape).hashedBy(KeyHash.MURMUR3), distinct(12, 90));
    QuotientFilter right =
        filled(QuotientFilter.of(shape).hashedBy(KeyHash.MURMUR3), distinct(13, 90));
    FilterImage merged = QuotientFilter.merge(List.of(left, right)).toImage();
    assertEquals(KeyHash.MURMUR3.id(), merged.layout().hashId());
  }

  @ParameterizedTest
  @EnumSource
  void changesAndIterationAllocateNothing(QuotientScheme scheme) {
    long[] hashes = distinct(9, 20_000);
    QuotientFilter filter =
        filled(QuotientShape.ofFingerprintBits(30, 30_000).with(scheme), hashes);
    long[] sum = new long[1];
    FingerprintCursor[] cursors = new FingerprintCursor[30];
    int[] round = new int[1];
    Runnable work =
        () -> {
          FingerprintCursor cursor = cursors[round[0]++];
          while (cursor.next()) {
            sum[0] += cursor.fingerprint();
          }
          for (long hash : hashes) {
            sum[0] += filter.mightContain(~hash) ? 1 : 0;
          }
        };
    Runnable changing =
        () -> {
          for (long hash : hashes) {
            filter.delete(hash);
            filter.insert(hash);
          }
        };
    Arrays.setAll(cursors, i -> filter.fingerprints());
    for (int i = 0; i < 20; i++) {
      work.run();
    }
    long allocated = Allocation.bytesOf(work);
    changing.run();
    allocated += Allocation.bytesOf(changing);
    assertTrue(allocated < 10_000, allocated + " bytes");
  }

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
}
