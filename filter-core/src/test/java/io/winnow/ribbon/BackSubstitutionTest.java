package io.winnow.ribbon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Against the same done slot by slot and bit by bit. */
class BackSubstitutionTest {
  @Test
  void rightHandSidesAreMetInEveryNumberOfColumns() {
    Random random = new Random(1);
    for (int columns = 1; columns <= RibbonShape.MAX_COLUMNS; columns++) {
      for (int blocks : new int[] {1, 2, 5}) {
        for (double load : new double[] {0.1, 0.95, 1}) {
          int slots = 64 * blocks;
          long[] rows = randomRows(random, slots, load);
          long[] right = new long[slots];
          for (int slot = 0; slot < slots; slot++) {
            right[slot] =
                rows[slot] == 0 || random.nextInt(8) == 0
                    ? 0
                    : random.nextLong() & ((1L << columns) - 1);
          }
          long[] solution = new long[blocks * columns];
          BackSubstitution.solve(rows, right, slots, columns, 0, solution);
          assertSolves(rows, right, slots, columns, 0, solution);
        }
      }
    }
  }

  @Test
  void freeSlotsOfAHomogeneousSystemArePseudoRandom() {
    Random random = new Random(2);
    for (int columns = 1; columns <= 20; columns++) {
      int slots = 192;
      long[] rows = randomRows(random, slots, 0.9);
      long seedMask = random.nextLong();
      long[] solution = new long[slots / 64 * columns];
      BackSubstitution.solve(rows, null, slots, columns, seedMask, solution);
      assertSolves(rows, null, slots, columns, seedMask, solution);
    }
  }

  /** Rows in echelon form, none of which reaches past the last slot. */
  private static long[] randomRows(Random random, int slots, double load) {
    long[] rows = new long[slots];
    for (int slot = 0; slot < slots; slot++) {
      if (random.nextDouble() < load) {
        int room = Math.min(64, slots - slot);
        rows[slot] = (random.nextLong() >>> (64 - room)) | 1;
      }
    }
    return rows;
  }

  private static void assertSolves(
      long[] rows, long[] right, int slots, int columns, long seedMask, long[] solution) {
    boolean[][] bits = new boolean[columns][slots];
    for (int column = 0; column < columns; column++) {
      for (int slot = slots - 1; slot >= 0; slot--) {
        boolean bit;
        if (rows[slot] == 0) {
          bit = right == null && (RibbonHasher.freeSlot(slot, seedMask) >>> column & 1) != 0;
        } else {
          bit = right != null && (right[slot] >>> column & 1) != 0;
          for (int i = 1; i < 64; i++) {
            bit ^= (rows[slot] >>> i & 1) != 0 && bits[column][slot + i];
          }
        }
        bits[column][slot] = bit;
        long word = solution[slot / 64 * columns + column];
        assertEquals(bit, (word >>> slot % 64 & 1) != 0, "slot " + slot + " column " + column);
      }
    }
  }
}
