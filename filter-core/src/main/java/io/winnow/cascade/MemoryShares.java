package io.winnow.cascade;

/**
 * The parts of a cascade filter's memory budget: fences for the expected maximum of keys, buffers
 * for merges, and the rest in equal parts for the active and the frozen memory level.
 */
final class MemoryShares {
  /** Maximum of bytes of each source in one chunk of a merge. */
  static final int MAX_CHUNK_BYTES = 256 << 10;

  /**
   * Minimum of pages of each source in one chunk of a merge. With fewer, most pages would be the
   * last of their chunk, which are not full.
   */
  private static final int MIN_CHUNK_PAGES = 2;

  /**
   * Memory budget divided by the bytes of a merge's chunk, so that the buffers of one thread take a
   * sixth of the budget.
   */
  private static final int BUDGET_PER_CHUNK = 128;

  /**
   * Bytes of memory for each byte of a merge's chunk: decoded slots are up to five times as large
   * as coded ones, and there are four copies.
   */
  private static final int BYTES_PER_CHUNK_BYTE = 20;

  /** Number of entries that a memory level has room for. */
  final long levelEntries;

  /** Bytes of memory for the buffers of all merge threads. */
  final long mergeBytes;

  /** Minimum of bytes of each source in one chunk of a merge. */
  private final long minChunkBytes;

  MemoryShares(CascadeOptions options, SlotShape shape) {
    this.minChunkBytes = (long) MIN_CHUNK_PAGES * options.pageBytes;
    long budget = options.memoryBytes;
    long chunkBytes = Math.min(Math.max(budget / BUDGET_PER_CHUNK, minChunkBytes), MAX_CHUNK_BYTES);
    this.mergeBytes =
        Math.min(options.mergeThreads * chunkBytes * BYTES_PER_CHUNK_BYTE, budget / 4);
    double forEach = (budget - mergeBytes - fenceBytes(options, shape)) / 2.0;
    long low = 1024;
    long high = budget;
    while (high - low > 1) {
      long middle = low + high >>> 1;
      if (MemoryLayout.bytesFor(shape, middle) <= forEach) {
        low = middle;
      } else {
        high = middle;
      }
    }
    this.levelEntries = low;
  }

  /**
   * Returns the bytes that a chunk of a merge has of each source if a given number of threads
   * merge.
   */
  int chunkBytes(int threads) {
    long share = mergeBytes / threads / BYTES_PER_CHUNK_BYTE;
    return (int) Math.min(Math.max(share, minChunkBytes), MAX_CHUNK_BYTES);
  }

  /**
   * Returns the bytes of memory for fences: at most a quarter of the budget, and less if the
   * expected maximum is the default, which hardly any filter reaches.
   */
  private static double fenceBytes(CascadeOptions options, SlotShape shape) {
    double bytes = shape.bytes(options.expectedMaximum);
    boolean isDefault = options.expectedMaximum == CascadeOptions.DEFAULT_EXPECTED_MAXIMUM;
    return Math.min(
        bytes / options.pageBytes * Integer.BYTES, options.memoryBytes / (isDefault ? 16.0 : 4.0));
  }
}
