package io.winnow.ribbon;

import java.util.Arrays;

/**
 * Determines the false-positive rate of a solved Ribbon system, and the number of its first blocks
 * that can have one column fewer.
 *
 * <p>It samples starts evenly, and evaluates each for all coefficient rows together: of the {@code
 * 2^(w-1)} rows at one start exactly the fraction {@code 2^-rank} passes, where the rank is that of
 * the solution's columns over the window (and none if the columns require coefficient 0, which is
 * always 1, to be 0). Sampling may miss a window with a deficient rank; around each one that is
 * found, all starts are evaluated. Design note: {@code docs/design/rate-guard.md}.
 */
final class RibbonRate {
  /**
   * Number of raw starts of a Ribbon filter (first slots of windows, before they are clamped) up to
   * which the rate of each one is computed; among more, a sample is taken.
   */
  private static final int EXACT_BELOW = 4096;

  /**
   * Number of consecutive raw starts of a Ribbon filter (first slots of windows, before they are
   * clamped) that are a stratum in larger systems, from which one is sampled. The larger a stratum
   * is, the more deficient windows are missed.
   */
  private static final int STRATUM = 32;

  private final int width;
  private final long[] low = new long[RibbonShape.MAX_COLUMNS];
  private final long[] high = new long[RibbonShape.MAX_COLUMNS];

  /** Mean false-positive rate of each stratum (a range of starts) with all columns. */
  private float[] upper = {};

  /**
   * Mean false-positive rate of each stratum (a range of starts) with all columns except the last.
   */
  private float[] lower = {};

  private long[] solution;
  private int columns;
  private long rawStarts;
  private int stratum;
  private int strata;
  private float foundLower;
  private float foundUpper;

  RibbonRate(int width) {
    this.width = width;
  }

  /**
   * Computes the false-positive rates of the starts in a Ribbon solution, from which the other
   * methods then compute their results.
   */
  void measure(long[] newSolution, int newColumns, int slots) {
    solution = newSolution;
    columns = newColumns;
    rawStarts = RibbonHasher.rawStarts(slots, width);
    stratum = rawStarts <= EXACT_BELOW ? 1 : STRATUM;
    strata = (int) ((rawStarts + stratum - 1) / stratum);
    if (upper.length < strata) {
      upper = new float[strata];
      lower = new float[strata];
    }
    Arrays.fill(upper, 0, strata, -1);
    float deficient = 1.5f * Math.scalb(1.0f, -columns);
    for (int i = 0; i < strata; i++) {
      evaluate(middle(i));
      if (stratum > 1 && foundUpper > deficient) {
        for (int j = Math.max(i - 1, 0); j <= Math.min(i + 1, strata - 1); j++) {
          evaluateWhole(j);
        }
      } else if (upper[i] < 0) {
        upper[i] = foundUpper;
        lower[i] = foundLower;
      }
    }
  }

  /**
   * Returns the raw start in the middle of a stratum, which is a range of a Ribbon filter's raw
   * starts and is represented by this one.
   */
  private long middle(int i) {
    return Math.min((long) i * stratum + stratum / 2, rawStarts - 1);
  }

  /**
   * Computes the mean false-positive rates of a Ribbon filter, with all columns and with one fewer,
   * for a range of raw starts (first slots of keys' windows, before they are clamped).
   */
  private void evaluateWhole(int i) {
    long from = (long) i * stratum;
    long to = Math.min(from + stratum, rawStarts);
    double sumUpper = 0;
    double sumLower = 0;
    for (long raw = from; raw < to; raw++) {
      evaluate(raw);
      sumUpper += foundUpper;
      sumLower += foundLower;
    }
    upper[i] = (float) (sumUpper / (to - from));
    lower[i] = (float) (sumLower / (to - from));
  }

  /** Returns the false-positive rate if a given number of first blocks have one column fewer. */
  double rate(int lowerBlocks) {
    double sum = 0;
    for (int i = 0; i < strata; i++) {
      sum += blockOf(i) < lowerBlocks ? lower[i] : upper[i];
    }
    return sum / strata;
  }

  /**
   * Returns the largest number of a Ribbon filter's blocks that can have one column fewer without a
   * rate above a given limit, or -1 if the rate is higher anyway.
   */
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
      sum += (double) lower[i] - upper[i];
      if (sum > limit) {
        return blockOf(i);
      }
    }
    return blocks;
  }

  /** Returns the block of a Ribbon filter's slots in which a stratum (a range of starts) begins. */
  private int blockOf(int i) {
    return (int) (RibbonHasher.clamp(middle(i), rawStarts, width) / width);
  }

  /**
   * Computes the fraction of all coefficient rows at one start of a Ribbon filter that pass all
   * columns, and of those that pass all except the last.
   */
  private void evaluate(long raw) {
    int start = (int) RibbonHasher.clamp(raw, rawStarts, width);
    read(start, low);
    if (width == 128) {
      read(start + 64, high);
    }
    eliminate();
  }

  /** Reads the bits of each column of a Ribbon solution in 64 slots, from a given slot on. */
  private void read(int slot, long[] window) {
    int shift = slot & 63;
    int here = place(slot >>> 6);
    int next = shift == 0 ? here : place((slot >>> 6) + 1); // with shift 0, ored with itself
    if (width == 128) {
      for (int i = 0; i < columns; i++) {
        window[i] = solution[here + 2 * i] >>> shift | solution[next + 2 * i] << -shift;
      }
    } else if (shift == 0) { // half of the starts that are sampled
      System.arraycopy(solution, here, window, 0, columns);
    } else {
      for (int i = 0; i < columns; i++) {
        window[i] = solution[here + i] >>> shift | solution[next + i] << -shift;
      }
    }
  }

  /**
   * Returns the index in a Ribbon solution at which the first column of a word of 64 slots begins.
   */
  private int place(int word) {
    return width == 64 ? word * columns : (word & ~1) * columns + (word & 1);
  }

  /**
   * Computes the rank of the columns in a Ribbon filter's window by Gaussian elimination, with the
   * highest bit of each column as its pivot. Bit 0 belongs to the coefficient that is always 1.
   * Pivots are applied without a branch, because they are random.
   */
  private void eliminate() {
    int rank = 0;
    boolean possible = true;
    foundUpper = 1;
    for (int column = 0; column < columns; column++) {
      foundLower = foundUpper;
      long lowPivot = low[column];
      long highPivot = high[column];
      if (highPivot != 0) { // never at width 64
        rank++;
        int bit = 63 - Long.numberOfLeadingZeros(highPivot);
        for (int i = column + 1; i < columns; i++) {
          long taken = -(high[i] >>> bit & 1);
          low[i] ^= lowPivot & taken;
          high[i] ^= highPivot & taken;
        }
      } else if ((lowPivot & ~1L) != 0) {
        rank++;
        int bit = 63 - Long.numberOfLeadingZeros(lowPivot);
        for (int i = column + 1; i < columns; i++) {
          low[i] ^= lowPivot & -(low[i] >>> bit & 1);
        }
      } else if (lowPivot == 1) {
        possible = false;
      }
      foundUpper = possible ? share(rank) : 0;
    }
  }

  /** Returns {@code 2^-rank} as a float, assembled from its bits. */
  private static float share(int rank) {
    return Float.intBitsToFloat((127 - rank) << 23); // rank <= 56
  }
}
