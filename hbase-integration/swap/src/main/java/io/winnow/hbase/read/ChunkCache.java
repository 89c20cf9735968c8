package io.winnow.hbase.read;

/**
 * The part of a file's block cache that remembered chunks need. A reader gets its blocks from
 * HBase, whatever cache that has. Only code that queries the cache itself, or saves the query, has
 * to know the cache. An HBase with another cache (HBASE-30018) needs another class like {@link
 * FirstLevelChunkCache}, and no change elsewhere. Thread-safe.
 */
interface ChunkCache {
  /** Returns the key in the cache of the chunk's block at this offset. */
  Object key(long offset);

  /**
   * Returns true if only the time of its last use decides when a block is evicted, not the number
   * of its uses.
   */
  boolean evictsByLastUse();

  /** Returns the number of evictions so far. */
  long evictions();

  /**
   * Makes the image's block the most recently used one. Counts nothing.
   *
   * @return true if the cache has a block by the image's key, and the image was seen in this block
   */
  boolean use(SeenImage image);

  /**
   * Counts a hit of the cache as a look-up of a filter block does.
   *
   * @param bytes the bytes that count as read with the block
   */
  void countHit(int bytes);
}
