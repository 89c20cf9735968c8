package io.winnow.hbase;

import io.winnow.hbase.agent.WinnowAgent;
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
 * cache looks at who was used when only as it evicts, which it does in runs: when it is nearly
 * full, and every ten seconds. Each run takes the blocks first that were used longest ago. So the
 * first question after each run looks the block up: at the next run a chunk in use stands among the
 * blocks that were used since the last one, as it does with stock, and all that were not go before
 * it.
 *
 * <p>Where a run must take some of the blocks that were used since the last one, it matters when
 * each was used last. So the second question after a run looks the block up, too, and then fewer
 * and fewer: with {@code n} look-ups since the run, one question in {@code 2^(n-1)}, in the end one
 * in 16. Chance picks it, so that it does not matter which keys are asked for. The last look-up
 * then lies mostly in the later half of the chunk's uses.
 *
 * <p>Only for {@link LruBlockCache}, HBase's default and the first level under a BucketCache, which
 * evicts by last use. Thread-safe; nothing here is written by a question but HBase's own counters.
 */
final class CacheWatch {
  private static final boolean LINKS = links();

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

  /**
   * Whether this HBase has all that a watch needs: one that fails later would fail at each probe.
   */
  private static boolean links() {
    if (WinnowAgent.isSwitchedOff("short-cut")) {
      return false;
    }
    try {
      HFileReaderImpl.class.getMethod("getCacheConf");
      CacheStats.class.getMethod("hit", boolean.class, boolean.class, BlockType.class);
      CacheStats.class.getMethod("getEvictionCount");
      LruBlockCache.class.getMethod(
          "getBlock", BlockCacheKey.class, boolean.class, boolean.class, boolean.class);
      BlockCacheKey.class.getConstructor(String.class, long.class, boolean.class, BlockType.class);
      return true;
    } catch (ReflectiveOperationException | LinkageError e) {
      return false; // HBase 2.5 does not tell a reader's cache
    }
  }

  /** For the cache of this reader's filter blocks; null where every block is to be looked up. */
  static CacheWatch of(HFile.Reader reader) {
    try {
      if (!LINKS || !(reader instanceof HFileReaderImpl)) {
        return null;
      }
      HFileReaderImpl file = (HFileReaderImpl) reader;
      if (!isWanted(file.getConf())) {
        return null;
      }
      BlockCache cache = file.getCacheConf().getBlockCache().orElse(null);
      BlockCache first = cache == null ? null : firstLevel(cache);
      return first instanceof LruBlockCache ? new CacheWatch((LruBlockCache) first, reader) : null;
    } catch (RuntimeException | LinkageError e) {
      return null; // all goes well without a watch too
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
    return image.evictions() != stats.getEvictionCount() || isPicked(image.lookUps());
  }

  private static boolean isPicked(int lookUps) {
    int oneIn = 1 << (lookUps - 1);
    return (ThreadLocalRandom.current().nextInt() & (oneIn - 1)) == 0;
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
      boolean same = found instanceof HFileBlock && image.isIn((HFileBlock) found);
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
