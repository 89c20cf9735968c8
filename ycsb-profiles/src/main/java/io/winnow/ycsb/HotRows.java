package io.winnow.ycsb;

/**
 * Sizes that make filters, index and hot rows of stock's table fill a block cache: the number of
 * hot rows, and the parts of a cache with an off-heap BucketCache.
 */
final class HotRows {
  /**
   * Number of bytes that a cached block takes besides its data: HBase's objects around it, its
   * header and its checksums.
   */
  private static final long BLOCK_OVERHEAD = 700;

  /** Size of all index levels above the leaves, as a share of the leaves' size. */
  private static final double HIGHER_LEVELS = 0.01;

  /**
   * Size of the on-heap cache before a BucketCache, as a multiple of the stock Bloom filters and
   * index blocks that it holds: it needs spare room because LRU evicts before it is full.
   */
  private static final double FIRST_LEVEL_ROOM = 1.3;

  private HotRows() {}

  /**
   * Returns the number of hot rows whose blocks fill the block cache together with stock Bloom
   * filters. Hot rows lie anywhere in the table, so each has a data block of its own and shares its
   * leaf of the block index with few others. All share the index's higher levels.
   */
  static long of(
      long cacheBytes, long bloomBytes, long leafIndexBytes, KeySpace keys, BlockSizes blocks) {
    double perRow = blocks.dataOf(keys.keyLength()) + BLOCK_OVERHEAD;
    double perLeaf = blocks.index() + BLOCK_OVERHEAD;
    double leaves = Math.ceil((double) leafIndexBytes / blocks.index());
    double shared = bloomBytes + HIGHER_LEVELS * leafIndexBytes;
    long hot = 1;
    while (hot < keys.rows()) {
      double touched = leaves == 0 ? 0 : leaves * (1 - Math.pow(1 - 1 / leaves, hot + 1));
      if (shared + (hot + 1) * perRow + touched * perLeaf > cacheBytes) {
        break;
      }
      hot++;
    }
    return hot;
  }

  /**
   * Returns a block cache of a given total size whose BucketCache has the room that stock filters
   * and the index leave. Filters and indexes are in the first level, which has room for all.
   */
  static ServerCache bucketCache(
      long all, long bloomBytes, long leafIndexBytes, long hotRows, BlockSizes blocks) {
    long index = Math.min(leafIndexBytes, hotRows * (blocks.index() + BLOCK_OVERHEAD));
    return new ServerCache(
        Math.round(FIRST_LEVEL_ROOM * (bloomBytes + index)),
        Math.max(1 << 20, all - bloomBytes - index),
        blocks.data());
  }
}
