package io.winnow.hbase;

import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileReaderImpl;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;

/**
 * What the on-heap block cache tells of itself, by which a reader knows how often it must look up a
 * block that it has seen there.
 *
 * <p>Looking a block up costs a key object, a locked entry of a concurrent map, and some counters:
 * about 120 ns, many times what the probe of a filter takes. Of all that, two effects matter: the
 * hit is counted, which {@link #countHit} does too; and the block becomes the last one used, which
 * matters only as other blocks come in. So of the probes of a chunk only some look it up, the fewer
 * the less comes in between them ({@link SeenImage}). {@link #age} counts what came in; it reads
 * counters that every load writes, and so only a look-up asks for it.
 *
 * <p>Only for {@link LruBlockCache}, HBase's default and the first level under a BucketCache, which
 * evicts by last use. Thread-safe.
 */
final class CacheWatch {
  /** Between two look-ups no more than this part of the cache's blocks should come in. */
  private static final int SHARE_SHIFT = 7;

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
      if (reader instanceof HFileReaderImpl file && isWanted(file.getConf())) {
        Optional<BlockCache> cache = file.getCacheConf().getBlockCache();
        if (cache.isPresent() && firstLevel(cache.get()) instanceof LruBlockCache onHeap) {
          return new CacheWatch(onHeap, reader.isPrimaryReplicaReader());
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

  /** Moves on by one with every block that comes in, and falls when blocks are invalidated. */
  long age() {
    return cache.getBlockCount() + stats.getEvictedCount();
  }

  /** By how much {@link #age} may move between two look-ups of a block. */
  long patience() {
    return cache.getBlockCount() >>> SHARE_SHIFT;
  }

  /** Counts what a look-up of a filter block that is there, of so many bytes, counts. */
  void countHit(int bytes) {
    stats.hit(true, primary, BlockType.BLOOM_CHUNK);
    ScanMetrics.countCached(bytes);
  }
}
