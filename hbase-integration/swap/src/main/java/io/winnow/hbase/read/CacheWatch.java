package io.winnow.hbase.read;

import io.winnow.hbase.AgentState;
import io.winnow.hbase.settings.Setting;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileReaderImpl;

/**
 * Rule that decides which probes look up a chunk's block in the on-heap block cache although the
 * block was seen there before, and the look-up itself.
 *
 * <p>The look-up is HBase's own, by a key that is kept. It leaves out what a reader does before and
 * after it for a block that may have to be loaded, and so takes half of the time.
 *
 * <p>Even so a look-up takes many times the time of a filter's probe. Two of its effects matter.
 * First, the hit is counted, which {@link #countHit} does too. Second, the block becomes the most
 * recently used one. The cache compares the times of use only while it evicts. It evicts in runs:
 * when it is nearly full, and every ten seconds. Each run takes the blocks first that were used
 * longest ago. So the first probe after each run looks the block up. At the next run a chunk in use
 * is then among the blocks used since the last run, as with stock, and all unused blocks go before
 * it.
 *
 * <p>If a run must take some of the blocks that were used since the last one, the time of the last
 * use of each matters. So the second probe after a run looks the block up too, and later ones less
 * and less often: after {@code n} look-ups since the run, one probe in {@code 2^(n-1)}, in the end
 * one in 16. They are picked at random, so that the order of the keys does not matter. The last
 * look-up is then mostly in the later half of the chunk's uses.
 *
 * <p>The cache of the policy TinyLFU evicts one block at a time. If blocks go faster than a chunk
 * is queried, each probe of the chunk looks it up. Otherwise the chunk has at least one look-up for
 * each block that goes, so the cache counts it among its most used blocks, which never go.
 *
 * <p>Each probe looks its block up in a cache of another policy, and if an operator wants it so
 * ({@link Setting#READ_SHORTCUT}). Thread-safe; a probe writes nothing here except HBase's own
 * counters.
 */
final class CacheWatch {
  private final FirstLevelChunkCache cache;
  private final boolean sparesLookUps;
  private final boolean reloadsAll;

  private CacheWatch(FirstLevelChunkCache cache, boolean sparesLookUps, boolean reloadsAll) {
    this.cache = cache;
    this.sparesLookUps = sparesLookUps;
    this.reloadsAll = reloadsAll;
  }

  /**
   * Returns the rule for look-ups of a reader's filter blocks in the block cache; null if HBase's
   * reader must look up each.
   */
  static CacheWatch of(HFile.Reader reader) {
    try {
      if (AgentState.isSwitchedOff("short-cut") || !(reader instanceof HFileReaderImpl)) {
        return null;
      }
      HFileReaderImpl file = (HFileReaderImpl) reader;
      FirstLevelChunkCache cache = FirstLevelChunkCache.of(file);
      if (cache == null) {
        return null;
      }
      Configuration conf = file.getConf();
      return new CacheWatch(
          cache,
          cache.keepsWhatIsUsedBetweenEvictions() && !has(conf, Setting.READ_SHORTCUT, "false"),
          has(conf, Setting.READ_RELOADS, "always"));
    } catch (Throwable e) {
      return null; // each probe then takes its block from the reader
    }
  }

  /** Returns true if a setting has a given value; a wrong value counts as the default. */
  private static boolean has(Configuration conf, Setting setting, String value) {
    return conf != null && conf.getTrimmed(setting.key, "").equalsIgnoreCase(value);
  }

  /**
   * Returns the key that a chunk's block has in the block cache, from the block's offset in the
   * file.
   */
  Object key(long offset) {
    return cache.key(offset);
  }

  /**
   * Returns true if the block cache certainly lacks a chunk's block, so that a load would read it.
   * False if it has the block, or is a cache that Winnow does not know. Counts nothing, and is no
   * use of the block.
   *
   * @param offset the block's offset in the file
   */
  boolean lacks(long offset) {
    return cache.lacks(offset);
  }

  /**
   * Returns true if each evicted chunk is loaded again, as the setting {@link Setting#READ_RELOADS}
   * may say.
   */
  boolean reloadsAll() {
    return reloadsAll;
  }

  /** Returns true if the present probe must look up the chunk's block in the block cache. */
  boolean isDue(SeenImage image) {
    return !sparesLookUps || image.evictions() != cache.evictions() || isPicked(image.lookUps());
  }

  private static boolean isPicked(int lookUps) {
    int oneIn = 1 << (lookUps - 1);
    return (ThreadLocalRandom.current().nextInt() & (oneIn - 1)) == 0;
  }

  /**
   * Looks up the block of a chunk in the block cache, which makes it the most recently used block.
   * Counts nothing.
   *
   * @return true if the cache has a block by the image's key, and the image was seen in this block
   */
  boolean lookUp(SeenImage image) {
    if (!sparesLookUps) {
      return cache.use(image);
    }
    long evictions = cache.evictions(); // a run in progress causes one more look-up
    boolean same = cache.use(image);
    if (same) {
      image.lookedUp(evictions);
    }
    return same;
  }

  /**
   * Counts a hit in the statistics of the block cache, as HBase's look-up of a filter block does.
   *
   * @param bytes the bytes that count as read with the block
   */
  void countHit(int bytes) {
    cache.countHit(bytes);
  }
}
