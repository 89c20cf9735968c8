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
import static io.winnow.hbase.read.CachedFilter.openToReloadAll;
import static io.winnow.hbase.read.CachedFilter.useAnother;
import static io.winnow.hbase.read.CachedFilter.watch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.io.hfile.BlockCacheKey;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.io.hfile.CachedBlock;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.io.hfile.TinyLfuBlockCache;
import org.apache.hadoop.hbase.io.hfile.bucket.BucketCache;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A probe that spares itself the look-up in the block cache: the cache must still see which chunks
 * are in use.
 */
class ChunkInUseTest {
  @TempDir Path dir;

  /**
   * As many blocks as fill the cache fifty times over come in, and the chunk is asked now and then.
   */
  @Test
  void chunkInUseStaysWhileOthersComeAndGo() throws IOException {
    int capacity = 256;
    LruBlockCache cache = lru((long) capacity * BLOCK);
    HStoreFile file = open(dir, cache);
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
    HStoreFile file = open(dir, cache);
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

  /**
   * A twin is looked up at each question. Many blocks come in, and are used twice each. In a cache
   * that counts uses, the chunk must stay as the twin does, though not each question is a use.
   */
  @ParameterizedTest
  @CsvSource({"1, 1", "4, 1", "16, 1", "64, 1", "1, 50", "16, 50", "64, 50"})
  void tinyLfuKeepsAChunkAsLongAsATwinThatIsAlwaysLookedUp(int gap, int questions)
      throws IOException {
    int capacity = 256;
    var cache = new TinyLfuBlockCache((long) capacity * BLOCK, BLOCK, Runnable::run, CONF);
    HStoreFile file = open(dir, cache);
    BloomFilter filter = filter(file);
    var twin = new BlockCacheKey("twin", 0);
    cache.cacheBlock(twin, new CachedFilter.Filler());
    assertTrue(asks(filter, PRESENT));
    int twinIsGone = 0;
    for (int i = 0; i < 100 * capacity; i++) {
      BlockCacheKey other = new BlockCacheKey("other", (long) i * BLOCK);
      cache.cacheBlock(other, new CachedFilter.Filler());
      cache.getBlock(other, true, false, false); // which may be gone already
      if (i % gap == 0) {
        for (int question = 0; question < questions; question++) {
          if (cache.getBlock(twin, true, false, false) == null) {
            cache.cacheBlock(twin, new CachedFilter.Filler());
            twinIsGone++;
          }
          assertTrue(asks(filter, PRESENT));
        }
      }
    }
    CacheStats stats = cache.getStats();
    assertTrue(stats.getEvictedCount() > 90 * capacity, "the others were evicted");
    long misses = stats.getBloomChunkMissCount() - 1;
    assertTrue(misses <= 2 * twinIsGone + 2, misses + " misses, " + twinIsGone + " of the twin");
    file.closeStoreFile(true);
    cache.shutdown();
  }

  @Test
  void chunkThatNobodyAsksForIsNotKept() throws IOException {
    LruBlockCache cache = lru(256 * BLOCK);
    HStoreFile file = open(dir, cache);
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

  /**
   * A twin is used as stock would use the chunk: looked up at each question. Others come in, of
   * which some are used often. As long as the twin stays, the chunk must.
   */
  @ParameterizedTest
  @CsvSource({
    "1, 0, 0.95",
    "4, 0, 0.95",
    "16, 0, 0.95",
    "64, 0, 0.95",
    "16, 4, 0.95",
    "64, 4, 0.95",
    "16, 0, 0.7",
    "64, 4, 0.7"
  })
  void chunkStaysWhereATwinThatIsAlwaysLookedUpStays(int gap, int uses, String minFactor)
      throws IOException {
    int capacity = 256;
    int often = 80;
    Configuration factor = new Configuration(CONF);
    factor.set("hbase.lru.blockcache.min.factor", minFactor);
    LruBlockCache cache = new LruBlockCache((long) capacity * BLOCK, BLOCK, false, factor);
    HStoreFile file = open(dir, cache);
    BloomFilter filter = filter(file);
    var twin = new BlockCacheKey("twin", 0);
    cache.cacheBlock(twin, new CachedFilter.Filler());
    int asked = 0;
    for (int i = 0; i < 50 * capacity; i++) {
      useAnother(cache, i);
      if (i < 2 * capacity) { // the first run looks back on all that filled the cache
        cache.getBlock(twin, true, false, false);
        assertTrue(asks(filter, PRESENT));
        asked++;
        continue;
      }
      for (int use = 0; use < uses; use++) {
        var key = new BlockCacheKey("often", (i * 7 + use * 31) % often);
        if (cache.getBlock(key, true, false, false) == null) {
          cache.cacheBlock(key, new CachedFilter.Filler());
        }
      }
      if (i % gap == 0) {
        assertNotNull(cache.getBlock(twin, true, false, false), "stock's would not stay either");
        assertTrue(asks(filter, 2 * (i % ROWS)));
        asked++;
      }
    }
    CacheStats stats = cache.getStats();
    assertTrue(stats.getEvictedCount() > 40 * capacity, "the others were evicted");
    assertEquals(1, stats.getBloomChunkMissCount());
    assertEquals(asked - 1, stats.getBloomChunkHitCount());
    file.closeStoreFile(true);
  }

  /**
   * One block more is in use than the cache holds, all alike, so that each run takes blocks that
   * were used since the last one. A chunk that is used some ten times between two runs, five times
   * as often as each of the others, should stay nearly always, though not each use looks it up.
   */
  @Test
  void chunkThatIsUsedMoreOftenIsHardlyEverTakenBefore() throws IOException {
    LruBlockCache cache = lru(256 * BLOCK);
    HStoreFile file = open(dir, cache);
    BloomFilter filter = filter(file);
    assertTrue(asks(filter, PRESENT));
    CacheStats stats = cache.getStats();
    int inUse = 0;
    while (stats.getEvictionCount() == 0) {
      useAnother(cache, inUse++);
    }
    Random random = new Random(20130529);
    int asked = 0;
    for (int i = 0; i < 4_000_000; i++) {
      var key = new BlockCacheKey("other", (long) random.nextInt(inUse) * BLOCK);
      if (cache.getBlock(key, true, false, false) == null) {
        cache.cacheBlock(key, new CachedFilter.Filler());
      }
      if (random.nextInt(inUse) < 5) {
        assertTrue(asks(filter, PRESENT));
        asked++;
      }
    }
    long runs = stats.getEvictionCount();
    assertTrue(asked > 6 * runs && asked < 20 * runs, asked + " uses, " + runs + " runs");
    long misses = stats.getBloomChunkMissCount();
    assertTrue(misses < 0.003 * asked, misses + " of " + asked + " were not in the cache");
    file.closeStoreFile(true);
  }

  /**
   * As in a server: blocks go by a thread of the cache's own, the chunk too, while several threads
   * ask. Each answer is the one that it was in peace, and each question is counted.
   */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void askersMeetTheEvictorsThread() throws Exception {
    int askers = 4;
    int runs = 300;
    LruBlockCache cache = new LruBlockCache(64 * BLOCK, BLOCK, true, CONF);
    HStoreFile file = openToReloadAll(dir, cache);
    BloomFilter filter = filter(file);
    boolean[] answers = new boolean[2 * ROWS];
    for (int i = 0; i < answers.length; i++) {
      answers[i] = asks(filter, i);
      assertTrue(answers[i] || i % 2 == 1, "row " + i);
    }
    CacheStats stats = cache.getStats();
    ExecutorService threads = Executors.newFixedThreadPool(askers);
    AtomicBoolean over = new AtomicBoolean();
    List<Future<Long>> asked = new ArrayList<>();
    try {
      for (int asker = 0; asker < askers; asker++) {
        Random random = new Random(asker);
        asked.add(
            threads.submit(
                () -> {
                  long questions = 0;
                  while (!over.get()) {
                    int row = random.nextInt(answers.length);
                    assertEquals(answers[row], asks(filter, row), "row " + row);
                    questions++;
                  }
                  return questions;
                }));
      }
      for (int i = 0; stats.getEvictionCount() < runs; i++) {
        cache.cacheBlock(new BlockCacheKey("other", (long) i * BLOCK), new CachedFilter.Filler());
        long misses = stats.getBloomChunkMissCount();
        boolean taken = i % 1000 == 0 && cache.evictBlocksByHfileName(file.getPath().getName()) > 0;
        // One of the next questions must see that, and load it; or one does that counted its miss
        // before, and waited for the one that loaded what was taken.
        while (taken && stats.getBloomChunkMissCount() == misses && chunks(cache).isEmpty()) {
          for (Future<Long> one : asked) {
            assertFalse(one.isDone(), () -> "an asker ended: " + one);
          }
        }
      }
    } finally {
      over.set(true);
      threads.shutdown();
    }
    long questions = answers.length;
    for (Future<Long> one : asked) {
      questions += one.get();
    }
    long misses = stats.getBloomChunkMissCount();
    long counted = misses + stats.getBloomChunkHitCount();
    assertTrue(misses > 1, "the chunk was taken in mid-question");
    // Who waits while another one loads the chunk counts a miss, and then a hit.
    assertTrue(questions <= counted && counted <= questions + misses, questions + ", " + counted);
    file.closeStoreFile(true);
    cache.shutdown();
  }

  private static int cellsReadThroughTheCache(HStoreFile file) throws IOException {
    int cells = 0;
    try (HFileScanner scanner =
        file.getReader().getHFileReader().getScanner(new Configuration(), true, true)) {
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        cells++;
      }
    }
    return cells;
  }

  /** Where in their file the chunks lie that a cache has. */
  private static List<Long> chunks(LruBlockCache cache) {
    List<Long> offsets = new ArrayList<>();
    for (CachedBlock block : cache) {
      if (block.getBlockType() == BlockType.BLOOM_CHUNK) {
        offsets.add(block.getOffset());
      }
    }
    return offsets;
  }

  /** With a BucketCache, data go there, and chunks stay in the first level, on the heap. */
  @Test
  void chunkOfTheFirstLevelIsWatchedWhereThereAreTwo() throws Exception {
    int capacity = 256;
    LruBlockCache first = lru((long) capacity * BLOCK);
    BucketCache second = new BucketCache("offheap", 32 << 20, BLOCK, null, 1, 64, null);
    HStoreFile file = open(dir, new CombinedBlockCache(first, second));
    watch(file);
    BloomFilter filter = filter(file);
    assertTrue(cellsReadThroughTheCache(file) >= ROWS);
    for (int i = 0; i < ROWS; i++) {
      assertTrue(asks(filter, 2 * i), "row " + i);
    }
    for (int i = 0; i < 30_000 && second.getBlockCount() == 0; i++) {
      Thread.sleep(10); // a thread of its own writes
    }
    assertTrue(second.getBlockCount() > 0, "data in the second level");
    assertEquals(1, chunks(first).size());
    for (CachedBlock block : second) {
      assertFalse(chunks(first).contains(block.getOffset()), "a chunk in the second level");
    }
    CacheStats stats = first.getStats();
    assertEquals(ROWS - 1, stats.getBloomChunkHitCount());
    long misses = stats.getBloomChunkMissCount();
    for (int i = 0; i < 20 * capacity; i++) { // the chunk is in use, and stays, but for bad luck
      useAnother(first, i);
      if (i % 16 == 0) {
        assertTrue(asks(filter, PRESENT));
      }
    }
    assertTrue(stats.getEvictedCount() > 15 * capacity, "the others were evicted");
    // One that is never looked up would go each time that a whole cache of blocks came in.
    long reloads = stats.getBloomChunkMissCount() - misses;
    assertTrue(reloads <= 10, reloads + " reloads");
    misses = stats.getBloomChunkMissCount();
    for (int i = 0; i < 20 * capacity; i++) { // it is not
      useAnother(first, 20 * capacity + i);
    }
    assertEquals(List.of(), chunks(first));
    for (int i = 0; i < MANY; i++) {
      assertTrue(asks(filter, PRESENT));
    }
    assertEquals(1, chunks(first).size());
    assertTrue(stats.getBloomChunkMissCount() > misses, "loaded anew");
    assertEquals(0, second.getStats().getBloomChunkHitCount());
    file.closeStoreFile(true);
    second.shutdown();
  }
}
