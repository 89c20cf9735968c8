package io.winnow.ribbon;

/**
 * Solves an echelon system of 64-coefficient rows from its last slot to its first, a few columns at
 * a time in registers.
 *
 * <p>A slot's bit in a column is the parity of its row with the 63 slots after it, xored with its
 * right-hand side. In a homogeneous system right-hand sides are zero, and a slot without a row is a
 * free variable that takes pseudo-random bits; with right-hand sides given, it takes zero.
 *
 * <p>The solution comes in words of 64 slots: block by block, in a block column by column, in a
 * column from low slots to high ones.
 *
 * <p>Unrolled by hand, so that columns stay in registers (benchmark {@code KernelBuild}).
 */
final class BackSubstitution {
  private static final int WIDTH = 64;

  private BackSubstitution() {}

  /**
   * Solves for {@code columns} columns.
   *
   * @param rightHandSides one bit per column for each slot, or null in a homogeneous system
   * @param seedMask what free variables of a homogeneous system depend on
   */
  static void solve(
      long[] rows, long[] rightHandSides, int slots, int columns, long seedMask, long[] solution) {
    int first = 0;
    for (; columns - first > 4; first += 7) {
      solveSeven(rows, rightHandSides, slots, columns, first, seedMask, solution);
    }
    if (first < columns) {
      solveFour(rows, rightHandSides, slots, columns, first, seedMask, solution);
    }
  }

  private static long rightHandSide(
      long[] rows, long[] rightHandSides, int slot, int first, long seedMask) {
    if (rightHandSides != null) {
      return rightHandSides[slot] >>> first;
    }
    return rows[slot] != 0 ? 0 : RibbonHasher.freeSlot(slot, seedMask) >>> first; // first < 64
  }

  /** Columns {@code first} to {@code first + 3}; those past the last are computed and dropped. */
  private static void solveFour(
      long[] rows,
      long[] rightHandSides,
      int slots,
      int columns,
      int first,
      long seedMask,
      long[] solution) {
    long a = 0;
    long b = 0;
    long c = 0;
    long d = 0;
    int used = Math.min(4, columns - first);
    int out = (slots / WIDTH) * columns + first;
    for (int high = slots; high > 0; high -= WIDTH) {
      for (int slot = high - 1; slot >= high - WIDTH; slot--) {
        long row = rows[slot] >>> 1; // bit 0 is the slot itself
        long right = rightHandSide(rows, rightHandSides, slot, first, seedMask);
        if (right == 0) { // nearly always in a homogeneous system
          a = 2 * a + (Long.bitCount(a & row) & 1);
          b = 2 * b + (Long.bitCount(b & row) & 1);
          c = 2 * c + (Long.bitCount(c & row) & 1);
          d = 2 * d + (Long.bitCount(d & row) & 1);
        } else {
          a = 2 * a + ((Long.bitCount(a & row) ^ right) & 1);
          b = 2 * b + ((Long.bitCount(b & row) ^ (right >>> 1)) & 1);
          c = 2 * c + ((Long.bitCount(c & row) ^ (right >>> 2)) & 1);
          d = 2 * d + ((Long.bitCount(d & row) ^ (right >>> 3)) & 1);
        }
      }
      out -= columns;
      solution[out] = a;
      if (used > 1) {
        solution[out + 1] = b;
      }
      if (used > 2) {
        solution[out + 2] = c;
      }
      if (used > 3) {
        solution[out + 3] = d;
      }
    }
  }

  /** As {@link #solveFour}, for seven columns at a time: as many as there are at 1 %. */
  private static void solveSeven(
      long[] rows,
      long[] rightHandSides,
      int slots,
      int columns,
      int first,
      long seedMask,
      long[] solution) {
    long a = 0;
    long b = 0;
    long c = 0;
    long d = 0;
    long e = 0;
    long f = 0;
    long g = 0;
    int used = Math.min(7, columns - first); // above 4
    int out = (slots / WIDTH) * columns + first;
    for (int high = slots; high > 0; high -= WIDTH) {
      for (int slot = high - 1; slot >= high - WIDTH; slot--) {
        long row = rows[slot] >>> 1;
        long right = rightHandSide(rows, rightHandSides, slot, first, seedMask);
        if (right == 0) {
          a = 2 * a + (Long.bitCount(a & row) & 1);
          b = 2 * b + (Long.bitCount(b & row) & 1);
          c = 2 * c + (Long.bitCount(c & row) & 1);
          d = 2 * d + (Long.bitCount(d & row) & 1);
          e = 2 * e + (Long.bitCount(e & row) & 1);
          f = 2 * f + (Long.bitCount(f & row) & 1);
          g = 2 * g + (Long.bitCount(g & row) & 1);
        } else {
          a = 2 * a + ((Long.bitCount(a & row) ^ right) & 1);
          b = 2 * b + ((Long.bitCount(b & row) ^ (right >>> 1)) & 1);
          c = 2 * c + ((Long.bitCount(c & row) ^ (right >>> 2)) & 1);
          d = 2 * d + ((Long.bitCount(d & row) ^ (right >>> 3)) & 1);
          e = 2 * e + ((Long.bitCount(e & row) ^ (right >>> 4)) & 1);
          f = 2 * f + ((Long.bitCount(f & row) ^ (right >>> 5)) & 1);
          g = 2 * g + ((Long.bitCount(g & row) ^ (right >>> 6)) & 1);
        }
      }
      out -= columns;
      solution[out] = a;
      solution[out + 1] = b;
      solution[out + 2] = c;
      solution[out + 3] = d;
      solution[out + 4] = e;
      if (used > 5) {
        solution[out + 5] = f;
      }
      if (used > 6) {
        solution[out + 6] = g;
      }
    }
  }
}
