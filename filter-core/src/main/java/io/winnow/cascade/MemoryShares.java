package io.winnow.cascade;

/**
 * The shares of the memory budget: fences for the expected maximum of keys, buffers for merges, and
 * the rest in equal parts for the active and the frozen memory level.
 */
final class MemoryShares {
  /** Maximum of bytes of a source in one chunk. */
  static final int MAX_CHUNK_BYTES = 256 << 10;

  /**
   * Minimum of pages of a source in a chunk. With fewer, most pages would be the last of their
   * chunk, which are not full.
   */
  private static final int MIN_CHUNK_PAGES = 2;

  /**
   * Budget divided by the bytes of a chunk, so that the buffers of one thread take a sixth of the
   * budget.
   */
  private static final int BUDGET_PER_CHUNK = 128;

  /**
   * Memory for each byte of a chunk: decoded slots are up to five times as large as coded ones, and
   * there are four copies.
   */
  private static final int BYTES_PER_CHUNK_BYTE = 20;

  /** Entries of a memory level. */
  final long levelEntries;

  /** Bytes for the buffers of all merge threads. */
  final long mergeBytes;

  /** Page size of the levels on flash. */
  final int pageBytes;

  MemoryShares(CascadeOptions options, SlotShape shape) {
    this.pageBytes = options.pageBytes;
    long budget = options.memoryBytes;
    long minChunk = (long) MIN_CHUNK_PAGES * pageBytes;
    long chunkBytes = Math.min(Math.max(budget / BUDGET_PER_CHUNK, minChunk), MAX_CHUNK_BYTES);
    this.mergeBytes =
        Math.min(options.mergeThreads * chunkBytes * BYTES_PER_CHUNK_BYTE, budget / 4);
    double forEach = (budget - mergeBytes - fenceBytes(options, shape)) / 2.0;
    long low = 1024;
    long high = budget;
    while (high - low > 1) {
      long middle = low + high >>> 1;
      if (MemoryLevel.bytesFor(shape, middle) <= forEach) {
        low = middle;
      } else {
        high = middle;
      }
    }
    this.levelEntries = low;
  }

  /** Returns the bytes of each source in a chunk if {@code threads} threads merge. */
  int chunkBytes(int threads) {
    long share = mergeBytes / threads / BYTES_PER_CHUNK_BYTE;
    return (int) Math.min(Math.max(share, (long) MIN_CHUNK_PAGES * pageBytes), MAX_CHUNK_BYTES);
  }

  /**
   * Returns the memory for fences: at most a quarter of the budget, and less if the expected
   * maximum is the default, which hardly any filter reaches.
   */
  private static double fenceBytes(CascadeOptions options, SlotShape shape) {
    double bytes = SlotCoding.bytes(shape, options.expectedMaximum);
    boolean isDefault = options.expectedMaximum == CascadeOptions.DEFAULT_EXPECTED_MAXIMUM;
    return Math.min(
        bytes / options.pageBytes * Integer.BYTES, options.memoryBytes / (isDefault ? 16.0 : 4.0));
  }
}
