package io.winnow.hbase.read;

import static io.winnow.hbase.read.CachedFilter.BLOCK;
import static io.winnow.hbase.read.CachedFilter.CONF;
import static io.winnow.hbase.read.CachedFilter.MANY;
import static io.winnow.hbase.read.CachedFilter.PRESENT;
import static io.winnow.hbase.read.CachedFilter.ROWS;
import static io.winnow.hbase.read.CachedFilter.asks;
import static io.winnow.hbase.read.CachedFilter.filter;
import static io.winnow.hbase.read.CachedFilter.lru;
import static io.winnow.hbase.read.CachedFilter.open;
import static io.winnow.hbase.read.CachedFilter.openAgain;
import static io.winnow.hbase.read.CachedFilter.useAnother;
import static io.winnow.hbase.read.CachedFilter.watch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.CachedBlock;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.LruAdaptiveBlockCache;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.io.hfile.TinyLfuBlockCache;
import org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A probe that spares itself the look-up in the block cache: what it asks, counts and holds. */
class CacheWatchTest {
  @TempDir Path dir;

  @Test
  void everyProbeCountsAsOneRequestOfTheCache() throws IOException {
    LruBlockCache cache = lru(64 << 20);
    HStoreFile file = open(dir, cache);
    BloomFilter filter = filter(file);
    CacheStats stats = cache.getStats();
    long hits = stats.getHitCachingCount();
    for (int i = 0; i < ROWS; i++) {
      assertTrue(asks(filter, 2 * i), "row " + i);
    }
    assertEquals(1, stats.getBloomChunkMissCount());
    assertEquals(ROWS - 1, stats.getBloomChunkHitCount());
    assertEquals(ROWS - 1, stats.getHitCachingCount() - hits);
    file.closeStoreFile(true);
  }

  @Test
  void evictedChunkIsLoadedAgain() throws IOException {
    LruBlockCache cache = lru(64 << 20);
    HStoreFile file = open(dir, cache);
    BloomFilter filter = filter(file);
    for (int round = 1; round <= 5; round++) {
      for (int i = 0; i < MANY; i++) { // one of them looks it up
        assertTrue(asks(filter, PRESENT));
      }
      assertEquals(round, cache.getStats().getBloomChunkMissCount());
      assertTrue(cache.evictBlocksByHfileName(file.getPath().getName()) > 0);
    }
    file.closeStoreFile(true);
  }

  /** There every use counts, and not the last one only. */
  @Test
  void cacheOfAnotherPolicyIsAlwaysAsked() throws IOException {
    var cache = new LruAdaptiveBlockCache(64 << 20, BLOCK, false, CONF);
    HStoreFile file = open(dir, cache);
    BloomFilter filter = filter(file);
    for (int round = 1; round <= 20; round++) {
      for (int i = 0; i < 50; i++) {
        assertTrue(asks(filter, PRESENT));
      }
      assertEquals(round, cache.getStats().getBloomChunkMissCount());
      assertEquals(49 * round, cache.getStats().getBloomChunkHitCount());
      assertTrue(cache.evictBlocksByHfileName(file.getPath().getName()) > 0);
    }
    assertTrue(asks(filter, PRESENT));
    HFileBlock block = chunk(cache);
    CacheWatch watch = watch(file);
    SeenImage image = imageIn(block, watch);
    for (int i = 0; i < 100; i++) {
      assertTrue(watch.isDue(image));
      assertTrue(watch.lookUp(image));
    }
    block.release();
    file.closeStoreFile(true);
  }

  /** While it evicts nothing, few probes look the chunk up, and all count as hits. */
  @Test
  void tinyLfuIsSeldomAskedForAChunkItHas() throws IOException {
    var cache = new TinyLfuBlockCache(64 << 20, BLOCK, Runnable::run, CONF);
    HStoreFile file = open(dir, cache);
    CacheWatch watch = watch(file);
    assertTrue(asks(filter(file), PRESENT));
    HFileBlock block = chunk(cache);
    SeenImage image = imageIn(block, watch);
    for (int i = 0; i < SeenImage.MANY; i++) {
      assertTrue(watch.lookUp(image));
    }
    assertEquals(400_000 / 16.0, due(watch, image, 400_000), 0.06 * 400_000 / 16);
    for (int i = 0; i < MANY; i++) {
      assertTrue(asks(filter(file), PRESENT));
    }
    assertEquals(1, cache.getStats().getBloomChunkMissCount());
    assertEquals(MANY, cache.getStats().getBloomChunkHitCount());
    for (int i = 0; cache.getStats().getEvictionCount() == 0; i++) {
      useAnother(cache, i);
    }
    assertEquals(100, due(watch, image, 100), "after an eviction");
    block.release();
    file.closeStoreFile(true);
    cache.shutdown();
  }

