package io.winnow.ribbon;

import java.util.Arrays;

/**
 * Determines the false-positive rate of a solved Ribbon system, and with it how many of its first
 * blocks can do with one column fewer.
 *
 * <p>The obvious way is to probe with random hashes and count; at 1 % that takes 30 000 probes for
 * a standard error of 6 %. We also draw random starts, but settle each for all coefficient rows at
 * once: of the {@code 2^(w-1)} rows at one start exactly {@code 2^-rank} pass, where the rank is
 * that of the solution's columns over the window (and none if column bit 0 is not in their span).
 * What is left to chance is only where a window is deficient. Deficient windows come in stretches,
 * where keys crowd, because neighbouring windows differ by one slot; so starts are drawn evenly,
 * and around a deficient one every start is taken. Design note: {@code docs/design/rate-guard.md}.
 */
final class RibbonRate {
  /** Systems up to this many raw starts are evaluated start by start. */
  private static final int EXACT_BELOW = 4096;

  /** Raw starts per stratum otherwise, as long as that makes no more than {@link #MAX_STRATA}. */
  private static final int STRATUM = 32;

  private static final int MAX_STRATA = 1 << 15;

  private final int width;
  private final long[] low = new long[RibbonSizing.MAX_COLUMNS];
  private final long[] high = new long[RibbonSizing.MAX_COLUMNS];
  private double[] upper = {};
  private double[] lower = {};

  private long[] solution;
  private int columns;
  private long rawStarts;
  private long stratum;
  private int strata;
  private double foundLower;
  private double foundUpper;

  RibbonRate(int width) {
    this.width = width;
  }

  /** Takes in a solution: from here on the other methods speak of it. */
  void measure(long[] newSolution, int newColumns, int slots) {
    solution = newSolution;
    columns = newColumns;
    rawStarts = RibbonHasher.rawStarts(slots, width);
    stratum = rawStarts <= EXACT_BELOW ? 1 : Math.max(STRATUM, rawStarts / MAX_STRATA + 1);
    strata = (int) ((rawStarts + stratum - 1) / stratum);
    if (upper.length < strata) {
      upper = new double[strata];
      lower = new double[strata];
    }
    Arrays.fill(upper, 0, strata, -1);
    double deficient = 1.5 * Math.scalb(1.0, -columns);
    for (int i = 0; i < strata; i++) {
      if (upper[i] >= 0 && stratum == 1) {
        continue;
      }
      long middle = Math.min(i * stratum + stratum / 2, rawStarts - 1);
      evaluate(middle);
      boolean refine = stratum > 1 && foundUpper > deficient;
      if (refine) {
        for (int j = Math.max(i - 1, 0); j <= Math.min(i + 1, strata - 1); j++) {
          evaluateWhole(j);
        }
      } else if (upper[i] < 0) {
        upper[i] = foundUpper;
        lower[i] = foundLower;
      }
    }
  }

  private void evaluateWhole(int i) {
    long from = i * stratum;
    long to = Math.min(from + stratum, rawStarts);
    double sumUpper = 0;
    double sumLower = 0;
    long step = Math.max(1, stratum / STRATUM);
    int count = 0;
    for (long raw = from; raw < to; raw += step) {
      evaluate(raw);
      sumUpper += foundUpper;
      sumLower += foundLower;
      count++;
    }
    upper[i] = sumUpper / count;
    lower[i] = sumLower / count;
  }

  /** The rate if the first {@code lowerBlocks} blocks have one column fewer. */
  double rate(int lowerBlocks) {
    double sum = 0;
    for (int i = 0; i < strata; i++) {
      sum += blockOf(i) < lowerBlocks ? lower[i] : upper[i];
    }
    return sum / strata;
  }

  /** The most blocks that can have one column fewer with the rate still at most this, or -1. */
  int lowerBlocks(double rate, int blocks) {
    double sum = 0;
    for (int i = 0; i < strata; i++) {
      sum += upper[i];
    }
    double limit = rate * strata;
    if (sum > limit) {
      return -1;
    }
    for (int i = 0; i < strata; i++) {
      sum += lower[i] - upper[i];
      if (sum > limit) {
        return blockOf(i);
      }
    }
    return blocks;
  }

  private int blockOf(int i) {
    long middle = Math.min(i * stratum + stratum / 2, rawStarts - 1);
    return (int) (RibbonHasher.clamp(middle, rawStarts, width) / width);
  }

  /** Finds the share of rows at this raw start that pass all columns, and all but the last. */
  private void evaluate(long raw) {
    int start = (int) RibbonHasher.clamp(raw, rawStarts, width);
    if (width == 64) {
      evaluate64(start);
    } else {
      evaluate128(start);
    }
  }

  private void evaluate64(int start) {
    int shift = start & 63;
    int here = (start >>> 6) * columns;
    int there = shift == 0 ? here : here + columns;
    long[] basis = low;
    int rank = 0;
    boolean possible = true;
    foundLower = 1;
    foundUpper = 1;
    for (int column = 0; column < columns; column++) {
      foundLower = foundUpper;
      // The window's bits of this column: the low ones from its block, the high ones from the next.
      long word = solution[here + column] >>> shift;
      if (shift != 0) {
        word |= solution[there + column] << (64 - shift);
      }
      for (int i = 0; i < rank; i++) {
        long pivot = basis[i];
        // The pivot is the highest bit; bit 0 belongs to the coefficient that is always 1.
        if ((word & Long.highestOneBit(pivot)) != 0) {
          word ^= pivot;
        }
      }
      if ((word & ~1L) != 0) {
        basis[rank++] = word;
      } else if (word == 1) {
        possible = false;
      }
      foundUpper = possible ? Math.scalb(1.0, -rank) : 0;
    }
  }

  private void evaluate128(int start) {
    int shift = start & 63;
    int half = (start >>> 6) & 1;
    int here = 2 * (start >>> 7) * columns;
    boolean spans = (start & 127) != 0;
    int rank = 0;
    boolean possible = true;
    foundLower = 1;
    foundUpper = 1;
    for (int column = 0; column < columns; column++) {
      foundLower = foundUpper;
      int at = here + 2 * column;
      long first = solution[at];
      long second = solution[at + 1];
      long third = spans ? solution[at + 2 * columns] : 0;
      long fourth = spans ? solution[at + 2 * columns + 1] : 0;
      long a = half == 0 ? first : second;
      long b = half == 0 ? second : third;
      long c = half == 0 ? third : fourth;
      long wordLow = (a >>> shift) | ((b << 1) << (63 - shift));
      long wordHigh = (b >>> shift) | ((c << 1) << (63 - shift));
      for (int i = 0; i < rank; i++) {
        boolean hit =
            high[i] != 0
                ? (wordHigh & Long.highestOneBit(high[i])) != 0
                : (wordLow & Long.highestOneBit(low[i])) != 0;
        if (hit) {
          wordLow ^= low[i];
          wordHigh ^= high[i];
        }
      }
      if (wordHigh != 0 || (wordLow & ~1L) != 0) {
        low[rank] = wordLow;
        high[rank++] = wordHigh;
      } else if (wordLow == 1) {
        possible = false;
      }
      foundUpper = possible ? Math.scalb(1.0, -rank) : 0;
    }
  }
}
