package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.winnow.ycsb.model.BlockCacheModel.BlockClass;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.CacheableDeserializer;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.junit.jupiter.api.Test;

class BlockCacheModelTest {
  private static final int BLOCK = 64 << 10;

  @Test
  void aCacheForEverythingNeverMisses() {
    BlockClass blocks = new BlockClass(100, BLOCK, 0.01);
    assertEquals(1, new BlockCacheModel(List.of(blocks), 104.0 * BLOCK).hitRatio(blocks));
  }

  /**
   * Blocks that are all alike are in the cache for the share of the time that there is room for.
   */
  @Test
  void blocksAlikeShareTheCache() {
    BlockClass blocks = new BlockClass(1000, BLOCK, 0.001);
    BlockCacheModel cache = new BlockCacheModel(List.of(blocks), 250.0 * BLOCK);
    assertEquals(0.25 * BlockCacheModel.MEAN_FILL, cache.hitRatio(blocks), 1e-4);
  }

  /** Blocks that are asked for all the time stay; what they leave is shared by the others. */
  @Test
  void whatIsAlwaysAskedForStays() {
    BlockClass hot = new BlockClass(100, BLOCK, 1);
    BlockClass cold = new BlockClass(100_000, BLOCK, 1e-6);
    BlockCacheModel cache = new BlockCacheModel(List.of(hot, cold), 1000.0 * BLOCK);
    assertEquals(1, cache.hitRatio(hot), 1e-6);
    assertEquals((970 - 100) / 1e5, cache.hitRatio(cold), 1e-5);
  }

  @Test
  void theSizeOfTheUnitOfTimeIsTheSame() {
    BlockClass hot = new BlockClass(100, BLOCK, 0.9 / 100);
    BlockClass cold = new BlockClass(10_000, BLOCK, 0.1 / 10_000);
    BlockClass hotPerHour = new BlockClass(100, BLOCK, 9e6);
    BlockClass coldPerHour = new BlockClass(10_000, BLOCK, 1e4);
    double cache = 110.0 * BLOCK;
    assertEquals(
        new BlockCacheModel(List.of(hot, cold), cache).hitRatio(hot),
        new BlockCacheModel(List.of(hotPerHour, coldPerHour), cache).hitRatio(hotPerHour),
        1e-6);
  }

  /** Shapes like those of the runs: filter chunks, hot blocks, cold ones. */
  @Test
  void isWhatHBasesCacheDoes() {
    assertAgrees(140, new BlockClass(28, 2 * BLOCK, 4 / 28.0), hot(83, 0.95), cold(0.05));
    assertAgrees(140, new BlockClass(20, 2 * BLOCK, 4 / 20.0), hot(83, 0.95), cold(0.05));
    assertAgrees(200, hot(150, 0.8), cold(0.2));
    assertAgrees(300, hot(1000, 0.7), hot(50, 0.2), cold(0.1));
    assertAgrees(400, new BlockClass(56, 2 * BLOCK, 4 / 56.0), cold(1));
    assertAgrees(1000, hot(300, 0.3), cold(0.7));
  }

  /** A cache of 1.2 times the filters, as in a sweep: chunks of 128 KiB push small blocks out. */
  @Test
  void isWhatHBasesCacheDoesWithFiltersThatHardlyFit() {
    BlockClass chunks = new BlockClass(80, 2 * BLOCK, 4 / 80.0);
    BlockClass hot = new BlockClass(1188, BLOCK / 8, 0.95 / 1188);
    BlockClass hotLeaves = new BlockClass(1188, BLOCK / 16, 0.95 / 1188);
    assertAgrees(150_000, 195, chunks, hot, hotLeaves, cold(0.1));
  }

  private static BlockClass hot(double count, double share) {
    return new BlockClass(count, BLOCK, share / count);
  }

  private static BlockClass cold(double share) {
    return new BlockClass(13_000, BLOCK, share / 13_000);
  }

  /** HBase's own cache, asked for blocks of these classes in random order. */
  private static void assertAgrees(int cacheBlocks, BlockClass... classes) {
    assertAgrees(600_000, cacheBlocks, classes);
  }

  /** The first third of the requests fills it, and does not count. */
  private static void assertAgrees(int requests, int cacheBlocks, BlockClass... classes) {
    long cacheBytes = (long) cacheBlocks * BLOCK;
    BlockCacheModel model = new BlockCacheModel(List.of(classes), cacheBytes);
    // Without a thread of its own it evicts at once, and needs no shutdown.
    LruBlockCache cache = new LruBlockCache(cacheBytes, BLOCK, false);
    SplittableRandom random = new SplittableRandom(1);
    double all = 0;
    for (BlockClass c : classes) {
      all += c.requests();
    }
    long[] hits = new long[classes.length];
    long[] asked = new long[classes.length];
    for (int i = 0; i < requests; i++) {
      double at = random.nextDouble() * all;
      int chosen = 0;
      while (chosen < classes.length - 1 && at >= classes[chosen].requests()) {
        at -= classes[chosen++].requests();
      }
      BlockCacheKey key =
          new BlockCacheKey("class" + chosen, random.nextLong((long) classes[chosen].count()));
      boolean hit = cache.getBlock(key, true, false, true) != null;
      if (!hit) {
        cache.cacheBlock(key, new Block((int) classes[chosen].bytes()));
      }
      if (i >= requests / 3) {
        asked[chosen]++;
        hits[chosen] += hit ? 1 : 0;
      }
    }
    for (int i = 0; i < classes.length; i++) {
      assertEquals(
          (double) hits[i] / asked[i],
          model.hitRatio(classes[i]),
          0.02,
          classes[i] + " in " + cacheBlocks + " blocks");
    }
  }

  /** A block of {@code bytes} bytes on the heap. */
  private record Block(int bytes) implements Cacheable {
    @Override
    public long heapSize() {
      return bytes;
    }

    @Override
    public int getSerializedLength() {
      return bytes;
    }

    @Override
    public void serialize(ByteBuffer destination, boolean includeNextBlockMetadata) {
      throw new UnsupportedOperationException("the cache is on the heap");
    }

    @Override
    public CacheableDeserializer<Cacheable> getDeserializer() {
      throw new UnsupportedOperationException("the cache is on the heap");
    }

    @Override
    public BlockType getBlockType() {
      return BlockType.DATA;
    }
  }
}
