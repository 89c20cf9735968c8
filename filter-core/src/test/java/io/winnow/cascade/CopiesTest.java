package io.winnow.cascade;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class CopiesTest {

  /** However a sequence of operations is cut into levels, it comes to what counting comes to. */
  @Test
  void anyCutOfASequenceComesToTheSame() {
    Random random = new Random(17);
    for (int round = 0; round < 20_000; round++) {
      int count = 0;
      long level = Copies.NONE;
      long all = Copies.NONE;
      double deletes = random.nextDouble();
      for (int i = random.nextInt(60); i > 0; i--) {
        boolean tombstone = random.nextDouble() < deletes;
        count = tombstone ? Math.max(count - 1, 0) : count + 1;
        level = Copies.then(level, tombstone);
        if (random.nextInt(5) == 0) {
          all = Copies.then(all, level);
          level = Copies.NONE;
        }
      }
      assertEquals(count, Copies.keys(Copies.then(all, level)));
    }
  }

  @Test
  void manyCopiesStayWhateverIsDeleted() {
    long copies = Copies.NONE;
    for (int i = 0; i < 2 * Copies.MANY; i++) {
      copies = Copies.then(copies, false);
    }
    for (int i = 0; i < 3 * Copies.MANY; i++) {
      copies = Copies.then(copies, true);
    }
    assertEquals(Copies.MANY, Copies.keys(copies));
    long tombstones = Copies.NONE;
    for (int i = 0; i < 3 * Copies.MANY; i++) {
      tombstones = Copies.then(tombstones, true);
    }
    assertTrue(Copies.tombstones(tombstones) <= Copies.MANY);
    assertEquals(Copies.MANY, Copies.keys(Copies.then(copies, tombstones)));
  }
}
