package io.winnow.hbase.read;

/**
 * Operations of a block cache that the reader of a filter needs to use a chunk again that it holds.
 * A reader gets its blocks from HBase, whatever cache that has. Only code that queries the cache
 * itself, or saves the query, has to know the cache. An HBase with another cache (HBASE-30018)
 * needs another class like {@link FirstLevelChunkCache}, and no change elsewhere. Thread-safe.
 */
interface ChunkCache {
  /**
   * Returns the key that a chunk's block has in the block cache, from the block's offset in the
   * file.
   */
  Object key(long offset);

  /**
   * Returns true if the block cache evicts blocks by the time of their last use only, not by the
   * number of their uses.
   */
  boolean evictsByLastUse();

  /** Returns the number of evictions of the block cache so far. */
  long evictions();

  /**
   * Makes the block of a chunk the most recently used block of the block cache. Counts nothing.
   *
   * @return true if the cache has a block by the image's key, and the image was seen in this block
   */
  boolean use(SeenImage image);

  /**
   * Counts a hit in the statistics of the block cache, as HBase's look-up of a filter block does.
   *
   * @param bytes the bytes that count as read with the block
   */
  void countHit(int bytes);
}
