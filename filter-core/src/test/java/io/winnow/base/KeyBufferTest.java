package io.winnow.base;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.Allocation;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyBufferTest {

  private static Set<Long> contents(KeyBuffer keys) {
    Set<Long> contents = new HashSet<>();
    for (int segment = 0; segment < keys.segments(); segment++) {
      for (int i = 0; i < keys.segmentSize(segment); i++) {
        contents.add(keys.segment(segment)[i]);
      }
    }
    return contents;
  }

  /** However often they come, hashes take memory a few times at most. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 64, 700, 1025, 5000, 40_000, 100_000})
  void repeatsDoNotGrowIt(int distinct) {
    for (int set = 0; set < (distinct <= 3 ? 40 : 2); set++) {
      KeyBuffer keys = new KeyBuffer();
      int most = 0;
      for (int i = 0; i < 800_000; i++) {
        keys.add(splitMix(set, i % distinct));
        most = Math.max(most, keys.count());
      }
      assertTrue(most <= Math.max(8192, 3 * distinct), most + " held of " + distinct);
      assertEquals(distinct, contents(keys).size());
      keys.dropRepeats();
      assertEquals(distinct, keys.count());
      assertEquals(distinct, contents(keys).size());
      assertTrue(keys.isDistinct());
    }
  }

  /** One hash makes up most of all that comes, but is hidden between others. */
  @Test
  void aFrequentHashDoesNotGrowIt() {
    for (long frequent = 0; frequent < 200; frequent++) {
      KeyBuffer keys = new KeyBuffer();
      for (int i = 0; i < 40_000; i++) {
        keys.add(i % 8 == 0 ? splitMix(3, i) : (i & 1) == 0 ? frequent : -frequent - 1);
      }
      assertTrue(keys.count() <= 3 * 5002 + 4096, keys.count() + " of 5002");
      keys.dropRepeats();
      assertEquals(5002, keys.count());
    }
  }

  @Test
  void keepsAllWhereNothingIsRepeated() {
    KeyBuffer keys = new KeyBuffer();
    int count = 300_000;
    for (int i = 0; i < count; i++) {
      keys.add(splitMix(1, i));
      keys.add(splitMix(1, i)); // adjacent repeats are dropped at once
      assertEquals(i + 1, keys.count());
    }
    assertFalse(keys.isDistinct());
    for (int i = 0; i < count; i++) {
      assertEquals(splitMix(1, i), keys.get(i));
    }
    for (int i = 0; i < count; i++) {
      assertEquals(splitMix(1, i), keys.get(i));
    }
    keys.dropRepeats();
    assertEquals(count, keys.count());
    keys.clear();
    assertEquals(0, keys.count());
    assertEquals(0, keys.segments());
  }

  /** Only a hash that is equal in every bit is a repeat of the one before it. */
  @Test
  void hashesThatDifferInOneBitAreKept() {
    KeyBuffer keys = new KeyBuffer();
    keys.add(0); // which no hash before it is equal to
    assertEquals(1, keys.count());
    long hash = 0;
    for (int bit = 0; bit < 64; bit++) {
      hash ^= 1L << bit;
      keys.add(hash);
      keys.add(hash);
      assertEquals(bit + 2, keys.count());
    }
    keys.dropRepeats();
    assertEquals(65, keys.count());
  }

  @Test
  void manyAtOnceAreAsOneByOne() {
    long[] hashes = new long[20_000];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = splitMix(2, i / 2);
    }
    KeyBuffer keys = new KeyBuffer();
    keys.add(hashes, 1, 0);
    assertEquals(0, keys.count());
    keys.add(hashes, 1, 10_001);
    keys.add(hashes, 10_002, 9_998);
    assertEquals(10_000, keys.count());
    assertThrows(IndexOutOfBoundsException.class, () -> keys.add(hashes, 1, hashes.length));
    assertThrows(IndexOutOfBoundsException.class, () -> keys.add(hashes, -1, 2));
    assertEquals(10_000, keys.count());
  }

  @Test
  void clearForgetsTheLastHash() {
    KeyBuffer keys = new KeyBuffer();
    keys.add(7);
    keys.clear();
    keys.add(7);
    assertEquals(1, keys.count());
  }

  @Test
  void servesAgainAfterALargeFilter() {
    KeyBuffer keys = new KeyBuffer();
    for (int count : new int[] {1_000_000, 10, 5000, 300_000}) {
      for (int i = 0; i < count; i++) {
        keys.add(splitMix(4, i));
      }
      assertEquals(count, keys.count());
      assertEquals(count, contents(keys).size());
      keys.clear();
    }
  }

  /** The sample of the filter before, which had no repeats, does not stand for this one. */
  @Test
  void repeatsDoNotGrowItAfterAFilterWithoutAny() {
    KeyBuffer keys = new KeyBuffer();
    addDistinct(keys, 100_000);
    keys.clear();
    for (int i = 0; i < 80_000; i++) {
      keys.add(splitMix(6, i % 5000));
    }
    assertTrue(keys.count() <= 3 * 5000, keys.count() + " held of 5000");
  }

  /**
   * What an ordinary filter needs is not taken anew each time, what a large one needed is given.
   */
  @Test
  void memoryOfAnOrdinarySizeIsKept() {
    KeyBuffer keys = new KeyBuffer();
    Runnable ordinary = () -> addDistinct(keys, 500_000);
    Runnable large = () -> addDistinct(keys, 1_500_000);
    large.run();
    keys.clear();
    assertTrue(Allocation.bytesOf(ordinary) < 500_000);
    keys.clear();
    assertTrue(Allocation.bytesOf(large) > 5_000_000);
  }

  private static void addDistinct(KeyBuffer keys, int count) {
    for (int i = 0; i < count; i++) {
      keys.add(splitMix(5, i));
    }
  }
}
