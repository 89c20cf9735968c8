package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
  @Test
  void whatCameIsFoundAndSortedInEachWidth() {
    for (int fingerprintBits = 16; fingerprintBits <= 56; fingerprintBits++) {
      check(new SlotShape(fingerprintBits, false), 2, fingerprintBits, Arrivals.MOST);
      check(new SlotShape(fingerprintBits, true), 2, fingerprintBits, Arrivals.MOST);
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

  /** All partitions take in slots in turn, many of them several times. */
  private static void check(SlotShape shape, int partitionBits, long seed, int count) {
    String message = shape + ", " + partitionBits + " partition bits, seed " + seed;
    Random random = new Random(seed);
    Arrivals arrivals = new Arrivals(shape, partitionBits, Math.max(count, 1));
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
                  ? before.get(random.nextInt(before.size())) ^ (shape.deletes() ? 1 : 0)
                  : p * span + random.nextLong(span);
          assertFalse(arrivals.isFull(p), message);
          arrivals.append(p, slot);
          before.add(slot);
        }
      }
      for (int p = 0; p < came.size(); p++) {
        assertEquals(count > 0, arrivals.isFull(p), message);
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
      long key = shape.deletes() ? slot & ~1 : slot;
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
      if (shape.deletes()) {
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
