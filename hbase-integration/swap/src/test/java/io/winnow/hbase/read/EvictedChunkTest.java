package io.winnow.hbase.read;

import static io.winnow.hbase.read.CachedFilter.BLOCK;
import static io.winnow.hbase.read.CachedFilter.MANY;
import static io.winnow.hbase.read.CachedFilter.ROWS;
import static io.winnow.hbase.read.CachedFilter.asks;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.metrics.ServerMetric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.InclusiveCombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.LruAdaptiveBlockCache;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.io.hfile.TinyLfuBlockCache;
import org.apache.hadoop.hbase.io.hfile.bucket.BucketCache;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests which chunks are loaded again after HBase's own block caches evicted them, and the counts.
 */
class EvictedChunkTest {
  private static final int PRESENT = 0;

  /** Block caches of HBase, and of classes that Winnow does not know. */
  private enum Kind {
    LRU,
    ADAPTIVE_LRU,
    TINY_LFU,
    WITH_BUCKET_CACHE,
    WITH_AN_EXTERNAL_LEVEL,
    OF_ANOTHER_CLASS;

    BlockCache cache(long bytes) throws IOException {
      switch (this) {
        case ADAPTIVE_LRU:
          return new LruAdaptiveBlockCache(bytes, BLOCK, false, CachedFilter.CONF);
        case TINY_LFU:
          return new TinyLfuBlockCache(bytes, BLOCK, Runnable::run, CachedFilter.CONF);
        case WITH_BUCKET_CACHE:
          return new CombinedBlockCache(CachedFilter.lru(bytes), bucketCache());
        case WITH_AN_EXTERNAL_LEVEL:
          return new InclusiveCombinedBlockCache(CachedFilter.lru(bytes), bucketCache());
        case OF_ANOTHER_CLASS:
          return new LruBlockCache(bytes, BLOCK, false, CachedFilter.CONF) {};
        default:
          return CachedFilter.lru(bytes);
      }
    }

    private static BlockCache bucketCache() throws IOException {
      return new BucketCache("offheap", 32 << 20, BLOCK, null, 1, 64, null);
    }
  }

  @TempDir Path dir;

  private final Configuration conf =
      StoreFiles.conf(Map.of("winnow.filter", "ribbon", "io.storefile.bloom.block.size", "256"));
  private BlockCache cache;
  private TamperedReader reader;
  private WinnowFilterReader filter;
  private long reloadsBefore;
  private long skippedBefore;

  private void open(Kind kind, long bytes) throws IOException {
    cache = kind.cache(bytes);
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
    reader = TamperedReader.open(conf, cacheConf(), path);
    filter = reader.filter(null);
    reloadsBefore = ServerMetric.CHUNK_RELOADS.value();
    skippedBefore = ServerMetric.LOADS_SKIPPED.value();
  }

  private CacheConfig cacheConf() {
    return new CacheConfig(conf, null, cache, ByteBuffAllocator.HEAP);
  }

  @AfterEach
  void close() throws IOException {
    reader.close(true);
    BlockCache[] levels = cache.getBlockCaches();
    if (levels != null && levels.length > 1) {
      levels[1].shutdown();
    }
  }

  private long reloads() {
    return ServerMetric.CHUNK_RELOADS.value() - reloadsBefore;
  }

  private long skipped() {
    return ServerMetric.LOADS_SKIPPED.value() - skippedBefore;
  }

  private void evict() {
    cache.evictBlocksByHfileName(reader.getName());
  }

  private BlockCache firstLevel() {
    BlockCache[] levels = cache.getBlockCaches();
    return levels == null ? cache : levels[0];
  }

  /** A row that is there is asked for each time that its chunk is gone. */
  private void askInVain(int rounds) {
    for (int i = 0; i < rounds; i++) {
      evict();
      assertTrue(asks(filter, PRESENT));
    }
  }

