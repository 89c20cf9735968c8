package io.winnow.hbase;

import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.Cacheable;
import org.apache.hadoop.hbase.io.hfile.CacheableDeserializer;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.io.hfile.TinyLfuBlockCache;
import org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A probe that spares itself the look-up in the block cache: what the cache must still see. */
class CacheWatchTest {
  private static final int ROWS = 2000;
  private static final int BLOCK = 4096;
  private static final int PRESENT = 2 * 77;

  /** So many probes that one of 16 picked by chance is among them, but for once in 10^11. */
  private static final int MANY = 400;

  @TempDir Path dir;

  private final Configuration conf =
      StoreFiles.conf(Map.of("winnow.filter", "ribbon", "io.storefile.bloom.block.size", "65536"));

  private HStoreFile open(BlockCache cache) throws IOException {
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
    CacheConfig cacheConf = new CacheConfig(conf, null, cache, ByteBuffAllocator.HEAP);
    return StoreFiles.open(conf, cacheConf, path, BloomType.ROW, new BloomFilterMetrics());
  }

  private LruBlockCache lru(long bytes) {
    return new LruBlockCache(bytes, BLOCK, false, conf);
  }

  private static BloomFilter filter(HStoreFile file) {
    return assertInstanceOf(
        WinnowFilterReader.class, StoreFileDoor.generalFilter(file.getReader()), "woven");
  }

  private static boolean asks(BloomFilter filter, int number) {
    byte[] row = row(number);
    return filter.contains(row, 0, row.length, null);
  }

  /** What fills a cache: a block of nothing. */
  private static final class Filler implements Cacheable {
    private final ByteBuffer bytes = ByteBuffer.allocate(BLOCK);

    @Override
    public long heapSize() {
      return BLOCK;
    }

    @Override
    public int getSerializedLength() {
      return BLOCK;
    }

    @Override
    public void serialize(ByteBuffer destination, boolean includeNextBlockMetadata) {
      destination.put(bytes.duplicate());
    }

    @Override
    public CacheableDeserializer<Cacheable> getDeserializer() {
      throw new UnsupportedOperationException();
    }

    @Override
    public BlockType getBlockType() {
      return BlockType.DATA;
    }
  }

  /** Another block comes in and is used, so that it has the rank of the chunk. */
  private static void useAnother(LruBlockCache cache, int number) {
    BlockCacheKey key = new BlockCacheKey("other", (long) number * BLOCK);
    cache.cacheBlock(key, new Filler());
    assertNotNull(cache.getBlock(key, true, false, false));
  }

