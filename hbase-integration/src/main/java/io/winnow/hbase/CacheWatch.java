package io.winnow.hbase;

import java.util.Optional;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileReaderImpl;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;

/**
 * What the on-heap block cache tells of itself, by which a reader knows for how long a block that
 * it saw there must still be there, and as recently used as it needs to be.
 *
 * <p>Looking a block up costs a key object, a locked entry of a concurrent map, and some counters:
 * about 120 ns, many times what the probe of a filter takes. Of all that, two effects matter: the
 * hit is counted, which {@link #countHit} does too; and the block becomes the last one used, which
 * matters only as other blocks come in. So {@link #age} counts what came in: while it has moved by
 * less than {@link #patience} since a look-up, that look-up still stands, but for a fixed share of
 * the probes, which say to the cache that the block is used more than others.
 *
 * <p>Only for {@link LruBlockCache}, HBase's default and the first level under a BucketCache, which
 * evicts by last use. Thread-safe.
 */
final class CacheWatch {
  /** Look-ups stand while no more than this part of the cache's blocks came in. */
  private static final int PATIENCE_SHIFT = 6;

  private final LruBlockCache cache;
  private final CacheStats stats;
  private final boolean primary;

  private CacheWatch(LruBlockCache cache, boolean primary) {
    this.cache = cache;
    this.stats = cache.getStats();
    this.primary = primary;
  }

  /** For the cache of this reader's filter blocks; null where every block is to be looked up. */
  static CacheWatch of(HFile.Reader reader) {
    try {
      if (reader instanceof HFileReaderImpl file) {
        Optional<BlockCache> cache = file.getCacheConf().getBlockCache();
        if (cache.isPresent() && firstLevel(cache.get()) instanceof LruBlockCache onHeap) {
          return new CacheWatch(onHeap, reader.isPrimaryReplicaReader());
        }
      }
      return null;
    } catch (RuntimeException | LinkageError e) {
      return null; // HBase 2.5 does not tell a reader's cache; and without a watch all goes well
      // too
    }
  }

  private static BlockCache firstLevel(BlockCache cache) {
    BlockCache[] levels = cache.getBlockCaches();
    return levels == null || levels.length == 0 ? cache : levels[0];
  }

  /** Moves on by one with every block that comes in, and falls when blocks are invalidated. */
  long age() {
    return cache.getBlockCount() + stats.getEvictedCount();
  }

  /** By how much {@link #age} may move on until a block should be looked up again. */
  long patience() {
    return cache.getBlockCount() >>> PATIENCE_SHIFT;
  }

  /** Counts what a look-up of a filter block that is there counts. */
  void countHit() {
    stats.hit(true, primary, BlockType.BLOOM_CHUNK);
  }
}
