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
        level = Copies.followedBy(level, tombstone);
        if (random.nextInt(5) == 0) {
          all = Copies.followedBy(all, level);
          level = Copies.NONE;
        }
      }
      assertEquals(count, Copies.keys(Copies.followedBy(all, level)));
    }
  }

  @Test
  void manyCopiesStayWhateverIsDeleted() {
    long copies = Copies.NONE;
    for (int i = 0; i < 2 * Copies.MANY; i++) {
      copies = Copies.followedBy(copies, false);
    }
    for (int i = 0; i < 3 * Copies.MANY; i++) {
      copies = Copies.followedBy(copies, true);
    }
    assertEquals(Copies.MANY, Copies.keys(copies));
    long tombstones = Copies.NONE;
    for (int i = 0; i < 3 * Copies.MANY; i++) {
      tombstones = Copies.followedBy(tombstones, true);
    }
    assertTrue(Copies.tombstones(tombstones) <= Copies.MANY);
    assertEquals(Copies.MANY, Copies.keys(Copies.followedBy(copies, tombstones)));
  }
}
