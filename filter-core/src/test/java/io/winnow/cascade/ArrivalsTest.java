package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArrivalsTest {
  @Test
  void whatCameIsFoundAndSortedInEachWidth() {
    for (int fingerprintBits = 16; fingerprintBits <= 56; fingerprintBits++) {
      check(new SlotShape(fingerprintBits, false), 2, fingerprintBits, MemoryLayout.MAX_ARRIVALS);
      check(new SlotShape(fingerprintBits, true), 2, fingerprintBits, MemoryLayout.MAX_ARRIVALS);
    }
  }

  /** Short fingerprints in a large memory level: there are fewer values than buckets. */
  @Test
  void narrowPartitionsAreSortedToo() {
    for (int partitionBits = 3; partitionBits <= 12; partitionBits++) {
      check(new SlotShape(16, false), partitionBits, partitionBits, 100);
      check(new SlotShape(16, true), partitionBits, partitionBits, 100);
    }
  }

  @Test
  void fewAndNoneAreSortedToo() {
    for (int count : new int[] {0, 1, 2, 3, 17}) {
      check(new SlotShape(41, false), 2, count, count);
      check(new SlotShape(41, true), 2, count, count);
    }
  }

  /**
   * A mark that is missing loses a key, and one too many a microsecond. So they are counted one by
   * one: the lowest bits of a fingerprint are its mark's number, of keys and tombstones alike.
   */
  @ParameterizedTest
  @CsvSource({
    "1, 32, false",
    "16, 32, true",
    "17, 64, true",
    "100, 256, false",
    "100, 256, true",
    "2048, 4096, false",
    "2048, 4096, true"
  })
  void thereAreTheMarksOfWhatCameAndNoOthers(int most, int marks, boolean deletes) {
    SlotShape shape = new SlotShape(41, deletes);
    int partitionBits = 2;
    Random random = new Random(most);
    Arrivals arrivals = new Arrivals(shape, new MemoryLayout(shape, partitionBits, most));
    BitSet[] expected = new BitSet[1 << partitionBits];
    for (int p = 0; p < expected.length; p++) {
      expected[p] = new BitSet(marks);
    }
    for (int i = 0; i < most; i++) {
      for (int p = 0; p < expected.length; p++) {
        long fingerprint = fingerprint(p, random.nextLong());
        boolean tombstone = deletes && random.nextBoolean();
        arrivals.append(p, tombstone ? shape.tombstone(fingerprint) : shape.slot(fingerprint));
        expected[p].set((int) (fingerprint & marks - 1));
      }
    }
    checkMarks(shape, arrivals, expected, marks);
    arrivals.clear(2);
    expected[2].clear();
    checkMarks(shape, arrivals, expected, marks);
    arrivals.clear();
    for (BitSet all : expected) {
      all.clear();
    }
    checkMarks(shape, arrivals, expected, marks);
  }

  /** Of 41 bits, with the partition's number in the top two. */
  private static long fingerprint(int partition, long bits) {
    return (long) partition << 39 | bits >>> 25;
  }

  private static void checkMarks(SlotShape shape, Arrivals arrivals, BitSet[] expected, int marks) {
    for (int p = 0; p < expected.length; p++) {
      for (long mark = 0; mark < marks; mark++) {
        for (long above : new long[] {0, -1L << 30 & (1L << 39) - 1}) {
          long fingerprint = fingerprint(p, 0) | above | mark;
          String message = shape + ", partition " + p + ", mark " + mark;
          boolean isSet = expected[p].get((int) mark);
          assertEquals(isSet, arrivals.isMarked(p, shape.slot(fingerprint)), message);
          if (shape.deletes) {
            assertEquals(isSet, arrivals.isMarked(p, shape.tombstone(fingerprint)), message);
          }
        }
      }
    }
  }

  /**
   * A key that was deleted counts as taken away; without its mark it would be as if never there.
   */
  @Test
  void aTombstoneAloneIsFound() {
    SlotShape shape = new SlotShape(41, true);
    Arrivals arrivals = new Arrivals(shape, new MemoryLayout(shape, 2, 10));
    long fingerprint = fingerprint(1, 77L << 25);
    arrivals.append(1, shape.tombstone(fingerprint));
    assertEquals(Copies.followedBy(Copies.NONE, true), arrivals.find(1, shape.slot(fingerprint)));
    arrivals.append(1, shape.slot(fingerprint));
    assertTrue(Copies.keys(arrivals.find(1, shape.slot(fingerprint))) > 0);
  }

  /** All partitions take in slots in turn, many of them several times. */
  private static void check(SlotShape shape, int partitionBits, long seed, int count) {
    String message = shape + ", " + partitionBits + " partition bits, seed " + seed;
    Random random = new Random(seed);
    MemoryLayout layout = new MemoryLayout(shape, partitionBits, Math.max(count, 1));
    Arrivals arrivals = new Arrivals(shape, layout);
    Arrivals.Batch batch = new Arrivals.Batch();
    long span = 1L << shape.bits() - partitionBits;
    for (int round = 0; round < 2; round++) {
      List<List<Long>> came = new ArrayList<>();
      for (int p = 0; p < 1 << partitionBits; p++) {
        came.add(new ArrayList<>());
      }
      for (int i = 0; i < count; i++) {
        for (int p = 0; p < came.size(); p++) {
          List<Long> before = came.get(p);
          boolean again = !before.isEmpty() && random.nextInt(4) == 0;
          long slot =
              again
                  ? before.get(random.nextInt(before.size())) ^ (shape.deletes ? 1 : 0)
                  : p * span + random.nextLong(span);
          assertTrue(arrivals.room(p) > 0, message);
          arrivals.append(p, slot);
          before.add(slot);
        }
      }
      for (int p = 0; p < came.size(); p++) {
        assertEquals(count > 0, arrivals.room(p) == 0, message);
        checkPartition(shape, arrivals, batch, p, came.get(p), message);
        arrivals.clear(p);
      }
    }
  }

  private static void checkPartition(
      SlotShape shape,
      Arrivals arrivals,
      Arrivals.Batch batch,
      int partition,
      List<Long> came,
      String message) {
    Map<Long, Long> copies = new TreeMap<>();
    for (long slot : came) {
      long key = shape.deletes ? slot & ~1 : slot;
      copies.merge(
          key,
          Copies.followedBy(Copies.NONE, slot != key),
          (older, newer) -> Copies.followedBy(older, newer));
    }
    long[] expected = new long[2 * came.size()];
    int n = 0;
    for (Map.Entry<Long, Long> entry : copies.entrySet()) {
      long key = entry.getKey();
      assertEquals(entry.getValue(), arrivals.find(partition, key), message);
      if (shape.deletes) {
        n = SlotBuffer.put(key >>> 1, entry.getValue(), false, expected, n);
      } else {
        expected[n++] = key;
      }
      long other = key ^ 2;
      if (!copies.containsKey(other)) {
        assertEquals(Copies.NONE, arrivals.find(partition, other), message);
      }
    }
    arrivals.sort(partition, batch);
    assertArrayEquals(
        Arrays.copyOf(expected, n), Arrays.copyOf(batch.sorted.slots, batch.sorted.size), message);
  }
}
