package io.winnow.ribbon;

import java.util.Arrays;

/**
 * The linear system of a Ribbon filter: one row per occupied slot, in echelon form, and its
 * solution by back-substitution.
 *
 * <p>Each key is a row of {@code width} coefficients that begins at the key's start. Elimination
 * moves it right until it meets a free slot, which it then occupies, or until nothing is left of
 * it. In a homogeneous system every right-hand side is zero, so what is left of such a row is the
 * true statement 0 = 0: the row depends on others and is dropped, and nothing can fail (Dillinger
 * and Walzer, arXiv 2103.02515, section 4).
 *
 * <p>Hashes should arrive roughly in order of their starts: then the rows that one of them touches
 * are in the nearest cache. Scratch memory ({@code width / 8} bytes per slot) is kept from one
 * filter to the next. Not thread-safe.
 */
abstract class RibbonBanding {
  private static final int INITIAL_DROPPED = 64;

  /** Slots in use now; the arrays may be longer. */
  int slots;

  private int[] dropped = new int[INITIAL_DROPPED];
  private int droppedCount;

  static RibbonBanding ofWidth(int width) {
    return switch (width) {
      case 64 -> new Width64();
      case 128 -> new Width128();
      default -> throw new IllegalArgumentException("width is " + width + ", must be 64 or 128");
    };
  }

  /** Clears the system and gives it this many slots. */
  final void reset(int newSlots) {
    slots = newSlots;
    droppedCount = 0;
    clear();
  }

  /** Adds the rows of {@code mixed[0..count)}, stopping early when more than the limit drop. */
  abstract void addAll(long[] mixed, int count, int droppedLimit);

  /**
   * Solves for {@code columns} columns, free variables being pseudo-random, into words of 64 slots:
   * block by block, in a block column by column, in a column from low slots to high ones.
   */
  abstract void solve(int columns, long seedMask, long[] solution);

  /** How many rows depended on others. */
  final int droppedCount() {
    return droppedCount;
  }

  /** The index in {@code mixed} of the i-th row that depended on others. */
  final int dropped(int i) {
    return dropped[i];
  }

  final void drop(int index) {
    if (droppedCount == dropped.length) {
      dropped = Arrays.copyOf(dropped, 2 * droppedCount);
    }
    dropped[droppedCount++] = index;
  }

  abstract void clear();

  private static long[] cleared(long[] array, int length) {
    if (array.length < length) {
      return new long[length];
    }
    Arrays.fill(array, 0, length, 0L);
    return array;
  }

  /** Rows of 64 coefficients: one word each, whose bit 0 is the slot itself. */
  private static final class Width64 extends RibbonBanding {
    private static final int WIDTH = 64;
    private long[] rows = {};

    @Override
    void clear() {
      rows = cleared(rows, slots);
    }

    @Override
    void addAll(long[] mixed, int count, int droppedLimit) {
      long[] rows = this.rows;
      long rawStarts = RibbonHasher.rawStarts(slots, WIDTH);
      for (int i = 0; i < count; i++) {
        long x = mixed[i];
        int slot = RibbonHasher.start(x, rawStarts, WIDTH);
        long row = RibbonHasher.row(x);
        while (true) {
          long pivot = rows[slot];
          if (pivot == 0) {
            rows[slot] = row;
            break;
          }
          row ^= pivot;
          if (row == 0) {
            drop(i);
            if (droppedCount() > droppedLimit) {
              return;
            }
            break;
          }
          int zeros = Long.numberOfTrailingZeros(row); // 1..63: both rows had bit 0 set
          slot += zeros;
          row >>>= zeros;
        }
      }
    }

    @Override
    void solve(int columns, long seedMask, long[] solution) {
      int first = 0;
      for (; columns - first > 4; first += 7) {
        solveSeven(rows, slots, columns, first, seedMask, solution);
      }
      if (first < columns) {
        solveFour(rows, slots, columns, first, seedMask, solution);
      }
    }

