package io.winnow.hbase.read;

/**
 * The block cache of a file, as far as remembered chunks need it. A reader gets its blocks from
 * HBase, whatever cache that has; only code that asks the cache itself, or spares the question, has
 * to know the cache. An HBase with another one (HBASE-30018) needs another class like {@link
 * FirstLevelChunkCache}, and no change elsewhere. Thread-safe.
 */
interface ChunkCache {
  /** What the cache knows the chunk's block at this offset by. */
  Object key(long offset);

  /** Whether it matters only when a block was used last, and not how often. */
  boolean evictsByLastUse();

  /** How often it has evicted. */
  long evictions();

  /**
   * Makes the image's block the last one used; counts nothing.
   *
   * @return whether the cache has one by the image's key, and it is the one that the image was seen
   *     in
   */
  boolean use(SeenImage image);

  /** Counts what a look-up of a filter block that is there, of so many bytes, counts. */
  void countHit(int bytes);
}
