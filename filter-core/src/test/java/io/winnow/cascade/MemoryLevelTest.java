package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import org.junit.jupiter.api.Test;

class MemoryLevelTest {
  private static final SlotShape SHAPE = new SlotShape(41, false);
  private static final long EXPECTED = 1_000_000;

  private static MemoryLevel level() {
    return new MemoryLevel(SHAPE, EXPECTED, ended -> {});
  }

  @Test
  void itIsFullWithWhatItWasMadeForAndNotSooner() {
    MemoryLevel level = level();
    for (long i = 0; i < EXPECTED; i++) {
      assertFalse(level.isFull());
      level.add(TestHashes.splitMix(1, i) >>> 64 - SHAPE.bits());
    }
    long repeats = EXPECTED - level.entries();
    assertTrue(level.isFull() || repeats > 0, "repeats " + repeats);
    assertTrue(repeats < 10, "repeats " + repeats);
    for (long i = 0; i < EXPECTED; i++) {
      assertEquals(1, Copies.keys(level.find(TestHashes.splitMix(1, i) >>> 64 - SHAPE.bits())));
    }
  }

  @Test
  void repeatsAreCountedOnce() {
    MemoryLevel level = level();
    for (long i = 0; i < EXPECTED; i++) {
      level.add(TestHashes.splitMix(1, i % 1000) >>> 64 - SHAPE.bits());
    }
    assertFalse(level.isFull());
    assertTrue(level.entries() < EXPECTED / 2, "entries " + level.entries());
  }

  /** Else each merge of the partition that gets all of them would be of the whole level. */
  @Test
  void slotsOfOnePartitionFillItSooner() {
    MemoryLevel level = level();
    long added = 0;
    while (!level.isFull()) {
      level.add(added++ * 17);
    }
    assertTrue(added > EXPECTED / 100 && added < EXPECTED / 2, "added " + added);
    for (long i = 0; i < added; i++) {
      assertEquals(1, Copies.keys(level.find(i * 17)));
      assertEquals(0, Copies.keys(level.find(i * 17 + 1)));
    }
    level.clear();
    assertFalse(level.isFull());
  }

  /** As where there is no memory for it: an array of this size cannot be had. */
  @Test
  void whatCameStaysWhereItCannotBeCoded() {
    SlotShape shape = new SlotShape(16, false);
    MemoryLevel level = new MemoryLevel(shape, 1L << 50, ended -> {});
    level.add(16); // the partition after the one that gets full
    int added = 0;
    int failed = 0;
    while (failed < 100) {
      try {
        level.add(added & 7);
        added++;
      } catch (NegativeArraySizeException e) {
        failed++;
      }
    }
    assertEquals(1 + added, level.entries());
    for (long slot = 0; slot < 32; slot++) {
      boolean isThere = slot < 8 || slot == 16;
      assertEquals(isThere, Copies.keys(level.find(slot)) > 0, "slot " + slot);
    }
  }

  @Test
  void aLevelOfAnySizeCanBeSizedUp() {
    for (long expected = 1; expected < 1L << 38; expected *= 2) {
      for (int bits = SlotShape.MIN_FINGERPRINT_BITS; bits <= 56; bits += 8) {
        double bytes = MemoryLevel.bytesFor(new SlotShape(bits, true), expected);
        assertTrue(bytes > 0 && bytes < 64.0 * expected + (1 << 20), bits + " bits, " + expected);
      }
    }
  }
}
