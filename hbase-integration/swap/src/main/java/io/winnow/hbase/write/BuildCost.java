package io.winnow.hbase.write;

import io.winnow.hbase.settings.WinnowSettings;

/**
 * Bounds, in bytes, on the heap that the filter of one file takes while it is built.
 *
 * <p>Held from the first key on: 8 bytes per key of a chunk, in segments, and half a byte of
 * samples that look for repeats; a chunk that waits for its block; the chunk index, in an array
 * that doubles. A build takes scratch beside that: sorted hashes, rows and right-hand sides, or a
 * table, and a few times the image.
 */
final class BuildCost {
  /** Number of keys for which a filter under construction reserves memory at a time. */
  static final int STEP = 1 << 12;

  private static final long OBJECTS = 2048;
  private static final double BYTES_PER_KEY = 8.5;
  private static final long SCRATCH_PER_KEY = 28;
  private static final long IMAGES_IN_SCRATCH = 6;
  private static final long MIN_SCRATCH = 128 << 10;

  private final WinnowSettings settings;

  BuildCost(WinnowSettings settings) {
    this.settings = settings;
  }

  /**
   * Returns the number of keys that the filter of a file is expected to hold in memory at once, in
   * whole steps of a reservation.
   *
   * @param maxKeys the number of keys that the file may have; 0 if unknown
   */
  long keys(int maxKeys) {
    long limit = settings.keyLimit();
    return steps(maxKeys > 0 ? Math.min(maxKeys, limit) : limit);
  }

  /** Returns a number of keys rounded up to whole steps of a memory reservation. */
  static long steps(long keys) {
    return (keys + STEP - 1) / STEP * STEP;
  }

  /**
   * Returns the bytes of heap that a filter under construction takes with room for a number of
   * keys.
   */
  long held(long keys, long imageBytes, long indexBytes) {
    return OBJECTS + (long) (BYTES_PER_KEY * keys) + imageBytes + 2 * indexBytes;
  }

  /**
   * Returns an upper bound on the bytes of the filter image of a number of keys, a little more than
   * expected.
   */
  long image(long keys) {
    return settings.imageBytes(keys) * 17 / 16 + 64;
  }

  /**
   * Returns the bytes of scratch memory that building a chunk of a number of keys takes, its image
   * included.
   */
  long scratch(long keys) {
    return keys == 0 ? 0 : MIN_SCRATCH + SCRATCH_PER_KEY * keys + IMAGES_IN_SCRATCH * image(keys);
  }

  /**
   * Returns the bytes of memory that making a filter's meta block takes, from the bytes of the
   * chunk index.
   */
  static long meta(long indexBytes) {
    return 4 * indexBytes;
  }
}
