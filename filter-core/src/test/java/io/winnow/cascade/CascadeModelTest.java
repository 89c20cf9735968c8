package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.drive.PageFrames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Long random sequences of operations against a plain map of fingerprints to copies. */
class CascadeModelTest {
  @TempDir private Path directory;

  @AfterEach
  void everyFrameIsClosed() {
    assertEquals(0, PageFrames.liveFrames());
  }

  @ParameterizedTest
  @Tag("long")
  @CsvSource({
    // fan-out, deletes, merge threads, expected maximum, rate; the last with many collisions
    "2, false, 1, 1000000, 0.0004",
    "4, false, 2, 1000000, 0.01",
    "2, true, 1, 1000000, 0.0004",
    "3, true, 2, 100000, 0.3",
  })
  void answersAsTheModelDoes(int fanOut, boolean deletes, int threads, long maximum, double rate)
      throws IOException {
    long seed = 7 * fanOut + threads;
    Random random = new Random(seed);
    CascadeOptions options =
        CascadeOptions.defaults()
            .memoryBudget(1 << 19)
            .fanOut(fanOut)
            .deletes(deletes)
            .mergeThreads(threads)
            .expectedMaximum(maximum)
            .rate(rate);
    Map<Long, Integer> copies = new HashMap<>();
    long inserted = 0;
    int levels = 0;
    long merged = 0;
    CascadeFilter filter = CascadeFilter.open(directory, options);
    try {
      for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 60_000; i++) {
          boolean repeat = inserted > 0 && random.nextInt(10) == 0;
          if (deletes && inserted > 0 && random.nextInt(4) == 0) {
            long key = TestHashes.splitMix(seed, random.nextLong(inserted));
            filter.delete(key);
            copies.merge(filter.shape.fingerprint(key), -1, (a, b) -> a == 0 ? 0 : a + b);
            copies.computeIfPresent(filter.shape.fingerprint(key), (f, n) -> Math.max(n, 0));
          } else {
            long key = TestHashes.splitMix(seed, repeat ? random.nextLong(inserted) : inserted++);
            filter.insert(key);
            copies.merge(filter.shape.fingerprint(key), 1, deletes ? Integer::sum : (a, b) -> 1);
          }
        }
        if (round % 3 == 1) {
          filter.awaitMerges();
          merged += filter.statistics().get(CascadeCount.ENTRIES_MERGED);
          filter.close();
          filter = CascadeFilter.open(directory, options);
        }
        if (round % 4 == 2) {
          filter.awaitMerges();
        }
        checkLookups(filter, copies, seed, inserted, random, "seed " + seed + " round " + round);
        levels = Math.max(levels, filter.statistics().levels().size());
        if (round % 4 == 3) {
          checkFingerprints(filter, copies);
        }
      }
      filter.awaitMerges();
      CascadeStatistics statistics = filter.statistics();
      merged += statistics.get(CascadeCount.ENTRIES_MERGED);
      assertTrue(levels > 1 || maximum < 1_000_000, statistics.toString());
      assertTrue(merged > (maximum < 1_000_000 ? 0 : 300_000), statistics.toString());
      assertEquals(0, statistics.get(CascadeCount.FAILED_LOOKUPS), statistics.toString());
      assertEquals(0, statistics.get(CascadeCount.CROSSINGS), statistics.toString());
      assertEquals(null, statistics.lastMergeFailure());
    } finally {
      filter.close();
    }
  }

  private static void checkLookups(
      CascadeFilter filter,
      Map<Long, Integer> copies,
      long seed,
      long inserted,
      Random random,
      String message) {
    long[] keys = new long[2000];
    BitSet expected = new BitSet();
    for (int i = 0; i < keys.length; i++) {
      keys[i] = TestHashes.splitMix(seed, random.nextLong(2 * inserted));
      expected.set(i, copies.getOrDefault(filter.shape.fingerprint(keys[i]), 0) > 0);
    }
    for (int i = 0; i < 300; i++) {
      assertEquals(expected.get(i), filter.mightContain(keys[i]), message + " key " + i);
    }
    assertEquals(expected, filter.mightContain(keys, 0, keys.length), message);
  }

  private static void checkFingerprints(CascadeFilter filter, Map<Long, Integer> copies)
      throws IOException {
    Map<Long, Integer> present = new TreeMap<>();
    copies.forEach(
        (fingerprint, count) -> {
          if (count > 0) {
            present.put(fingerprint, count);
          }
        });
    try (Fingerprints fingerprints = Fingerprints.of(filter)) {
      for (Map.Entry<Long, Integer> entry : present.entrySet()) {
        for (int i = 0; i < entry.getValue(); i++) {
          assertTrue(fingerprints.next());
          assertEquals(entry.getKey(), fingerprints.fingerprint());
        }
      }
      assertFalse(fingerprints.next());
    }
  }

  @Test
  void anEmptyFilterHasNothing() throws IOException {
    try (CascadeFilter filter = CascadeFilter.open(directory, CascadeOptions.defaults())) {
      assertFalse(filter.mightContain(0));
      assertEquals(0, filter.mightContain(new long[] {1, 2, 3}, 0, 3).cardinality());
      try (Fingerprints fingerprints = Fingerprints.of(filter)) {
        assertFalse(fingerprints.next());
      }
      filter.sync();
    }
  }
}
