package io.winnow.quotient;

import static io.winnow.TestHashes.distinct;
import static io.winnow.TestHashes.splitMix;
import static io.winnow.TestHashes.unmix;
import static io.winnow.quotient.QuotientFilters.filled;
import static io.winnow.quotient.QuotientFilters.plain;
import static io.winnow.quotient.QuotientModelTest.contents;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import io.winnow.FilterImage;
import io.winnow.ImageFilter;
import io.winnow.KeyHash;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one filter does: insert, delete, iterate, freeze; for both layouts. */
class QuotientFilterTest {
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
    QuotientFilter ofHashes = filled(QuotientShape.ofSlots(100, 40), 42);
    assertThrows(IllegalStateException.class, ofHashes::keyHash);
    for (Executable byKey :
        List.<Executable>of(
            () -> ofHashes.insert(key),
            () -> ofHashes.insertIfAbsent(key),
            () -> ofHashes.delete(key),
            () -> ofHashes.mightContain(key))) {
      var e = assertThrows(IllegalStateException.class, byKey);
      assertTrue(e.getMessage().contains("hashedBy"), e.getMessage());
    }
    QuotientFilter byDefault = QuotientFilter.of(QuotientShape.ofSlots(100, 40));
    assertFalse(byDefault.mightContain(key));
    assertTrue(byDefault.insertIfAbsent(key));
    assertTrue(byDefault.mightContain(KeyHash.XXH3.hash(key)));
    assertEquals(KeyHash.XXH3, QuotientFilter.thaw(byDefault.freeze()).keyHash());
    QuotientFilter filter =
        QuotientFilter.of(QuotientShape.ofSlots(100, 40)).hashedBy(KeyHash.MURMUR3);
    filter.insert(key);
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
    assertThrows(IllegalStateException.class, () -> ofHashes.hashedBy(KeyHash.XXH3));
    assertTrue(thawed.insertIfAbsent(key));
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
}
