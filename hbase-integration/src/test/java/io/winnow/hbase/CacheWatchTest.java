package io.winnow.hbase;

import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.apache.hadoop.hbase.io.hfile.CachedBlock;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.io.hfile.TinyLfuBlockCache;
import org.apache.hadoop.hbase.io.hfile.bucket.BucketCache;
import org.apache.hadoop.hbase.monitoring.ThreadLocalServerSideScanMetrics;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** The chunk's block, as the cache has it; to be released. */
  private static HFileBlock chunk(LruBlockCache cache) {
    for (CachedBlock block : cache) {
      if (block.getBlockType() == BlockType.BLOOM_CHUNK) {
        var key = new BlockCacheKey(block.getFilename(), block.getOffset());
        return assertInstanceOf(HFileBlock.class, cache.getBlock(key, true, true, false));
      }
    }
    throw new AssertionError("no chunk in the cache");
  }

  private static CacheWatch watch(HStoreFile file) {
    assumeTrue(HBaseLine.isAtLeast26(), "a reader of HBase 2.5 does not tell its cache");
    return assertInstanceOf(
        CacheWatch.class, CacheWatch.of(file.getReader().getHFileReader()), "a watch");
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
    HStoreFile file = open(cache);
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
    HStoreFile file = open(cache);
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
    Configuration factor = new Configuration(conf);
    factor.set("hbase.lru.blockcache.min.factor", minFactor);
    LruBlockCache cache = new LruBlockCache((long) capacity * BLOCK, BLOCK, false, factor);
    HStoreFile file = open(cache);
    BloomFilter filter = filter(file);
    var twin = new BlockCacheKey("twin", 0);
    cache.cacheBlock(twin, new Filler());
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
          cache.cacheBlock(key, new Filler());
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
    HStoreFile file = open(cache);
    BloomFilter filter = filter(file);
    assertTrue(asks(filter, PRESENT));
    CacheStats stats = cache.getStats();
    int inUse = 0;
    while (stats.getEvictionCount() == 0) {
      useAnother(cache, inUse++);
    }
    Random random = new Random(20130529);
    int asked = 0;
    for (int i = 0; i < 1_000_000; i++) {
      var key = new BlockCacheKey("other", (long) random.nextInt(inUse) * BLOCK);
      if (cache.getBlock(key, true, false, false) == null) {
        cache.cacheBlock(key, new Filler());
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
  void askersMeetTheEvictorsThread() throws Exception {
    int askers = 4;
    int runs = 300;
    LruBlockCache cache = new LruBlockCache(64 * BLOCK, BLOCK, true, conf);
    HStoreFile file = open(cache);
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
    long begin = System.nanoTime();
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
        cache.cacheBlock(new BlockCacheKey("other", (long) i * BLOCK), new Filler());
        long misses = stats.getBloomChunkMissCount();
        boolean taken = i % 1000 == 0 && cache.evictBlocksByHfileName(file.getPath().getName()) > 0;
        do { // one of the next questions must see that, and load it
          assertTrue(System.nanoTime() - begin < 60e9, stats.getEvictionCount() + " runs");
        } while (taken && stats.getBloomChunkMissCount() == misses);
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
    HStoreFile file = open(new CombinedBlockCache(first, second));
    watch(file);
    BloomFilter filter = filter(file);
    assertTrue(cellsReadThroughTheCache(file) >= ROWS);
    for (int i = 0; i < ROWS; i++) {
      assertTrue(asks(filter, 2 * i), "row " + i);
    }
    for (int i = 0; i < 1000 && second.getBlockCount() == 0; i++) {
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

  /** A block that somebody else loaded anew is looked at anew, and counts as one hit. */
  @Test
  void blockThatAnotherReaderLoadedIsTakenOver() throws IOException {
    LruBlockCache cache = lru(64 << 20);
    HStoreFile file = open(cache);
    HStoreFile again = open(cache);
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
    assumeTrue(HBaseLine.isAtLeast26(), "a reader of HBase 2.5 does not tell its cache");
    var path = StoreFiles.write(dir, conf, BloomType.ROW, StoreFiles.evenRows(ROWS));
    CacheConfig cacheConf = new CacheConfig(conf, null, lru(64 << 20), ByteBuffAllocator.HEAP);
    TamperedReader reader = TamperedReader.open(conf, cacheConf, path);
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
    HStoreFile file = open(cache);
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
