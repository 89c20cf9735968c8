package io.winnow.hbase;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileReaderImpl;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;

/**
 * The on-heap block cache of a file, and which questions must look a block up there that was seen
 * before.
 *
 * <p>A look-up takes many times what the probe of a filter takes. Two of its effects matter: the
 * hit is counted, which {@link #countHit} does too; and the block becomes the last one used. The
 * cache looks at who was used when only as it evicts: in runs, each of which makes room for some 4
 * % of the cache, and takes the blocks first that were used longest ago. So the first question
 * after each run looks the block up. At the next run a chunk in use then stands among the blocks
 * that were used since the last run, as it does with stock, and all that were not used since go
 * before it.
 *
 * <p>Where a cache hardly evicts and all its blocks are in use, it matters who is used more often.
 * So of the other questions one in {@value #QUESTIONS_PER_LOOK_UP} looks the block up too. Chance
 * picks it, so that it does not matter which keys are asked for.
 *
 * <p>Only for {@link LruBlockCache}, HBase's default and the first level under a BucketCache, which
 * evicts by last use. Thread-safe; nothing here is written by a question but HBase's own counters.
 */
final class CacheWatch {
  /** A power of two. */
  static final int QUESTIONS_PER_LOOK_UP = 16;

  private final LruBlockCache cache;
  private final CacheStats stats;
  private final String file;
  private final boolean primary;

  private CacheWatch(LruBlockCache cache, HFile.Reader reader) {
    this.cache = cache;
    this.stats = cache.getStats();
    this.file = reader.getName();
    this.primary = reader.isPrimaryReplicaReader();
  }

  /** For the cache of this reader's filter blocks; null where every block is to be looked up. */
  static CacheWatch of(HFile.Reader reader) {
    try {
      if (reader instanceof HFileReaderImpl file && isWanted(file.getConf())) {
        Optional<BlockCache> cache = file.getCacheConf().getBlockCache();
        if (cache.isPresent() && firstLevel(cache.get()) instanceof LruBlockCache onHeap) {
          return new CacheWatch(onHeap, reader);
        }
      }
      return null;
    } catch (RuntimeException | LinkageError e) {
      return null; // HBase 2.5 does not tell a reader's cache; all goes well without a watch too
    }
  }

  /** Unless it is switched off, by {@link Setting#READ_SHORTCUT}. */
  private static boolean isWanted(Configuration conf) {
    return conf == null
        || !conf.getTrimmed(Setting.READ_SHORTCUT.key(), "true").equalsIgnoreCase("false");
  }

  private static BlockCache firstLevel(BlockCache cache) {
    BlockCache[] levels = cache.getBlockCaches();
    return levels == null || levels.length == 0 ? cache : levels[0];
  }

  /** What the cache knows the chunk's block at this offset by. */
  BlockCacheKey key(long offset) {
    return new BlockCacheKey(file, offset, primary, BlockType.BLOOM_CHUNK);
  }

  /** Whether this question is to look the block up. */
  boolean isDue(SeenImage image) {
    return image.evictions() != stats.getEvictionCount()
        || (ThreadLocalRandom.current().nextInt() & (QUESTIONS_PER_LOOK_UP - 1)) == 0;
  }

  /**
   * Looks the block up, which makes it the last one used; counts nothing.
   *
   * @return whether the cache has it, and it is the one that the image was seen in
   */
  boolean lookUp(SeenImage image) {
    long evictions = stats.getEvictionCount(); // a run that goes on now asks for one more look-up
    // As a second try, which does not ask the second level: the reader does that, and loads.
    Cacheable found = cache.getBlock(image.key(), true, true, false);
    if (found == null) {
      return false;
    }
    try {
      boolean same = found instanceof HFileBlock block && image.isIn(block);
      if (same) {
        image.lookedUp(evictions);
      }
      return same;
    } finally {
      found.release();
    }
  }

  /** Counts what a look-up of a filter block that is there, of so many bytes, counts. */
  void countHit(int bytes) {
    stats.hit(true, primary, BlockType.BLOOM_CHUNK);
    ScanMetrics.countCached(bytes);
  }
}
