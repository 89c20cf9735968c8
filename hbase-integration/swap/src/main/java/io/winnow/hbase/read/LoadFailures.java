package io.winnow.hbase.read;

/**
 * Which chunks of a file could not be loaded, and when each is tried again: at once for the first
 * few failures in a row, and then after a pause that grows with them, of {@value #LONGEST_PAUSE}
 * seconds at most. So a question pays for a broken disk now and then only, and a disk that is
 * mended is found.
 *
 * <p>Races are benign: a failure more or less.
 */
final class LoadFailures {
  /** Failures in a row after which there are pauses. */
  static final int AT_ONCE = 3;

  static final int LONGEST_PAUSE = 30;

  private static final int SHORT_PAUSES = 10;
  private static final long NANOS = 1_000_000_000;

  private final int[] failures;
  private final long[] nextTry;

  LoadFailures(int chunks) {
    failures = new int[chunks];
    nextTry = new long[chunks];
  }

  /** How often it has failed in a row. */
  int inARow(int chunk) {
    return failures[chunk];
  }

  /** Whether it may be tried now; after a pause, whoever asks first does. */
  boolean mayTry(int chunk, long nanoTime) {
    if (failures[chunk] <= AT_ONCE) {
      return true;
    }
    if (nanoTime - nextTry[chunk] < 0) {
      return false;
    }
    nextTry[chunk] = nanoTime + pauseSeconds(failures[chunk]) * NANOS;
    return true;
  }

  /** It failed; answers how often in a row. */
  int failed(int chunk, long nanoTime) {
    int inARow = Math.min(failures[chunk] + 1, SHORT_PAUSES + LONGEST_PAUSE);
    failures[chunk] = inARow;
    nextTry[chunk] = nanoTime + pauseSeconds(inARow) * NANOS;
    return inARow;
  }

  /** It was loaded. */
  void loaded(int chunk) {
    failures[chunk] = 0;
  }

  /** For how long it is not tried after so many failures in a row. */
  static long pauseSeconds(int inARow) {
    return inARow <= AT_ONCE ? 0 : Math.min(LONGEST_PAUSE, Math.max(1, inARow - SHORT_PAUSES));
  }
}
