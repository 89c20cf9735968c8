package io.winnow.cascade;

/**
 * How a memory budget is shared out: fences for as many keys as are expected, buffers for merges,
 * and the rest in halves for the level that takes inserts and the one that is being written.
 *
 * @param levelEntries entries of a level in memory
 * @param chunkBytes bytes of each source that a merge takes at a time
 */
record Memory(long levelEntries, int chunkBytes) {
  private static final int MAX_CHUNK_BYTES = 256 << 10;

  /** Decoded slots take up to five times the bytes of coded ones, and are there four times. */
  private static final int BYTES_PER_CHUNK_BYTE = 20;

  static Memory of(CascadeOptions options, SlotShape shape) {
    long budget = options.memoryBytes();
    long chunkBytes = Math.min(budget / 256, MAX_CHUNK_BYTES);
    long forMerges =
        Math.min(options.mergeThreads() * chunkBytes * BYTES_PER_CHUNK_BYTE, budget / 4);
    double forEach = (budget - forMerges - fenceBytes(options, shape)) / 2.0;
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
    return new Memory(low, (int) chunkBytes);
  }

  /** At most a quarter: who expects nothing in particular shall not pay for it in full. */
  private static double fenceBytes(CascadeOptions options, SlotShape shape) {
    double keys = options.expectedMaximum();
    double bytes = keys * SlotCoding.bitsPerSlot(shape.bits(), keys, shape.minRemainderBits()) / 8;
    boolean isDefault = options.expectedMaximum() == CascadeOptions.DEFAULT_EXPECTED_MAXIMUM;
    return Math.min(
        bytes / options.pageBytes() * Integer.BYTES,
        options.memoryBytes() / (isDefault ? 16.0 : 4.0));
  }
}
