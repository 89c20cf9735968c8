package io.winnow.hbase.read;

/**
 * Failures to load the chunks of a file's filter, and the time of the next attempt for each chunk.
 * The first few failures in a row are followed by a try at once, later ones by a pause that grows,
 * up to {@value #MAX_PAUSE} seconds. So few probes wait for a broken disk, and a repaired disk is
 * noticed.
 *
 * <p>Races are benign: one failure more or less.
 */
final class LoadFailures {
  /**
   * Maximum number of failures in a row to load a chunk after which the next probe tries again at
   * once.
   */
  static final int MAX_WITHOUT_PAUSE = 3;

  /** Longest pause between two attempts to load a chunk, in seconds. */
  static final int MAX_PAUSE = 30;

  private static final int SHORT_PAUSES = 10;
  private static final long NANOS = 1_000_000_000;

  private final int[] failures;
  private final long[] nextTry;

  LoadFailures(int chunks) {
    failures = new int[chunks];
    nextTry = new long[chunks];
  }

  /** Returns the number of failures in a row to load a chunk. */
  int inARow(int chunk) {
    return failures[chunk];
  }

  /**
   * Returns true if a probe may try to load the chunk now. After a pause only the first probe
   * tries.
   */
  boolean mayTry(int chunk, long nanoTime) {
    if (failures[chunk] <= MAX_WITHOUT_PAUSE) {
      return true;
    }
    if (nanoTime - nextTry[chunk] < 0) {
      return false;
    }
    nextTry[chunk] = nanoTime + pauseSeconds(failures[chunk]) * NANOS;
    return true;
  }

  /**
   * Records a failure to load a chunk.
   *
   * @return the number of failures in a row
   */
  int failed(int chunk, long nanoTime) {
    int inARow = Math.min(failures[chunk] + 1, SHORT_PAUSES + MAX_PAUSE);
    failures[chunk] = inARow;
    nextTry[chunk] = nanoTime + pauseSeconds(inARow) * NANOS;
    return inARow;
  }

  /** Records that a chunk was loaded, and drops the count of its earlier failures to load. */
  void loaded(int chunk) {
    failures[chunk] = 0;
  }

  /**
   * Returns the pause in seconds before the next attempt to load a chunk, after a number of
   * failures in a row.
   */
  static long pauseSeconds(int inARow) {
    return inARow <= MAX_WITHOUT_PAUSE
        ? 0
        : Math.min(MAX_PAUSE, Math.max(1, inARow - SHORT_PAUSES));
  }
}
