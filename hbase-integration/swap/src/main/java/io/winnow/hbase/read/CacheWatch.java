package io.winnow.hbase.read;

import io.winnow.hbase.AgentState;
import io.winnow.hbase.settings.Setting;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileReaderImpl;

/**
 * Which questions to a file must look a block up in the on-heap block cache that was seen there
 * before, and the look-up.
 *
 * <p>The look-up here is HBase's own, by a key that is kept, without what a reader does before and
 * after it for a block that may have to be loaded: half of the time.
 *
 * <p>Still a look-up takes many times what the probe of a filter takes. Two of its effects matter:
 * the hit is counted, which {@link #countHit} does too; and the block becomes the last one used.
 * The cache looks at who was used when only as it evicts, which it does in runs: when it is nearly
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
 * <p>In a cache that does not evict by last use, and where an operator wants it so ({@link
 * Setting#READ_SHORTCUT}), each question looks its block up. Thread-safe; nothing here is written
 * by a question but HBase's own counters.
 */
final class CacheWatch {
  private final ChunkCache cache;
  private final boolean sparesLookUps;

  private CacheWatch(ChunkCache cache, boolean sparesLookUps) {
    this.cache = cache;
    this.sparesLookUps = sparesLookUps;
  }

  /** For the cache of this reader's filter blocks; null where HBase's reader is to look them up. */
  static CacheWatch of(HFile.Reader reader) {
    try {
      if (AgentState.isSwitchedOff("short-cut") || !(reader instanceof HFileReaderImpl)) {
        return null;
      }
      HFileReaderImpl file = (HFileReaderImpl) reader;
      ChunkCache cache = FirstLevelChunkCache.of(file);
      return cache == null
          ? null
          : new CacheWatch(cache, cache.evictsByLastUse() && isWanted(file.getConf()));
    } catch (Throwable e) {
      return null; // all goes well without a watch too
    }
  }

  /** Unless it is switched off, by {@link Setting#READ_SHORTCUT}. */
  private static boolean isWanted(Configuration conf) {
    return conf == null
        || !conf.getTrimmed(Setting.READ_SHORTCUT.key(), "true").equalsIgnoreCase("false");
  }

  /** What the cache knows the chunk's block at this offset by. */
  Object key(long offset) {
    return cache.key(offset);
  }

  /** Whether this question is to look the block up. */
  boolean isDue(SeenImage image) {
    return !sparesLookUps || image.evictions() != cache.evictions() || isPicked(image.lookUps());
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
    if (!sparesLookUps) {
      return cache.use(image);
    }
    long evictions = cache.evictions(); // a run that goes on now asks for one more look-up
    boolean same = cache.use(image);
    if (same) {
      image.lookedUp(evictions);
    }
    return same;
  }

  /** Counts what a look-up of a filter block that is there, of so many bytes, counts. */
  void countHit(int bytes) {
    cache.countHit(bytes);
  }
}