  private int ruledOutInTheFirstChunk() {
    for (int i = 1; ; i += 2) {
      if (!asks(filter, i)) {
        return i;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LRU", "ADAPTIVE_LRU", "TINY_LFU", "WITH_BUCKET_CACHE"})
  void reloadsThatBringNothingBecomeRareUntilTheyPay(Kind kind) throws IOException {
    open(kind, 64 << 20);
    int rounds = 4000;
    askInVain(rounds);
    assertEquals(rounds, reader.loads() + skipped());
    assertEquals(reader.loads() - 1, reloads());
    // 64 reloads with each share down to 1/8, of 960 rounds; of the others one in 16. Five sigmas.
    assertEquals(4 * 64 + (rounds - 960) / 16.0, reloads(), 75);

    long before = reader.loads();
    long skippedSoFar = skipped();
    for (int i = 0; i < ROWS; i++) {
      assertTrue(asks(filter, 2 * i), "row " + i);
    }
    int chunks = FilterFacts.general(reader).chunks.size();
    assertTrue(chunks > 5, chunks + " chunks");
    assertTrue(reader.loads() - before >= chunks - 1, "each first load is made");
    long again = skipped() - skippedSoFar; // of the first chunk, until it is loaded once more
    assertTrue(again <= ROWS / 2, again + " skipped");

    int absent = ruledOutInTheFirstChunk();
    askWithTwoRuledOut(absent, 2000);
    skippedSoFar = skipped();
    askWithTwoRuledOut(absent, 100);
    assertEquals(skippedSoFar, skipped(), "all are loaded again");
  }

  /** Each time that its chunk is gone, a row that is there is asked for, and two that are not. */
  private void askWithTwoRuledOut(int absent, int rounds) {
    for (int i = 0; i < rounds; i++) {
      evict();
      assertTrue(asks(filter, PRESENT));
      asks(filter, absent);
      asks(filter, absent);
    }
  }

  /** One query in four misses its chunk, however often HBase's cache counts a miss. */
  @ParameterizedTest
  @EnumSource(names = {"LRU", "ADAPTIVE_LRU", "TINY_LFU", "WITH_BUCKET_CACHE"})
  void pressureIsTheShareOfQueriesThatMissAgain(Kind kind) throws IOException {
    conf.set("winnow.read.reloads", "always");
    conf.set("winnow.read.shortcut", "false"); // or some queries use what was evicted
    open(kind, 64 << 20);
    CachePressure pressure = new CachePressure();
    pressure.watch(firstLevel().getStats());
    assertTrue(asks(filter, PRESENT)); // a first load
    for (int i = 0; i < CachePressure.MIN_PROBES; i++) {
      if (i % 4 == 0) {
        evict();
      }
      assertTrue(asks(filter, PRESENT));
    }
    pressure.judgeNow();
    assertEquals(0.25, pressure.missesPerProbe(), 1e-3);
    assertTrue(pressure.isCacheShort());
  }

  @ParameterizedTest
  @EnumSource(names = {"WITH_AN_EXTERNAL_LEVEL", "OF_ANOTHER_CLASS"})
  void cacheThatIsNotKnownGetsAllReloads(Kind kind) throws IOException {
    open(kind, 64 << 20);
    askInVain(500);
    assertEquals(500, reader.loads());
    assertEquals(0, skipped());
    assertEquals(0, reloads());
  }

  @Test
  void reloadsCanAllBeMade() throws IOException {
    conf.set("winnow.read.reloads", " Always ");
    open(Kind.LRU, 64 << 20);
    askInVain(500);
    assertEquals(500, reader.loads());
    assertEquals(0, skipped());
    assertEquals(499, reloads());
  }

  /**
   * Memory that HBase uses again: nothing of it is kept, and yet it is known to be loaded before.
   */
  @Test
  void blocksOffTheHeapMustEarnTheirLoadsToo() throws IOException {
    open(Kind.LRU, 64 << 20);
    reader.tamper(
        block -> TamperedReader.copy(block, new byte[block.headerSize() + 1000], 0, true));
    askInVain(1000);
    assertEquals(1000, reader.loads() + skipped());
    assertTrue(skipped() > 500, skipped() + " skipped");
  }

  /** A chunk that another reader loaded is found, and the look-up before a load counts nothing. */
  @ParameterizedTest
  @EnumSource(names = {"LRU", "ADAPTIVE_LRU", "TINY_LFU", "WITH_BUCKET_CACHE"})
  void lookUpLeavesCountersAlone(Kind kind) throws IOException {
    open(kind, 64 << 20);
    askInVain(1000); // few are loaded now
    long last = skipped();
    for (int i = 0; i < MANY && last == skipped(); i++) {
      askInVain(1);
    }
    assertTrue(skipped() > last, "the chunk is not in the cache");
    TamperedReader other = TamperedReader.open(conf, cacheConf(), reader.getPath());
    assertTrue(asks(other.filter(null), PRESENT)); // a first load
    CacheStats stats = cache.getStats();
    long hits = stats.getHitCount();
    long misses = stats.getMissCount();
    long skippedSoFar = skipped();
    for (int i = 0; i < 100; i++) {
      assertTrue(asks(filter, PRESENT));
    }
    assertEquals(100, stats.getHitCount() - hits);
    assertEquals(skippedSoFar, skipped(), "it is in the cache");
    evict();
    for (int i = 0; i < MANY && skippedSoFar == skipped(); i++) {
      misses = stats.getMissCount();
      assertTrue(asks(filter, PRESENT));
      evict();
    }
    assertTrue(skipped() > skippedSoFar, "it is not any more");
    assertEquals(misses, stats.getMissCount(), "a skipped load is no miss");
    other.close(true);
  }

  /**
   * A cache for few of the chunks, and other blocks come in: each row is found, each query counts.
   */
  @ParameterizedTest
  @EnumSource(names = {"LRU", "ADAPTIVE_LRU", "TINY_LFU", "WITH_BUCKET_CACHE"})
  void rowsAreFoundWhereFewChunksFit(Kind kind) throws IOException {
    open(kind, BLOCK);
    BlockCache first = firstLevel();
    CacheStats stats = first.getStats();
    Random random = new Random(48);
    int queries = 30_000;
    for (int i = 0; i < queries; i++) {
      if (i % 2 == 0) {
        first.cacheBlock(new BlockCacheKey("other", (long) i * BLOCK), new CachedFilter.Filler());
      }
      int row = random.nextInt(ROWS);
      assertTrue(asks(filter, 2 * row), "row " + row);
    }
    assertTrue(skipped() > queries / 10, skipped() + " skipped");
    // With two levels HBase counts a miss before it takes the lock of the block, and after it.
    long misses = stats.getBloomChunkMissCount() / (kind == Kind.WITH_BUCKET_CACHE ? 2 : 1);
    assertEquals(queries, stats.getBloomChunkHitCount() + misses + skipped());
  }
}
