package io.winnow.ribbon;

/**
 * The linear system of a homogeneous Ribbon filter: one row per occupied slot, in echelon form, and
 * its solution by back-substitution.
 *
 * <p>Each key is a row of {@code width} coefficients that begins at the key's start. Elimination
 * moves it right until it meets a free slot, which it then occupies, or until nothing is left of
 * it. In a homogeneous system every right-hand side is zero, so what is left of such a row is the
 * true statement 0 = 0: the row depends on others and is dropped, and nothing can fail (Dillinger
 * and Walzer, arXiv 2103.02515, section 4). The solution does not depend on the order of the rows.
 *
 * <p>What takes time is bounded: an attempt whose rows take many times the usual steps is given up
 * ({@link Elimination#CROWDED}), and repeated hashes are looked for only where a row was dropped.
 *
 * <p>Hashes should arrive roughly in order of their starts: then the rows that one of them touches
 * are in the nearest cache. Scratch memory ({@code width / 8} bytes per slot) is kept from one
 * filter to the next. Not thread-safe.
 */
abstract class RibbonBanding {
  /** The most rows that are added at a time. */
  private static final int BATCH = 2048;

  /** Steps beyond the bound per key: a stretch of crowded slots alone does not end an attempt. */
  private static final long SPARE_STEPS = 1 << 17;

  /** Slots in use now; the arrays may be longer. */
  int slots;

  /** Where the steps of elimination must end, and how many there were. */
  long stepLimit;

  long steps;
  private final int stepsPerKey;
  private int dropped;
  private long searched;

  private RibbonBanding(int stepsPerKey) {
    this.stepsPerKey = stepsPerKey;
  }

  /** A width of 64 or 128. The steps per key are far above the mean at any rate and size. */
  static RibbonBanding ofWidth(int width) {
    return width == 64 ? new Width64(24) : new Width128(64); // the means are 4 to 8, and 8 to 21
  }

  /**
   * Clears the system, gives it this many slots and eliminates the rows of all these keys.
   *
   * @param distinct whether the keys are known to be distinct: then no repeat is looked for
   */
  final Elimination addAll(KeySorter keys, int newSlots, boolean distinct) {
    slots = newSlots;
    steps = 0;
    dropped = 0;
    searched = 0;
    clear();
    int begin = 0;
    for (int part = 0; part < keys.parts(); part++) {
      int end = keys.end(part);
      int droppedHere = 0;
      for (int from = begin; from < end; from += BATCH) {
        int to = Math.min(from + BATCH, end);
        stepLimit = SPARE_STEPS + (long) to * stepsPerKey;
        droppedHere += to - from - add(keys.mixed(), from, to);
        if (steps > stepLimit) {
          return Elimination.CROWDED;
        }
      }
      dropped += droppedHere;
      if (droppedHere > 0 && !distinct) {
        searched += end - begin;
        if (Scratch.hasRepeat(keys.mixed(), begin, end)) {
          return Elimination.REPEATED; // the second of two equal rows is always dropped
        }
      }
      begin = end;
    }
    return Elimination.DONE;
  }

  /**
   * Solves for {@code columns} columns, free variables being pseudo-random, into words of 64 slots:
   * block by block, in a block column by column, in a column from low slots to high ones.
   */
  abstract void solve(int columns, long seedMask, long[] solution);

  /** How many rows depended on others. */
  final int dropped() {
    return dropped;
  }

  /** How many rows elimination has met altogether. */
  final long steps() {
    return steps;
  }

  /** How many keys were searched for repeats, each among those of its partition: once at most. */
  final long searched() {
    return searched;
  }

  abstract void clear();

  /**
   * Adds the rows of {@code mixed[from..to)}, at most a batch, and counts their steps; says how
   * many occupied a slot. May stop when {@link #steps} is above {@link #stepLimit}.
   */
  abstract int add(long[] mixed, int from, int to);

  /** Rows of 64 coefficients: one word each, whose bit 0 is the slot itself. */
  private static final class Width64 extends RibbonBanding {
    private static final int WIDTH = 64;

    private final int[] rowSlots = new int[BATCH];
    private final long[] rowsLeft = new long[BATCH];
    private long[] rows = {};

    Width64(int stepsPerKey) {
      super(stepsPerKey);
    }

    @Override
    void clear() {
      rows = Scratch.cleared(rows, slots);
    }

    /**
     * In rounds: each takes every row of the batch one step further, without a branch that depends
     * on the key, and closes up those that go on. A row takes five steps on average, and a loop
     * that ends with each row would mispredict once per row, which costs as much as the steps
     * (benchmark {@code KernelBuild}, filter {@code ribbon}).
     */
    @Override
    int add(long[] mixed, int from, int to) {
      int[] rowSlots = this.rowSlots;
      long[] rowsLeft = this.rowsLeft;
      long rawStarts = RibbonHasher.rawStarts(slots, WIDTH);
      int left = to - from;
      for (int i = 0; i < left; i++) {
        long x = mixed[from + i];
        rowSlots[i] = RibbonHasher.start(x, rawStarts, WIDTH);
        rowsLeft[i] = RibbonHasher.row(x);
      }
      int placed = 0;
      while (left > 0 && steps <= stepLimit) {
        steps += left;
        long occupied = 0;
        int goingOn = 0;
        long[] rows = this.rows;
        for (int i = 0; i < left; i++) {
          int slot = rowSlots[i];
          long row = rowsLeft[i];
          long pivot = rows[slot];
          occupied += pivot & 1;
          long taken = -(pivot & 1); // all bits set, or none where the slot is free
          rows[slot] = pivot | (row & ~taken);
          row = (row ^ pivot) & taken;
          int zeros = Long.numberOfTrailingZeros(row); // 64 if nothing is left
          row >>>= zeros;
          rowSlots[goingOn] = slot + zeros;
          rowsLeft[goingOn] = row;
          goingOn += (int) row & 1; // set, unless nothing is left
        }
        placed += left - (int) occupied;
        left = goingOn;
      }
      return placed;
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

    Width128(int stepsPerKey) {
      super(stepsPerKey);
    }

    @Override
    void clear() {
      lows = Scratch.cleared(lows, slots);
      highs = Scratch.cleared(highs, slots);
    }

    @Override
    int add(long[] mixed, int from, int to) {
      long[] lows = this.lows;
      long[] highs = this.highs;
      long rawStarts = RibbonHasher.rawStarts(slots, WIDTH);
      int placed = 0;
      for (int i = from; i < to && steps <= stepLimit; i++) {
        long x = mixed[i];
        int slot = RibbonHasher.start(x, rawStarts, WIDTH);
        long low = RibbonHasher.row(x);
        long high = RibbonHasher.highRow(x);
        int stepsHere = 1;
        for (; ; stepsHere++) {
          long pivot = lows[slot];
          if (pivot == 0) {
            lows[slot] = low;
            highs[slot] = high;
            placed++;
            break;
          }
          low ^= pivot;
          high ^= highs[slot];
          if (low == 0) {
            if (high == 0) {
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
        steps += stepsHere;
      }
      return placed;
    }

    @Override
    void solve(int columns, long seedMask, long[] solution) {
      for (int column = 0; column < columns; column++) {
        solve(column, columns, seedMask, solution);
      }
    }

    private void solve(int column, int columns, long seedMask, long[] solution) {
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