  @Test
  void everyProbeCountsAsOneRequestOfTheCache() throws IOException {
    LruBlockCache cache = lru(64 << 20);
    HStoreFile file = open(cache);
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
    HStoreFile file = open(cache);
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

  /**
   * As many blocks as fill the cache fifty times over come in, and the chunk is asked now and then.
   */
  @Test
  void chunkInUseStaysWhileOthersComeAndGo() throws IOException {
    int capacity = 256;
    LruBlockCache cache = lru((long) capacity * BLOCK);
    HStoreFile file = open(cache);
    BloomFilter filter = filter(file);
    for (int i = 0; i < 50 * capacity; i++) {
      useAnother(cache, i);
      if (i % 16 == 0) {
        assertTrue(asks(filter, PRESENT));
      }
    }
    assertTrue(cache.getStats().getEvictedCount() > 40 * capacity, "the others were evicted");
    assertEquals(1, cache.getStats().getBloomChunkMissCount());
    file.closeStoreFile(true);
  }

  /**
   * Most reads find their block, so that others are used often while few come in: a chunk that is
   * used as often must not become the one used longest ago. The cache learns of a sample of the
   * uses; it lets the chunk go only where a whole round of them is not in it.
   */
  @Test
  void chunkInUseStaysWhileAllOthersAreUsed() throws IOException {
    int capacity = 256;
    LruBlockCache cache = lru((long) capacity * BLOCK);
    HStoreFile file = open(cache);
    BloomFilter filter = filter(file);
    for (int i = 0; i < 10 * capacity; i++) {
      useAnother(cache, i);
      for (int j = Math.max(0, i - capacity); j < i; j++) {
        cache.getBlock(new BlockCacheKey("other", (long) j * BLOCK), true, false, false);
        if (j % 4 == 0) {
          assertTrue(asks(filter, 2 * (j % ROWS)));
        }
      }
    }
    assertTrue(cache.getStats().getEvictedCount() > 8 * capacity, "the others were evicted");
    long probes = 10L * capacity * capacity / 4;
    long misses = cache.getStats().getBloomChunkMissCount();
    assertTrue(misses < probes / 10_000, misses + " of " + probes + " were not in the cache");
    file.closeStoreFile(true);
  }

  @Test
  void chunkThatNobodyAsksForIsNotKept() throws IOException {
    LruBlockCache cache = lru(256 * BLOCK);
    HStoreFile file = open(cache);
    BloomFilter filter = filter(file);
    assertTrue(asks(filter, PRESENT));
    assertTrue(asks(filter, PRESENT));
    for (int i = 0; i < 50 * 256; i++) {
      useAnother(cache, i);
    }
    assertTrue(asks(filter, PRESENT));
    assertEquals(2, cache.getStats().getBloomChunkMissCount());
    file.closeStoreFile(true);
  }

  /** There every use counts, and not the last one only. */
  @Test
  void cacheOfAnotherPolicyIsAlwaysAsked() throws IOException {
    var cache = new TinyLfuBlockCache(64 << 20, BLOCK, Runnable::run, conf);
    HStoreFile file = open(cache);
    assertNull(CacheWatch.of(file.getReader().getHFileReader()));
    BloomFilter filter = filter(file);
    for (int i = 0; i < 100; i++) {
      assertTrue(asks(filter, PRESENT));
    }
    assertEquals(99, cache.getStats().getBloomChunkHitCount());
    file.closeStoreFile(true);
  }

  @Test
  void shortCutCanBeSwitchedOff() throws IOException {
    Configuration off = new Configuration(conf);
    off.set("winnow.read.shortcut", " False ");
    for (Configuration chosen : new Configuration[] {conf, off}) {
      var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
      CacheConfig cacheConf = new CacheConfig(chosen, null, lru(64 << 20), ByteBuffAllocator.HEAP);
      TamperedReader reader = TamperedReader.open(chosen, cacheConf, path);
      assertEquals(chosen == off, CacheWatch.of(reader) == null);
      WinnowFilterReader filter = reader.filter(null);
      for (int i = 0; i < MANY; i++) {
        assertTrue(asks(filter, PRESENT));
      }
      assertEquals(chosen == off, reader.loads() == MANY, reader.loads() + " look-ups");
      reader.close(true);
    }
  }

  /** What a scan tells of what it read must not depend on the short cut. */
  @Test
  void everyProbeCountsTheBytesThatALookUpCounts() throws IOException {
    HStoreFile file = open(lru(64 << 20));
    BloomFilter filter = filter(file);
    assertTrue(asks(filter, PRESENT)); // loads it
    ThreadLocalServerSideScanMetrics.setScanMetricsEnabled(true);
    ThreadLocalServerSideScanMetrics.getBytesReadFromBlockCacheAndReset();
    try {
      assertTrue(asks(filter, PRESENT)); // looks it up
      long bytes = ThreadLocalServerSideScanMetrics.getBytesReadFromBlockCacheAndReset();
      assertTrue(bytes > filter.getByteSize(), bytes + " bytes");
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

  /** The fewer come in, the fewer probes look the block up. */
  @Test
  void paceFollowsTheCache() {
    byte[] bytes = new byte[1];
    SeenImage image = new SeenImage(bytes, 0, null, 1);
    assertEquals(1, probesPerLookUp(image));
    int[] quiet = {2, 4, 8, 16, 16};
    for (int probes : quiet) {
      image.lookedUp(1, 4);
      assertEquals(probes, probesPerLookUp(image));
    }
    image.lookedUp(4, 4); // as it should be
    assertEquals(16, probesPerLookUp(image));
    image.lookedUp(5, 4);
    assertEquals(8, probesPerLookUp(image));
    image.lookedUp(2, 4);
    assertEquals(8, probesPerLookUp(image));
    image.lookedUp(1000, 4);
    assertEquals(1, probesPerLookUp(image));
    image.lookedUp(Long.MAX_VALUE, 0);
    assertEquals(1, probesPerLookUp(image));
    image.lookedUp(0, 0); // a cache of a few blocks
    assertEquals(2, probesPerLookUp(image));
  }

  private static long probesPerLookUp(SeenImage image) {
    int lookUps = 0;
    for (int i = 0; i < 400_000; i++) {
      lookUps += image.withoutLookUp() == null ? 1 : 0;
    }
    return Math.round(400_000.0 / lookUps);
  }

  /** What the cache lets go must be free. */
  @Test
  void seenImageHoldsNoMemory() throws InterruptedException {
    SeenImage image = new SeenImage(new byte[1 << 20], 0, null, 1);
    for (int i = 0; i < 5; i++) {
      image.lookedUp(0, 1);
    }
    for (int i = 0; i < 100 && image.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    for (int i = 0; i < MANY; i++) {
      assertNull(image.withoutLookUp());
    }
  }

  @Test
  void watchesTheCacheOfTheReader() throws IOException {
    assumeTrue(HBaseLine.isAtLeast26(), "a reader of HBase 2.5 does not tell its cache");
    LruBlockCache cache = lru(64 << 20);
    HStoreFile file = open(cache);
    CacheWatch watch = CacheWatch.of(file.getReader().getHFileReader());
    assertNotNull(watch);
    long age = watch.age();
    useAnother(cache, 0);
    assertEquals(age + 1, watch.age());
    file.closeStoreFile(true);
  }
}
