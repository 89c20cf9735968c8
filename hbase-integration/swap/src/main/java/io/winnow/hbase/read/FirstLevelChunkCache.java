package io.winnow.hbase.read;

import io.winnow.hbase.HBaseMember;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.FirstLevelBlockCache;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileReaderImpl;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;

/**
 * The block cache on the heap that has HBase's filter blocks: the only cache, or the first level
 * over a BucketCache. As long as it has a block, it returns the same object for it. By default it
 * is an {@link LruBlockCache}, which evicts by last use.
 *
 * <p>This is the part of a file's block cache that remembered chunks need. A reader gets its blocks
 * from HBase, whatever cache that has. Only code that queries the cache itself, or saves the query,
 * has to know the cache, and it is here: an HBase with another cache (HBASE-30018) needs a change
 * here and nowhere else. Thread-safe.
 */
final class FirstLevelChunkCache {
  /**
   * Getter of the cache configuration of HBase's file reader; null if this HBase lacks a member
   * that use of the block cache needs.
   */
  private static final MethodHandle CACHE_CONFIG = cacheConfig();

  private final BlockCache cache;
  private final CacheStats stats;
  private final String file;
  private final boolean primary;

  private FirstLevelChunkCache(BlockCache cache, HFile.Reader reader) {
    this.cache = cache;
    this.stats = cache.getStats();
    this.file = reader.getName();
    this.primary = reader.isPrimaryReplicaReader();
  }

  private static MethodHandle cacheConfig() {
    try {
      CacheStats.class.getMethod("hit", boolean.class, boolean.class, BlockType.class);
      CacheStats.class.getMethod("getEvictionCount");
      BlockCache.class.getMethod(
          "getBlock", BlockCacheKey.class, boolean.class, boolean.class, boolean.class);
      BlockCacheKey.class.getConstructor(String.class, long.class, boolean.class, BlockType.class);
      return HBaseMember.CACHE_CONFIG.getter(CacheConfig.class, HFileReaderImpl.class);
    } catch (ReflectiveOperationException | LinkageError e) {
      return null;
    }
  }

  /**
   * Returns the block cache that has a reader's filter blocks; null if they are in another kind of
   * cache, or in none.
   */
  static FirstLevelChunkCache of(HFileReaderImpl reader) throws Throwable {
    if (CACHE_CONFIG == null) {
      return null;
    }
    CacheConfig config = (CacheConfig) CACHE_CONFIG.invokeExact(reader);
    Optional<BlockCache> cache = config.getBlockCache();
    BlockCache first = cache.isPresent() ? firstLevel(cache.get()) : null;
    return first instanceof FirstLevelBlockCache ? new FirstLevelChunkCache(first, reader) : null;
  }

  private static BlockCache firstLevel(BlockCache cache) {
    BlockCache[] levels = cache.getBlockCaches();
    return levels == null || levels.length == 0 ? cache : levels[0];
  }

  /** Returns the key in the cache of the chunk's block at this offset. */
  Object key(long offset) {
    return new BlockCacheKey(file, offset, primary, BlockType.BLOOM_CHUNK);
  }

  /**
   * Returns true if only the time of its last use decides when a block is evicted, not the number
   * of its uses.
   */
  boolean evictsByLastUse() {
    return cache instanceof LruBlockCache;
  }

  /** Returns the number of evictions so far. */
  long evictions() {
    return stats.getEvictionCount();
  }

  /**
   * Makes the image's block the most recently used one. Counts nothing.
   *
   * @return true if the cache has a block by the image's key, and the image was seen in this block
   */
  boolean use(SeenImage image) {
    // As a repeated try, which does not query the second level: the reader does that, and loads.
    Cacheable found = cache.getBlock((BlockCacheKey) image.key, true, true, false);
    if (found == null) {
      return false;
    }
    try {
      return found instanceof HFileBlock && image.isIn((HFileBlock) found);
    } finally {
      found.release();
    }
  }

  /**
   * Counts a hit of the cache as a look-up of a filter block does.
   *
   * @param bytes the bytes that count as read with the block
   */
  void countHit(int bytes) {
    stats.hit(true, primary, BlockType.BLOOM_CHUNK);
    ScanMetrics.countCached(bytes);
  }
}
