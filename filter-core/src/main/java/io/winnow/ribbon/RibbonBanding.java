package io.winnow.ribbon;

/**
 * The linear system of a homogeneous Ribbon filter: one row per occupied slot, in echelon form, and
 * its solution by back-substitution.
 *
 * <p>Each key is a row of {@code width} coefficients that begins at the key's start. Elimination
 * moves it right until it reaches a free slot, which it then occupies, or until all its
 * coefficients are zero. In a homogeneous system every right-hand side is zero, so such a row means
 * 0 = 0: it depends on others and is dropped, and nothing can fail (Dillinger and Walzer, arXiv
 * 2103.02515, section 4). The solution does not depend on the order of the rows.
 *
 * <p>The time is bounded. Repeated hashes are searched only where a row was dropped. If rows take
 * many times the usual steps, as chosen keys can make them do by filling a stretch of slots, the
 * attempt is abandoned ({@link Elimination#CROWDED}), or begins again with the rows sorted by
 * start. Then all rows in the system start before the next ones, and end less than {@code width}
 * slots after these starts. So a row meets fewer than {@code width} of them, and at most the
 * {@value #SORTED_BATCH} that are added with it: it takes at most 130 steps.
 *
 * <p>The memory ({@code width / 8} bytes per slot) is kept for the next filter. Not thread-safe.
 */
final class RibbonBanding {
  /**
   * Maximum of rows that are added to the linear system together if they are not sorted by start.
   */
  private static final int BATCH = 2048;

  /** Maximum of rows that are added to the linear system together if they are sorted by start. */
  private static final int SORTED_BATCH = 64;

  /**
   * Number of elimination steps that are allowed beyond the bound per key, so that a few crowded
   * slots do not end an attempt.
   */
  private static final long SPARE_STEPS = 1 << 17;

  private final int width;
  private final int[] rowSlots = new int[BATCH];
  private final long[] rowsLeft = new long[BATCH];

  /**
   * Row of each slot of the linear system, or its low 64 bits: bit 0 is the slot itself. Zero if
   * the slot is free.
   */
  private long[] rows = {};

  /** High 64 bits of each slot's row in the linear system, if rows have 128 bits. */
  private long[] highs = {};

  /** Number of slots of the linear system in use; the arrays may be longer. */
  private int slots;

  private long rawStarts;

  /** Number of elimination steps that all rows of the linear system took. */
  long steps;

  /** Number of rows that the linear system dropped because they depended on other rows. */
  int dropped;

  /** Number of keys that were searched for repeats within their partitions, each at most once. */
  long searched;

  /**
   * Creates an empty linear system of a Ribbon filter, for rows of 64 or 128 coefficients.
   *
   * @param width coefficients of a row, 64 or 128
   */
  RibbonBanding(int width) {
    this.width = width;
  }

  /**
   * Clears the Ribbon filter's linear system, sets its number of slots and eliminates the rows of
   * all keys.
   *
   * @param distinct whether the keys are known to be distinct, so that repeats need not be searched
   * @param giveUp whether to abandon the attempt if keys crowd; otherwise it goes on, in bounded
   *     time
   */
  Elimination addAll(KeySorter keys, int newSlots, boolean distinct, boolean giveUp) {
    slots = newSlots;
    steps = 0;
    long stepsPerKey = width == 64 ? 24 : 64; // the means are 4 to 8, and 8 to 21
    Elimination result = addAll(keys, distinct, BATCH, SPARE_STEPS, stepsPerKey);
    if (result == Elimination.CROWDED && !giveUp) {
      keys.sortParts();
      result = addAll(keys, distinct, SORTED_BATCH, Long.MAX_VALUE, 0);
    }
    return result;
  }

  /**
   * Clears the Ribbon filter's linear system and eliminates the rows of all keys, up to a limit of
   * steps.
   */
  private Elimination addAll(
      KeySorter keys, boolean distinct, int batch, long spareSteps, long stepsPerKey) {
    rawStarts = RibbonHasher.rawStarts(slots, width);
    rows = Scratch.cleared(rows, slots);
    highs = Scratch.cleared(highs, width == 64 ? 0 : slots);
    dropped = 0;
    searched = 0;
    long[] mixed = keys.mixed;
    int begin = 0;
    for (int part = 0; part < keys.parts; part++) {
      int end = keys.end(part);
      int placed = 0;
      for (int from = begin; from < end; from += batch) {
        int to = Math.min(from + batch, end);
        long stepLimit = spareSteps + to * stepsPerKey;
        placed +=
            width == 64 ? add64(mixed, from, to, stepLimit) : add128(mixed, from, to, stepLimit);
        if (steps > stepLimit) {
          return Elimination.CROWDED;
        }
      }
      if (placed < end - begin && !distinct) {
        searched += end - begin;
        if (Scratch.hasRepeat(mixed, begin, end)) {
          return Elimination.REPEATED; // the second of two equal rows is always dropped
        }
      }
      dropped += end - begin - placed;
      begin = end;
    }
    return Elimination.DONE;
  }