  /** Then each question finds out at once that a block is gone. */
  @Test
  void shortCutCanBeSwitchedOff() throws IOException {
    Configuration on = new Configuration(CONF);
    on.set("winnow.read.reloads", "always");
    Configuration off = new Configuration(on);
    off.set("winnow.read.shortcut", " False ");
    for (Configuration chosen : new Configuration[] {on, off}) {
      var path = StoreFiles.write(dir, CONF, BloomType.ROW, StoreFiles.evenRows(ROWS));
      LruBlockCache cache = lru(64 << 20);
      CacheConfig cacheConf = new CacheConfig(chosen, null, cache, ByteBuffAllocator.HEAP);
      TamperedReader reader = TamperedReader.open(chosen, cacheConf, path);
      WinnowFilterReader filter = reader.filter(null);
      int rounds = 200;
      for (int i = 0; i < rounds; i++) {
        for (int j = 0; j < 7; j++) {
          assertTrue(asks(filter, PRESENT));
        }
        cache.evictBlocksByHfileName(path.getName());
      }
      assertEquals(chosen == off, reader.loads() == rounds, reader.loads() + " loads");
      assertEquals(7 * rounds - reader.loads(), cache.getStats().getBloomChunkHitCount());
      assertEquals(reader.loads(), cache.getStats().getBloomChunkMissCount());
      reader.close(true);
    }
  }

  /** What a scan tells of what it read must not depend on the short cut. */
  @Test
  void everyProbeCountsTheBytesThatALookUpCounts() throws IOException {
    HStoreFile file = open(dir, lru(64 << 20));
    BloomFilter filter = filter(file);
    assertTrue(asks(filter, PRESENT)); // loads it
    ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(true);
    ThreadLocalServerSideScanMetrics.getBytesReadFromBlockCacheAndReset();
    try {
      HFile.Reader reader = file.getReader().getHFileReader();
      long offset = FilterFacts.general(reader).chunks.get(0).offset;
      reader.readBlock(offset, -1, true, true, false, true, BlockType.BLOOM_CHUNK, null).release();
      long bytes = ThreadLocalServerSideScanMetrics.getBytesReadFromBlockCacheAndReset();
      assertTrue(bytes > filter.getByteSize(), bytes + " bytes");
      assertTrue(asks(filter, PRESENT)); // looks it up
      assertEquals(
          bytes, ThreadLocalServerSideScanMetrics.getBytesReadFromBlockCacheAndReset(), "of HBase");
      for (int i = 0; i < MANY; i++) {
        assertTrue(asks(filter, PRESENT));
      }
      assertEquals(
          MANY * bytes, ThreadLocalServerSideScanMetrics.getBytesReadFromBlockCacheAndReset());
    } finally {
      ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(false);
    }
    assertTrue(asks(filter, PRESENT));
    assertEquals(0, ThreadLocalServerSideScanMetrics.getBytesReadFromBlockCacheAndReset());
    file.closeStoreFile(true);
  }

  /** The chunk's block, as the cache has it; to be released. */
  private static HFileBlock chunk(BlockCache cache) {
    for (CachedBlock block : cache) {
      if (block.getBlockType() == BlockType.BLOOM_CHUNK) {
        var key = new BlockCacheKey(block.getFilename(), block.getOffset());
        return assertInstanceOf(HFileBlock.class, cache.getBlock(key, true, true, false));
      }
    }
    throw new AssertionError("no chunk in the cache");
  }

  private static SeenImage imageIn(HFileBlock block, CacheWatch watch) {
    byte[] array = block.getBufferReadOnly().array();
    return new SeenImage(array, 0, null, block, watch.key(block.getOffset()));
  }

  private static int due(CacheWatch watch, SeenImage image, int questions) {
    int due = 0;
    for (int i = 0; i < questions; i++) {
      due += watch.isDue(image) ? 1 : 0;
    }
    return due;
  }

