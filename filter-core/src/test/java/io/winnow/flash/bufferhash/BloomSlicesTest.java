package io.winnow.flash.bufferhash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.TestHashes;
import io.winnow.flash.bloom.BloomModel;
import io.winnow.flash.bloom.BloomSizing;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sliced filters answer as the same Bloom filters one by one. */
class BloomSlicesTest {
  private static final int KEYS = 300;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 31, 63, 64, 65, 127, 128, 200})
  void answersAsFiltersOneByOneDo(int slots) {
    BloomSizing sizing = new BloomSizing(2017, 4);
    BloomSlices slices = new BloomSlices(sizing, slots);
    BloomModel[] plain = new BloomModel[slots];
    StoredFilter[] stored = new StoredFilter[slots];
    for (int round = 0; round < 3 * slots; round++) { // each is overwritten twice
      int slot = round % slots;
      plain[slot] = new BloomModel(sizing);
      long[] hashes = new long[KEYS];
      for (int i = 0; i < KEYS; i++) {
        hashes[i] = TestHashes.splitMix(round, i);
        plain[slot].insert(hashes[i]);
      }
      stored[slot] = slices.build(slot, hashes, KEYS);
    }
    check(slices, plain, slots);
    BloomSlices loaded = new BloomSlices(sizing, slots);
    for (int i = 0; i < slots; i++) {
      assertTrue(loaded.load(i, stored[i]));
    }
    check(loaded, plain, slots);
    assertFalse(new BloomSlices(new BloomSizing(2017, 5), slots).load(0, stored[0]));
    assertFalse(new BloomSlices(new BloomSizing(2016, 4), slots).load(0, stored[0]));
    assertFalse(loaded.load(0, StoredFilter.NONE));
  }

  private static void check(BloomSlices slices, BloomModel[] plain, int slots) {
    int words = (slots + 63) / 64;
    for (int i = 0; i < 2000; i++) {
      long hash = TestHashes.splitMix(i % (4 * slots), i % KEYS);
      long[] asked = new long[words];
      for (int slot = 0; slot < slots; slot++) {
        if ((slot + i) % 5 > 0) { // not all of them are there
          asked[slot / 64] |= 1L << slot;
        }
      }
      long[] answer = asked.clone();
      slices.narrow(hash, answer);
      for (int slot = 0; slot < words * 64; slot++) {
        boolean wasAsked = (asked[slot / 64] & 1L << slot) != 0;
        boolean expected = wasAsked && plain[slot].mightContain(hash);
        assertEquals(expected, (answer[slot / 64] & 1L << slot) != 0, "slot " + slot);
      }
    }
  }
}
