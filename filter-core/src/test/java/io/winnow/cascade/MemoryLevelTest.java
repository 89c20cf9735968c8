package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Lookups in what a partition took in since it was coded need its marks. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLevelThatIsFilledAgainFindsAll(boolean deletes) {
    SlotShape shape = new SlotShape(41, deletes);
    MemoryLevel level = new MemoryLevel(shape, 100_000, ended -> {});
    for (int round = 0; round < 2; round++) {
      for (long i = 0; i < 50_000; i++) {
        level.add(shape.slotOf(TestHashes.splitMix(round, i)));
      }
      for (long i = 0; i < 50_000; i++) {
        assertEquals(1, Copies.keys(level.find(shape.slotOf(TestHashes.splitMix(round, i)))));
      }
      level.clear();
      for (long i = 0; i < 50_000; i++) {
        assertEquals(0, Copies.keys(level.find(shape.slotOf(TestHashes.splitMix(round, i)))));
      }
    }
  }

  /** The largest budget is 1 TiB; no array of theirs may be too large for an int. */
  @Test
  void aLevelOfAnySizeCanBeSizedUp() {
    for (long expected = 1; expected <= 1L << 40; expected *= 2) {
      for (int bits = SlotShape.MIN_FINGERPRINT_BITS; bits <= 56; bits += 8) {
        double bytes = MemoryLayout.bytesFor(new SlotShape(bits, true), expected);
        assertTrue(bytes > 0 && bytes < 64.0 * expected + (1 << 20), bits + " bits, " + expected);
      }
    }
  }
}
