package io.winnow.hbase.write;

import io.winnow.hbase.settings.WinnowSettings;

/**
 * What the filter of one file takes of the heap while it is made: bounds, in bytes.
 *
 * <p>Held from the first key on: 8 bytes per key of a chunk, in segments, and half a byte of
 * samples that look for repeats; a chunk that waits for its block; the chunk index, in an array
 * that doubles. A build takes scratch beside that: sorted hashes, rows and right-hand sides, or a
 * table, and a few times the image.
 */
final class BuildCost {
  /** Keys that come in together: a segment of a builder. */
  static final int STEP = 1 << 12;

  private static final long OBJECTS = 2048;
  private static final double BYTES_PER_KEY = 8.5;
  private static final long SCRATCH_PER_KEY = 28;
  private static final long IMAGES_IN_SCRATCH = 6;
  private static final long LEAST_SCRATCH = 128 << 10;

  private final WinnowSettings settings;

  BuildCost(WinnowSettings settings) {
    this.settings = settings;
  }

  /** The keys that a file can be expected to have at once, in whole steps. */
  long keys(int maxKeys) {
    long limit = settings.keyLimit();
    return steps(maxKeys > 0 ? Math.min(maxKeys, limit) : limit);
  }

  static long steps(long keys) {
    return (keys + STEP - 1) / STEP * STEP;
  }

  /** What is held with room for so many keys. */
  long held(long keys, long imageBytes, long indexBytes) {
    return OBJECTS + (long) (BYTES_PER_KEY * keys) + imageBytes + 2 * indexBytes;
  }

  /** The image of so many keys, a little larger than expected. */
  long image(long keys) {
    return settings.imageBytes(keys) * 17 / 16 + 64;
  }

  /** What building a chunk of so many keys takes, image included. */
  long scratch(long keys) {
    return keys == 0 ? 0 : LEAST_SCRATCH + SCRATCH_PER_KEY * keys + IMAGES_IN_SCRATCH * image(keys);
  }

  /** What it takes to make the meta block of this index. */
  static long meta(long indexBytes) {
    return 4 * indexBytes;
  }
}
