package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.PageFrames;
import io.winnow.flash.store.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CascadeFilterTest {
  @TempDir(factory = TempDirFactory.Standard.class)
  private Path directory;

  private static CascadeOptions options() {
    return CascadeOptions.defaults().memoryBudget(1 << 19).fanOut(2);
  }

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theRateIsWhatWasAskedForAtTheExpectedMaximum(boolean deletes) throws IOException {
    int keys = 500_000;
    double rate = 0.01;
    CascadeOptions options = options().deletes(deletes).rate(rate).expectedMaximum(keys);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      filter.insert(TestHashes.distinct(1, keys), 0, keys);
      filter.awaitMerges();
      int probes = 50_000;
      long[] absent = TestHashes.distinct(2, probes);
      int positives = filter.mightContain(absent, 0, probes).cardinality();
      double expected = filter.statistics().expectedRate();
      assertTrue(expected <= rate, "expected " + expected);
      assertEquals(expected, (double) positives / probes, 5 * Math.sqrt(expected / probes));
      CascadeStatistics statistics = filter.statistics();
      assertTrue(
          statistics.get(CascadeCount.LOOKUP_READS) <= (long) statistics.levels().size() * probes,
          statistics.toString());
    }
  }

  @Test
  void fingerprintsAreAsLongAsRateAndMaximumWant() throws IOException {
    CascadeOptions options = options().rate(1.0 / (1 << 11)).expectedMaximum(500_000_000);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertEquals(29 + 11, filter.fingerprintBits());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> options().rate(1e-9).expectedMaximum(1L << 40).shape());
  }

  /**
   * Thousands of keys whose fingerprints begin with the same 32 bits: no hash function does that,
   * and somebody may. Then runs cross pages, which is counted, and all is found.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void fingerprintsThatCrowdAreFoundAndCounted(boolean deletes) throws IOException {
    CascadeOptions options =
        options().deletes(deletes).rate(1e-6).expectedMaximum(1L << 36).durability(Durability.NONE);
    int keys = 8_000;
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      assertEquals(56, filter.fingerprintBits());
      for (int i = 0; i < keys; i++) {
        filter.insert(hashOf(0xCAFEBABEL << 24 | i * 2000L));
        filter.insert(TestHashes.splitMix(3, i));
      }
      filter.sync();
      filter.awaitMerges();
      for (int i = 0; i < keys; i += 20) {
        assertTrue(filter.mightContain(hashOf(0xCAFEBABEL << 24 | i * 2000L)));
        assertTrue(filter.mightContain(TestHashes.splitMix(3, i)));
        assertFalse(filter.mightContain(hashOf(0xCAFEBABEL << 24 | i * 2000L + 1)));
      }
      assertTrue(filter.statistics().get(CascadeCount.CROSSINGS) > 0);
      assertEquals(0, filter.statistics().get(CascadeCount.FAILED_LOOKUPS));
      try (Fingerprints fingerprints = Fingerprints.of(filter)) {
        int n = 0;
        while (fingerprints.next()) {
          n++;
        }
        assertEquals(2 * keys, n);
      }
    }
  }

  /** A hash with a fingerprint of 56 bits: the mixing backwards. */
  private static long hashOf(long fingerprint) {
    long x = fingerprint << 8;
    x *= inverse(0x94D049BB133111EBL);
    x ^= x >>> 29 ^ x >>> 58;
    x *= inverse(0xBF58476D1CE4E5B9L);
    return x ^ x >>> 32;
  }

  private static long inverse(long odd) {
    long x = odd;
    for (int i = 0; i < 6; i++) {
      x *= 2 - odd * x;
    }
    return x;
  }

  /** Of which the bits are to be in place, and every key is looked up once. */
  @Test
  void aLargeBatchIsAnsweredInParts() throws IOException {
    int all = 2 * Lookups.MAX_KEYS + 1000;
    CascadeOptions options = options().durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      long[] keys = TestHashes.distinct(12, all + 7);
      BitSet expected = new BitSet();
      for (int i = 0; i < all; i += 3) {
        filter.insert(keys[7 + i]);
        expected.set(i);
      }
      filter.sync();
      filter.awaitMerges();
      BitSet answers = filter.mightContain(keys, 7, all);
      assertEquals(all, filter.statistics().get(CascadeCount.LOOKUPS));
      BitSet lost = (BitSet) expected.clone();
      lost.andNot(answers);
      assertTrue(lost.isEmpty(), lost.toString());
      answers.andNot(expected);
      double falsePositives = all * filter.statistics().expectedRate();
      assertTrue(answers.cardinality() <= falsePositives + 5 * Math.sqrt(falsePositives) + 1);
    }
  }

  @Test
  void aKeyThatIsInsertedAgainAndAgainTakesNoMoreRoom() throws IOException {
    try (CascadeFilter filter =
        CascadeFilter.open(directory, options().durability(Durability.NONE))) {
      for (int i = 0; i < 200_000; i++) {
        filter.insert(i % 1000);
      }
      filter.sync();
      filter.awaitMerges();
      assertEquals(1000, filter.statistics().levels().stream().mapToLong(l -> l.entries()).sum());
    }
  }

  /** Deletes of what is not there take nothing from what comes after them. */
  @Test
  void anInsertAfterADeleteStays() throws IOException {
    CascadeOptions few = options().deletes(true).durability(Durability.NONE).expectedMaximum(100);
    for (int memory = 1 << 19; memory <= 1 << 22; memory *= 2) {
      Path each = directory.resolve("memory-" + memory);
      try (CascadeFilter filter = CascadeFilter.open(each, few.memoryBudget(memory))) {
        filter.delete(42);
        filter.insert(42);
        assertTrue(filter.mightContain(42));
        filter.sync();
        assertTrue(filter.mightContain(42), "after it was written, " + memory + " bytes of memory");
      }
    }
  }

  @Test
  void insertsAndDeletesThatMeetLeaveNothing() throws IOException {
    CascadeOptions options = options().deletes(true).durability(Durability.NONE);
    try (CascadeFilter filter = CascadeFilter.open(directory, options)) {
      for (int i = 0; i < 100_000; i++) {
        filter.insert(i);
      }
      filter.sync();
      for (int i = 0; i < 100_000; i++) {
        filter.delete(i);
      }
      filter.sync();
      for (int i = 0; i < 1000; i++) {
        assertFalse(filter.mightContain(i));
      }
      try (Fingerprints fingerprints = Fingerprints.of(filter)) {
        assertFalse(fingerprints.next());
      }
      filter.insert(5);
      filter.insert(5);
      filter.delete(5);
      assertTrue(filter.mightContain(5));
      filter.delete(5);
      assertFalse(filter.mightContain(5));
      filter.delete(5);
      filter.insert(5);
      assertTrue(filter.mightContain(5), "a delete too many is no debt");
    }
  }

  @Test
  void misuseIsRefused() throws IOException {
    CascadeOptions options = options();
    assertThrows(IllegalArgumentException.class, () -> options.memoryBudget(1000));
    assertThrows(IllegalArgumentException.class, () -> options.memoryBudget(1L << 50));
    assertThrows(IllegalArgumentException.class, () -> options.fanOut(1));
    assertThrows(IllegalArgumentException.class, () -> options.rate(0));
    assertThrows(IllegalArgumentException.class, () -> options.mergeThreads(0));
    assertThrows(IllegalArgumentException.class, () -> options.pageBytes(5000));
    assertThrows(IllegalArgumentException.class, () -> Durability.everyN(0));
    CascadeFilter filter = CascadeFilter.open(directory, options);
    assertThrows(IllegalStateException.class, () -> filter.delete(1));
    assertThrows(IllegalArgumentException.class, () -> filter.setFanOut(0));
    filter.close();
    assertThrows(IllegalStateException.class, () -> filter.insert(1));
    assertThrows(IllegalStateException.class, () -> filter.mightContain(1));
    filter.close();
  }
}
