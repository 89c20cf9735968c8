package io.winnow.ribbon;

import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KeySorterTest {
  private final KeySorter sorter = new KeySorter();

  /** One sorter for all, so that what it kept from the set before must not show. */
  @Test
  void sortsByBucketAndThirdAndKeepsEveryKey() {
    for (int count :
        new int[] {70_000, 0, 1, 2, 511, 513, 1024, 1500, 5000, 30_000, 155_000, 600_000}) {
      assertSorts(distinct(count, count), count, (int) BumpedRibbonSizing.slots(count));
    }
  }

  @Test
  void fewStartsForManyKeysAndManyForFew() {
    assertSorts(distinct(1, 20_000), 20_000, 64);
    assertSorts(distinct(1, 20_000), 20_000, 128);
    assertSorts(distinct(1, 1000), 1000, 1 << 20);
    assertSorts(RibbonHashes.crowded(20_000), 20_000, 19_200);
  }

  private void assertSorts(long[] hashes, int count, int slots) {
    int someSlots = Math.max(64, slots);
    long starts = BumpedLayer.starts(someSlots);
    sorter.sortByThird(RibbonHashes.buffer(hashes), 0, someSlots);
    long[] sorted = sorter.mixed;
    assertEquals(count, sorter.count);
    int place = 0;
    long sum = 0;
    for (int i = 0; i < count; i++) {
      while (sorter.end(place) == i) {
        place++;
      }
      int start = RibbonHasher.plainStart(sorted[i], starts);
      int third = start % 128 < 17 ? 0 : start % 128 < 36 ? 1 : 2;
      assertEquals(3 * (start / 128) + third, place, "key " + i + " of " + count);
      sum += sorted[i];
    }
    assertEquals(sum, sorter.sum);
    assertEquals(count, sorter.end(sorter.parts - 1));
    assertEquals(3 * BumpedLayer.buckets(someSlots), sorter.parts);
    assertHolds(hashes);
  }

  /** Partitions follow each other in the order of the mixed hashes, taken as unsigned. */
  @Test
  void partitionsInTheOrderOfMixedHashes() {
    for (int count : new int[] {70_000, 0, 1, 2, 999, 1000, 5000, 155_000}) {
      long[] hashes = distinct(count, count);
      sorter.partition(RibbonHashes.buffer(hashes), 0);
      assertEquals(count, sorter.count);
      assertEquals(count / 1000 + 1, sorter.parts);
      int begin = 0;
      long last = 0;
      for (int part = 0; part < sorter.parts; part++) {
        long[] mixed = Arrays.copyOfRange(sorter.mixed, begin, sorter.end(part));
        begin = sorter.end(part);
        for (int i = 0; i < mixed.length; i++) {
          mixed[i] ^= Long.MIN_VALUE; // the order is that of unsigned numbers
        }
        Arrays.sort(mixed);
        for (long x : mixed) {
          assertTrue(Long.compareUnsigned(last, x ^ Long.MIN_VALUE) <= 0, "part " + part);
          last = x ^ Long.MIN_VALUE;
        }
      }
      assertEquals(count, begin);
      assertHolds(hashes);
    }
  }

  private void assertHolds(long[] hashes) {
    int count = hashes.length;
    long[] expected = Arrays.stream(hashes).map(h -> RibbonHasher.mix(h, 0)).toArray();
    long[] actual = Arrays.copyOf(sorter.mixed, count);
    Arrays.sort(expected);
    Arrays.sort(actual);
    assertArrayEquals(expected, actual);
  }
}
