package io.winnow.ribbon;

import static io.winnow.TestHashes.distinct;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BucketSorterTest {
  private final BucketSorter sorter = new BucketSorter();

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
    sorter.sort(hashes, count, 0, someSlots);
    long[] sorted = sorter.sorted();
    assertEquals(count, sorter.count());
    int place = 0;
    long sum = 0;
    for (int i = 0; i < count; i++) {
      while (sorter.ends()[place] == i) {
        place++;
      }
      int start = RibbonHasher.plainStart(sorted[i], starts);
      int third = start % 128 < 17 ? 0 : start % 128 < 36 ? 1 : 2;
      assertEquals(3 * (start / 128) + third, place, "key " + i + " of " + count);
      sum += sorted[i];
    }
    assertEquals(sum, sorter.sum());
    assertEquals(count, sorter.ends()[3 * BumpedLayer.buckets(someSlots) - 1]);
    long[] expected = Arrays.stream(hashes).limit(count).map(h -> RibbonHasher.mix(h, 0)).toArray();
    long[] actual = Arrays.copyOf(sorted, count);
    Arrays.sort(expected);
    Arrays.sort(actual);
    assertArrayEquals(expected, actual);
  }
}