    /** Columns {@code first} to {@code first + 3}; those past the last are computed and dropped. */
    private static void solveFour(
        long[] rows, int slots, int columns, int first, long seedMask, long[] solution) {
      long a = 0;
      long b = 0;
      long c = 0;
      long d = 0;
      int used = Math.min(4, columns - first);
      int out = (slots / WIDTH) * columns + first;
      for (int high = slots; high > 0; high -= WIDTH) {
        for (int slot = high - 1; slot >= high - WIDTH; slot--) {
          long row = rows[slot] >>> 1;
          // Bit 0 of an occupied slot's row is set, so only the very value 1 becomes 0 here too.
          if (row != 0 || rows[slot] != 0) {
            a = 2 * a + (Long.bitCount(a & row) & 1);
            b = 2 * b + (Long.bitCount(b & row) & 1);
            c = 2 * c + (Long.bitCount(c & row) & 1);
            d = 2 * d + (Long.bitCount(d & row) & 1);
          } else {
            long free = RibbonHasher.freeSlot(slot, seedMask) >>> first; // first < 64
            a = 2 * a + (free & 1);
            b = 2 * b + ((free >>> 1) & 1);
            c = 2 * c + ((free >>> 2) & 1);
            d = 2 * d + ((free >>> 3) & 1);
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
        long[] rows, int slots, int columns, int first, long seedMask, long[] solution) {
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
          if (row != 0 || rows[slot] != 0) {
            a = 2 * a + (Long.bitCount(a & row) & 1);
            b = 2 * b + (Long.bitCount(b & row) & 1);
            c = 2 * c + (Long.bitCount(c & row) & 1);
            d = 2 * d + (Long.bitCount(d & row) & 1);
            e = 2 * e + (Long.bitCount(e & row) & 1);
            f = 2 * f + (Long.bitCount(f & row) & 1);
            g = 2 * g + (Long.bitCount(g & row) & 1);
          } else {
            long free = RibbonHasher.freeSlot(slot, seedMask) >>> first; // first < 64
            a = 2 * a + (free & 1);
            b = 2 * b + ((free >>> 1) & 1);
            c = 2 * c + ((free >>> 2) & 1);
            d = 2 * d + ((free >>> 3) & 1);
            e = 2 * e + ((free >>> 4) & 1);
            f = 2 * f + ((free >>> 5) & 1);
            g = 2 * g + ((free >>> 6) & 1);
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

  /** Rows of 128 coefficients: a low and a high word, bit 0 of the low one being the slot. */
  private static final class Width128 extends RibbonBanding {
    private static final int WIDTH = 128;
    private long[] lows = {};
    private long[] highs = {};

    @Override
    void clear() {
      lows = cleared(lows, slots);
      highs = cleared(highs, slots);
    }

    @Override
    void addAll(long[] mixed, int count, int droppedLimit) {
      long[] lows = this.lows;
      long[] highs = this.highs;
      long rawStarts = RibbonHasher.rawStarts(slots, WIDTH);
      for (int i = 0; i < count; i++) {
        long x = mixed[i];
        int slot = RibbonHasher.start(x, rawStarts, WIDTH);
        long low = RibbonHasher.row(x);
        long high = RibbonHasher.highRow(x);
        while (true) {
          long pivot = lows[slot];
          if (pivot == 0) {
            lows[slot] = low;
            highs[slot] = high;
            break;
          }
          low ^= pivot;
          high ^= highs[slot];
          if (low == 0) {
            if (high == 0) {
              drop(i);
              if (droppedCount() > droppedLimit) {
                return;
              }
              break;
            }
            slot += 64;
            low = high;
            high = 0;
          }
          int zeros = Long.numberOfTrailingZeros(low); // 0..63
          slot += zeros;
          low = (low >>> zeros) | ((high << 1) << (63 - zeros));
          high >>>= zeros;
        }
      }
    }

    @Override
    void solve(int columns, long seedMask, long[] solution) {
      for (int column = 0; column < columns; column++) {
        solveOne(lows, highs, slots, columns, column, seedMask, solution);
      }
    }

    private static void solveOne(
        long[] lows,
        long[] highs,
        int slots,
        int columns,
        int column,
        long seedMask,
        long[] solution) {
      long low = 0;
      long high = 0;
      int out = 2 * ((slots / WIDTH) * columns + column);
      for (int end = slots; end > 0; end -= WIDTH) {
        for (int slot = end - 1; slot >= end - WIDTH; slot--) {
          high = (high << 1) | (low >>> 63);
          low <<= 1;
          long row = lows[slot];
          if (row != 0) {
            low |= Long.bitCount((low & row) ^ (high & highs[slot])) & 1;
          } else {
            low |= (RibbonHasher.freeSlot(slot, seedMask) >>> column) & 1; // column < 64
          }
        }
        out -= 2 * columns;
        solution[out] = low;
        solution[out + 1] = high;
      }
    }
  }
}
