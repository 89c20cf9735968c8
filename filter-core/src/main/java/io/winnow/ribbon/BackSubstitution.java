package io.winnow.ribbon;

/**
 * Solves the linear system of a Ribbon filter, in echelon form and with rows of 64 coefficients,
 * from its last slot to its first. It keeps a few columns at a time in registers.
 *
 * <p>A slot's bit in a column is the parity of its row with the 63 slots after it, xored with its
 * right-hand side. In a homogeneous system right-hand sides are zero, and a slot without a row is a
 * free variable that gets pseudo-random bits; in a system with right-hand sides it gets zero.
 *
 * <p>The solution consists of words of 64 slots: block by block of {@code width} slots, within a
 * block column by column, within a column from low slots to high ones.
 *
 * <p>The loop is unrolled by hand, so that columns stay in registers (benchmark {@code
 * KernelBuild}).
 */
final class BackSubstitution {
  private static final int WIDTH = 64;

  /**
   * Number of columns that are solved at a time: enough for false-positive rates between 1 % and
   * 0.4 %.
   */
  private static final int COLUMNS_AT_A_TIME = 8;

  private BackSubstitution() {}

  /**
   * Solves the linear system of a Ribbon filter, in echelon form, for a given number of columns of
   * its solution.
   *
   * @param rightHandSides one bit per column for each slot, or null in a homogeneous system
   * @param seedMask selects the free variables of a homogeneous system
   */
  static void solve(
      long[] rows, long[] rightHandSides, int slots, int columns, long seedMask, long[] solution) {
    long[] found = new long[COLUMNS_AT_A_TIME];
    for (int first = 0; first < columns; first += COLUMNS_AT_A_TIME) {
      int used = Math.min(COLUMNS_AT_A_TIME, columns - first);
      boolean many = used > 4; // for four or fewer the other columns are skipped, which saves time
      boolean full = used == COLUMNS_AT_A_TIME;
      long a = 0;
      long b = 0;
      long c = 0;
      long d = 0;
      long e = 0;
      long f = 0;
      long g = 0;
      long h = 0;
      int out = (slots / WIDTH) * columns + first;
      for (int slot = slots - 1; slot >= 0; slot--) {
        long row = rows[slot] >>> 1; // bit 0 is the slot itself
        long all = rightHandSide(rows, rightHandSides, slot, seedMask);
        if (all == 0) { // usual in a homogeneous system
          a = 2 * a + (Long.bitCount(a & row) & 1);
          b = 2 * b + (Long.bitCount(b & row) & 1);
          c = 2 * c + (Long.bitCount(c & row) & 1);
          d = 2 * d + (Long.bitCount(d & row) & 1);
          if (many) {
            e = 2 * e + (Long.bitCount(e & row) & 1);
            f = 2 * f + (Long.bitCount(f & row) & 1);
            g = 2 * g + (Long.bitCount(g & row) & 1);
          }
          if (full) {
            h = 2 * h + (Long.bitCount(h & row) & 1);
          }
        } else { // usual in a bumped layer
          long right = all >>> first; // first < 56
          a = 2 * a + ((Long.bitCount(a & row) + (int) right) & 1);
          b = 2 * b + ((Long.bitCount(b & row) + (int) (right >>> 1)) & 1);
          c = 2 * c + ((Long.bitCount(c & row) + (int) (right >>> 2)) & 1);
          d = 2 * d + ((Long.bitCount(d & row) + (int) (right >>> 3)) & 1);
          if (many) {
            e = 2 * e + ((Long.bitCount(e & row) + (int) (right >>> 4)) & 1);
            f = 2 * f + ((Long.bitCount(f & row) + (int) (right >>> 5)) & 1);
            g = 2 * g + ((Long.bitCount(g & row) + (int) (right >>> 6)) & 1);
          }
          if (full) {
            h = 2 * h + ((Long.bitCount(h & row) + (int) (right >>> 7)) & 1);
          }
        }
        if (slot % WIDTH == 0) { // a block is complete
          found[0] = a;
          found[1] = b;
          found[2] = c;
          found[3] = d;
          found[4] = e;
          found[5] = f;
          found[6] = g;
          found[7] = h;
          out -= columns;
          System.arraycopy(found, 0, solution, out, used);
        }
      }
    }
  }

  /**
   * Returns the right-hand sides of a slot's row, one bit per column, or the value of a free
   * variable of the system.
   */
  private static long rightHandSide(long[] rows, long[] rightHandSides, int slot, long seedMask) {
    if (rightHandSides != null) {
      return rightHandSides[slot];
    }
    return rows[slot] != 0 ? 0 : RibbonHasher.freeSlot(slot, seedMask);
  }
}
