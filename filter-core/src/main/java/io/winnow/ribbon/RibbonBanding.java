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
      BackSubstitution.solve(rows, null, slots, columns, seedMask, solution);
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
