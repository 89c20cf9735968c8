package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SlotCodingTest {

  @Test
  void anySortedSlotsComeBackAndAreFound() {
    long seed = 11;
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      int bits = 1 + random.nextInt(57);
      int n = 1 + random.nextInt(3000);
      boolean deletes = random.nextBoolean();
      long bound = 1L << bits;
      long[] slots = random.longs(n, 0, bound).sorted().toArray();
      int best = SlotShape.bestRemainderBits(bits, n, deletes ? 1 : 0);
      int r = Math.max(0, best - random.nextInt(3) + random.nextInt(3));
      int words = Math.toIntExact(SlotCoding.wordsFor(slots, 0, n, r)) + random.nextInt(3);
      long[] coded = new long[words + 1];
      coded[words] = -1;
      SlotCoding.encode(slots, 0, n, r, coded, words);
      String message = "seed " + seed + " round " + round;
      assertEquals(-1, coded[words], message);
      assertTrue(SlotCoding.isSound(coded, words), message);
      long[] decoded = new long[n + 1];
      assertEquals(n, SlotCoding.decode(coded, words, decoded, 1), message);
      assertArrayEquals(slots, Arrays.copyOfRange(decoded, 1, n + 1), message);
      for (int probe = 0; probe < 50; probe++) {
        long slot = probe % 2 == 0 ? slots[random.nextInt(n)] : random.nextLong(bound);
        long wanted = deletes && r > 0 ? slot & ~1 : slot;
        boolean pairs = deletes && r > 0;
        long copies = SlotCoding.find(coded, words, wanted, pairs);
        assertEquals(count(slots, wanted), Copies.keys(copies), message);
        assertEquals(pairs ? count(slots, wanted | 1) : 0, Copies.tombstones(copies), message);
      }
    }
  }

  private static int count(long[] slots, long slot) {
    return (int) Arrays.stream(slots).filter(s -> s == slot).count();
  }

  @Test
  void asManyAsFitAreThoseWhoseWordsFit() {
    Random random = new Random(5);
    for (int round = 0; round < 200; round++) {
      int n = 1 + random.nextInt(2000);
      long[] slots = random.longs(n, 0, 1L << 40).sorted().toArray();
      int r = random.nextInt(40);
      int words = 4 + random.nextInt(500);
      int fitting = SlotCoding.fitting(slots, 0, n, r, words);
      assertTrue(fitting == 1 || SlotCoding.wordsFor(slots, 0, fitting, r) <= words);
      assertTrue(fitting == n || SlotCoding.wordsFor(slots, 0, fitting + 1, r) > words);
    }
  }

  /**
   * The space that the documentation promises: r + 2 to r + 3 bits, and within 1 % of the formula.
   */
  @Test
  void evenlySpreadSlotsTakeTheBitsTheyShould() {
    Random random = new Random(3);
    for (int n : new int[] {1 << 14, 20_000, 30_000, (1 << 15) - 1}) {
      long[] slots = random.longs(n, 0, 1L << 41).sorted().toArray();
      int r = SlotShape.bestRemainderBits(41, n, 0);
      double bits = (SlotCoding.wordsFor(slots, 0, n, r) - SlotCoding.HEADER_WORDS) * 64.0 / n;
      assertEquals(SlotShape.bitsPerSlot(41, n, 0), bits, 0.01 * bits);
      assertTrue(bits > r + 1.9 && bits < r + 3.1, r + " " + bits);
    }
  }
}
