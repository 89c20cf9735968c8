package io.winnow.hbase.read;

import io.winnow.hbase.HBaseMember;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.FirstLevelBlockCache;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileReaderImpl;

/**
 * The block cache on the heap that has HBase's filter blocks: the only cache, or the first level
 * over a BucketCache. As long as it has a block, it returns the same object for it. By default it
 * is an {@code LruBlockCache}, which evicts by last use.
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

  private static final String LRU = "org.apache.hadoop.hbase.io.hfile.LruBlockCache";
  private static final String TINY_LFU = "org.apache.hadoop.hbase.io.hfile.TinyLfuBlockCache";

  /** Names of HBase's own classes of first levels; an HBase may lack some of them. */
  private static final Set<String> KNOWN =
      Set.of(
          LRU,
          TINY_LFU,
          "org.apache.hadoop.hbase.io.hfile.LruAdaptiveBlockCache",
          "org.apache.hadoop.hbase.io.hfile.IndexOnlyLruBlockCache");

  private final FirstLevelBlockCache cache;
  private final boolean hasAllChunks;
  private final CacheStats stats;
  private final String file;
  private final boolean primary;

  private FirstLevelChunkCache(
      FirstLevelBlockCache cache, boolean hasAllChunks, HFile.Reader reader) {
    this.cache = cache;
    this.hasAllChunks = hasAllChunks;
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
      FirstLevelBlockCache.class.getMethod("containsBlock", BlockCacheKey.class);
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
    if (!(first instanceof FirstLevelBlockCache)) {
      return null;
    }
    CachePressure.OF_THIS_JVM.watch(first.getStats());
    return new FirstLevelChunkCache(
        (FirstLevelBlockCache) first, hasAllChunks(cache.get(), first), reader);
  }

  /**
   * Returns true if a chunk that the first level lacks is in no other level. HBase keeps chunks in
   * the first level over a BucketCache. A cache of a class that is not known may do otherwise, and
   * an external second level has chunks too.
   */
  private static boolean hasAllChunks(BlockCache whole, BlockCache first) {
    return KNOWN.contains(first.getClass().getName())
        && (whole == first || whole.getClass() == CombinedBlockCache.class);
  }

  private static BlockCache firstLevel(BlockCache cache) {
    BlockCache[] levels = cache.getBlockCaches();
    return levels == null || levels.length == 0 ? cache : levels[0];
  }

  /** Returns the key in the cache of the chunk's block at this offset. */
  Object key(long offset) {
    return chunkKey(offset);
  }

  private BlockCacheKey chunkKey(long offset) {
    return new BlockCacheKey(file, offset, primary, BlockType.BLOOM_CHUNK);
  }

  /**
   * Returns true if the cache certainly lacks the chunk's block at this offset; false if the cache
   * is not known. Counts nothing, and is no use of the block.
   */
  boolean lacks(long offset) {
    return hasAllChunks && !cache.containsBlock(chunkKey(offset));
  }

  /**
   * Returns true if the cache keeps a block that is used between any two evictions, however often
   * it is used in between. An {@code LruBlockCache} evicts the blocks that were used longest ago. A
   * {@code TinyLfuBlockCache} evicts one block at a time, of two the one that was used less often;
   * so a block with a use for each eviction is far from the rarest of all.
   */
  boolean keepsWhatIsUsedBetweenEvictions() {
    String name = cache.getClass().getName();
    return name.equals(LRU) || name.equals(TINY_LFU);
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
