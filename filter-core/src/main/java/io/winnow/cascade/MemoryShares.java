package io.winnow.cascade;

/**
 * How a memory budget is shared out: fences for as many keys as are expected, buffers for merges,
 * and the rest in halves for the level that takes inserts and the one that is being written.
 */
final class MemoryShares {
  /** Of a source, at a time. */
  static final int MAX_CHUNK_BYTES = 256 << 10;

  /** With fewer, most pages would be the last ones of a chunk, which are not full. */
  private static final int MIN_CHUNK_PAGES = 2;

  /** A chunk is such a part of the budget: a sixth of it is for the buffers of a thread. */
  private static final int BUDGET_PER_CHUNK = 128;

  /** Decoded slots take up to five times the bytes of coded ones, and are there four times. */
  private static final int BYTES_PER_CHUNK_BYTE = 20;

  /** Entries of a level in memory. */
  final long levelEntries;

  /** For the buffers of all merge threads. */
  final long mergeBytes;

  /** Of the levels on flash. */
  final int pageBytes;

  MemoryShares(CascadeOptions options, SlotShape shape) {
    this.pageBytes = options.pageBytes;
    long budget = options.memoryBytes;
    long leastChunk = (long) MIN_CHUNK_PAGES * pageBytes;
    long chunkBytes = Math.min(Math.max(budget / BUDGET_PER_CHUNK, leastChunk), MAX_CHUNK_BYTES);
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

  /** Bytes of each source that a merge takes at a time, if {@code threads} threads merge. */
  int chunkBytes(int threads) {
    long share = mergeBytes / threads / BYTES_PER_CHUNK_BYTE;
    return (int) Math.min(Math.max(share, (long) MIN_CHUNK_PAGES * pageBytes), MAX_CHUNK_BYTES);
  }

  /** At most a quarter: who expects nothing in particular shall not pay for it in full. */
  private static double fenceBytes(CascadeOptions options, SlotShape shape) {
    double bytes = SlotCoding.bytes(shape, options.expectedMaximum);
    boolean isDefault = options.expectedMaximum == CascadeOptions.DEFAULT_EXPECTED_MAXIMUM;
    return Math.min(
        bytes / options.pageBytes * Integer.BYTES, options.memoryBytes / (isDefault ? 16.0 : 4.0));
  }
}
