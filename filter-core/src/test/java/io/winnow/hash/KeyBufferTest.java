package io.winnow.hash;

import static io.winnow.TestHashes.splitMix;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyBufferTest {
  /** However often they come, hashes take memory once. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 64, 700, 1025, 5000, 40_000})
  void repeatsDoNotGrowIt(int distinct) {
    for (int set = 0; set < (distinct <= 3 ? 40 : 2); set++) {
      KeyBuffer keys = new KeyBuffer();
      for (int i = 0; i < 400_000; i++) {
        keys.add(splitMix(set, i % distinct));
      }
      int enough = Math.max(1024, 4 * distinct);
      assertTrue(
          keys.hashes().length <= enough,
          () -> distinct + " hashes in an array of " + keys.hashes().length);
      keys.dropRepeats();
      assertEquals(distinct, keys.count());
      assertTrue(keys.isDistinct());
    }
  }

  @Test
  void growsByDoublingAndKeepsAll() {
    KeyBuffer keys = new KeyBuffer();
    int count = 300_000;
    for (int i = 0; i < count; i++) {
      keys.add(splitMix(1, i));
      keys.add(splitMix(1, i)); // adjacent repeats are dropped at once
      assertEquals(i + 1, keys.count());
    }
    assertTrue(keys.hashes().length < 2 * count);
    keys.dropRepeats();
    assertEquals(count, keys.count());
    keys.clear();
    assertEquals(0, keys.count());
  }

  @Test
  void clearForgetsTheLastHash() {
    KeyBuffer keys = new KeyBuffer();
    keys.add(7);
    keys.clear();
    keys.add(7);
    assertEquals(1, keys.count());
  }
}