  @Test
  void lookUpIsDueAfterEachEvictionAndByChance() throws IOException {
    LruBlockCache cache = lru(256 * BLOCK);
    HStoreFile file = open(dir, cache);
    CacheWatch watch = watch(file);
    assertTrue(asks(filter(file), PRESENT));
    HFileBlock block = chunk(cache);
    SeenImage image = imageIn(block, watch);
    assertEquals(100, due(watch, image, 100), "a block that was loaded is looked up once more");
    for (int round = 0, other = 0; round < 3; round++) {
      for (int expected : new int[] {1, 2, 4, 8, 16, 16, 16}) {
        assertTrue(watch.lookUp(image));
        double perLookUp = 400_000.0 / due(watch, image, 400_000);
        assertEquals(expected, perLookUp, 0.06 * expected, "questions per look-up");
      }
      long evicted = cache.getStats().getEvictedCount();
      while (cache.getStats().getEvictedCount() == evicted) {
        assertTrue(watch.lookUp(image));
        useAnother(cache, other++);
      }
      assertEquals(100, due(watch, image, 100), "after an eviction");
    }
    block.release();
    file.closeStoreFile(true);
  }

  /** A look-up is of this very block, and HBase's counters are left to the question. */
  @Test
  void lookUpKnowsItsBlockAndCountsNothing() throws IOException {
    LruBlockCache cache = lru(64 << 20);
    HStoreFile file = open(dir, cache);
    CacheWatch watch = watch(file);
    assertTrue(asks(filter(file), PRESENT));
    HFileBlock block = chunk(cache);
    SeenImage image = imageIn(block, watch);
    long hits = cache.getStats().getHitCount();
    long misses = cache.getStats().getMissCount();
    assertTrue(watch.lookUp(image));
    SeenImage inAnother = imageIn(TamperedReader.copy(block, new byte[100_000], 0, false), watch);
    assertFalse(watch.lookUp(inAnother), "another block with the same bytes");
    block.release();
    cache.evictBlocksByHfileName(file.getPath().getName());
    assertFalse(watch.lookUp(image), "not in the cache");
    assertEquals(hits, cache.getStats().getHitCount());
    assertEquals(misses, cache.getStats().getMissCount());
    file.closeStoreFile(true);
  }

  /** A block that somebody else loaded anew is looked at anew, and counts as one hit. */
  @Test
  void blockThatAnotherReaderLoadedIsTakenOver() throws IOException {
    LruBlockCache cache = lru(64 << 20);
    HStoreFile file = open(dir, cache);
    HStoreFile again = openAgain(file, cache);
    int asked = 0;
    for (int round = 0; round < 20; round++) {
      for (HStoreFile one : new HStoreFile[] {file, again}) {
        cache.evictBlocksByHfileName(file.getPath().getName());
        assertTrue(asks(filter(one), PRESENT));
        for (int i = 0; i < 100; i++) {
          assertTrue(asks(filter(file), PRESENT));
          assertTrue(asks(filter(again), PRESENT));
        }
        asked += 201;
      }
    }
    CacheStats stats = cache.getStats();
    assertEquals(asked, stats.getBloomChunkHitCount() + stats.getBloomChunkMissCount());
    assertTrue(stats.getBloomChunkMissCount() >= 20, "loaded anew");
    file.closeStoreFile(true);
  }

  /** The same bytes in another block object: that one is remembered from then on. */
  @Test
  void blockWithTheSameMemoryIsTakenOver() throws IOException {
    var path = StoreFiles.write(dir, CONF, BloomType.ROW, StoreFiles.evenRows(ROWS));
    CacheConfig cacheConf = new CacheConfig(CONF, null, lru(64 << 20), ByteBuffAllocator.HEAP);
    TamperedReader reader = TamperedReader.open(CONF, cacheConf, path);
    WinnowFilterReader filter = reader.filter(null);
    reader.tamper(
        block -> {
          ByteBuff bytes = block.getBufferReadOnly();
          var same = ByteBuffer.wrap(bytes.array(), bytes.arrayOffset(), bytes.limit()).slice();
          return TamperedReader.block(block, same, false);
        });
    assertTrue(asks(filter, PRESENT));
    reader.tamper(block -> block);
    for (int i = 0; i < MANY; i++) {
      assertTrue(asks(filter, PRESENT));
    }
    assertEquals(2, reader.loads());
    reader.close(true);
  }

  /** What the cache lets go must be free. */
  @Test
  void seenImageHoldsNoMemory() throws IOException, InterruptedException {
    LruBlockCache cache = lru(64 << 20);
    HStoreFile file = open(dir, cache);
    assertTrue(asks(filter(file), PRESENT));
    HFileBlock block = chunk(cache);
    SeenImage image = imageInACopyOf(block, watch(file));
    for (int i = 0; i < 100 && image.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(image.get());
    assertTrue(image.isIn(null), "the block is free too");
    block.release();
    file.closeStoreFile(true);
  }

  private static SeenImage imageInACopyOf(HFileBlock block, CacheWatch watch) {
    return imageIn(TamperedReader.copy(block, new byte[100_000], 0, false), watch);
  }
}