  /**
   * Adds the 64-bit rows of a batch of keys to the linear system, counts their elimination steps
   * and returns how many rows occupy a slot. It stops above the step limit.
   *
   * <p>It works in rounds: each moves every row one step, without a branch that depends on the key,
   * and then moves the remaining rows together (design note {@code docs/design/ribbon-build.md}).
   */
  private int add64(long[] mixed, int from, int to, long stepLimit) {
    long[] rows = this.rows;
    int[] rowSlots = this.rowSlots;
    long[] rowsLeft = this.rowsLeft;
    int left = to - from;
    for (int i = 0; i < left; i++) {
      long x = mixed[from + i];
      rowSlots[i] = RibbonHasher.start(x, rawStarts, 64);
      rowsLeft[i] = RibbonHasher.row(x);
    }
    int placed = 0;
    while (left > 0 && steps <= stepLimit) {
      steps += left;
      long occupied = 0;
      int goingOn = 0;
      for (int i = 0; i < left; i++) {
        int slot = rowSlots[i];
        long row = rowsLeft[i];
        long pivot = rows[slot];
        occupied += pivot & 1;
        long taken = -(pivot & 1); // all bits set, or none where the slot is free
        rows[slot] = pivot | (row & ~taken);
        row = (row ^ pivot) & taken;
        int zeros = Long.numberOfTrailingZeros(row); // 64 if the row is zero
        row >>>= zeros;
        rowSlots[goingOn] = slot + zeros;
        rowsLeft[goingOn] = row;
        goingOn += (int) row & 1; // 1, unless the row is zero
      }
      placed += left - (int) occupied;
      left = goingOn;
    }
    return placed;
  }

  /** Adds the 128-bit rows of a batch of keys to the linear system, row by row. */
  private int add128(long[] mixed, int from, int to, long stepLimit) {
    long[] rows = this.rows;
    long[] highs = this.highs;
    int placed = 0;
    for (int i = from; i < to && steps <= stepLimit; i++) {
      long x = mixed[i];
      int slot = RibbonHasher.start(x, rawStarts, 128);
      long low = RibbonHasher.row(x);
      long high = RibbonHasher.highRow(x);
      steps++;
      for (; low != 0 && rows[slot] != 0; steps++) {
        low ^= rows[slot];
        high ^= highs[slot];
        if (low == 0) {
          slot += 64;
          low = high;
          high = 0;
        }
        int zeros = Long.numberOfTrailingZeros(low) & 63; // 64 if the row is zero
        slot += zeros;
        low = (low >>> zeros) | ((high << 1) << (63 - zeros));
        high >>>= zeros;
      }
      if (low != 0) {
        rows[slot] = low;
        highs[slot] = high;
        placed++;
      }
    }
    return placed;
  }

  /**
   * Solves the Ribbon filter's linear system for a given number of columns of its solution. The
   * words of the solution are ordered as in {@link BackSubstitution}.
   */
  void solve(int columns, long seedMask, long[] solution) {
    if (width == 64) {
      BackSubstitution.solve(rows, null, slots, columns, seedMask, solution);
      return;
    }
    for (int column = 0; column < columns; column++) {
      long low = 0;
      long high = 0;
      for (int slot = slots - 1; slot >= 0; slot--) {
        high = (high << 1) | (low >>> 63);
        low <<= 1;
        long row = rows[slot];
        if (row != 0) {
          low |= Long.bitCount((low & row) ^ (high & highs[slot])) & 1;
        } else {
          low |= (RibbonHasher.freeSlot(slot, seedMask) >>> column) & 1; // column < 64
        }
        if (slot % 128 == 0) {
          int out = 2 * (slot / 128 * columns + column);
          solution[out] = low;
          solution[out + 1] = high;
        }
      }
    }
  }
}
