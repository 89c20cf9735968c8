package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ranges of fences against a plain set of them. */
class DoubtTest {
  private static final int FENCES = 1 << 16;

  @Test
  void rangesThatMeetOrTouchAreOne() {
    SlotShape shape = new SlotShape(16, false);
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      BitSet expected = new BitSet(FENCES);
      Doubt doubt = Doubt.none(shape);
      Doubt others = Doubt.none(shape);
      for (int n = 0; n < 200; n++) {
        int from = random.nextInt(200) * 64;
        int to = from + 1 + random.nextInt(n % 20 == 0 ? 2000 : 64);
        expected.set(from, to);
        if (random.nextBoolean()) {
          doubt = doubt.with(from, to);
        } else {
          others = others.with(from, to);
        }
        check(expected, doubt.with(others), seed + ", " + n);
      }
    }
  }

  private static void check(BitSet expected, Doubt doubt, String message) {
    int from = expected.nextSetBit(0);
    for (Map.Entry<Long, Long> range : doubt.ranges.entrySet()) {
      assertEquals(from, range.getKey(), message);
      int to = expected.nextClearBit(from);
      assertEquals(to, range.getValue(), message);
      assertEquals(from == 0, doubt.has(Math.max(from - 1, 0)), message);
      assertEquals(true, doubt.has(from) && doubt.has(to - 1), message);
      assertEquals(false, doubt.has(to), message);
      from = expected.nextSetBit(to);
    }
    assertEquals(-1, from, message);
    assertEquals((double) expected.cardinality() / FENCES, doubt.share(), 1e-12, message);
  }
}
