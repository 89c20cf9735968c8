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
  /** Number of keys in a segment of a builder: memory is reserved in steps of this size. */
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
   * Returns the number of keys that a file can be expected to hold at once, in whole steps.
   *
   * @param maxKeys the number of keys that the file may have; 0 if unknown
   */
  long keys(int maxKeys) {
    long limit = settings.keyLimit();
    return steps(maxKeys > 0 ? Math.min(maxKeys, limit) : limit);
  }

  /** Returns a number of keys rounded up to whole steps. */
  static long steps(long keys) {
    return (keys + STEP - 1) / STEP * STEP;
  }

  /** Returns the bytes that are held with room for a number of keys. */
  long held(long keys, long imageBytes, long indexBytes) {
    return OBJECTS + (long) (BYTES_PER_KEY * keys) + imageBytes + 2 * indexBytes;
  }

  /** Returns the bytes of an image of a number of keys, a little more than expected. */
  long image(long keys) {
    return settings.imageBytes(keys) * 17 / 16 + 64;
  }

  /**
   * Returns the bytes of scratch that building a chunk of a number of keys takes, image included.
   */
  long scratch(long keys) {
    return keys == 0 ? 0 : MIN_SCRATCH + SCRATCH_PER_KEY * keys + IMAGES_IN_SCRATCH * image(keys);
  }

  /** Returns the bytes that making the meta block of an index takes. */
  static long meta(long indexBytes) {
    return 4 * indexBytes;
  }
}
