package io.winnow.hbase.write;

import static io.winnow.hbase.StoreFiles.put;
import static io.winnow.hbase.StoreFiles.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.base.ScratchPool;
import io.winnow.hbase.LogLines;
import io.winnow.hbase.StoreFiles;
import io.winnow.hbase.UsedHeap;
import io.winnow.hbase.format.KeyKind;
import io.winnow.hbase.hooks.WinnowHooks;
import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.read.WinnowFilterReader;
import io.winnow.hbase.settings.WinnowSettings;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.io.hfile.BloomFilterMetrics;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.CompoundBloomFilter;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileDoor;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.BloomFilter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many store files that are written at the same time, by HBase's own writers, under a limit. */
class OpenWritersTest {
  private static final int ROWS = 6000;
  private static final long MIB = 1 << 20;

  @TempDir Path dir;

  private final long fallbacks = WinnowMetricsDoor.fallbacks(Fallback.MEMORY_LIMIT);
  private final long abandoned = WinnowMetricsDoor.abandoned.get();
  private LogLines log;

  @BeforeEach
  void begin() throws InterruptedException {
    log = new LogLines(WinnowHooks.class);
    WinnowHooks.OUT_OF_ROOM.forget();
    WinnowMetricsDoor
        .forgetMemoryLimit(); // each test has its own, in the configuration of its files
    awaitNothingHeld();
  }

  @AfterEach
  void end() {
    log.close();
    WinnowMetricsDoor.forgetMemoryLimit();
  }

  private static Configuration conf(String filter, String limit) {
    return StoreFiles.conf(
        Map.of(
            "winnow.filter", filter,
            "winnow.build.memory.limit", limit,
            "io.storefile.bloom.block.size", "16384"));
  }

  private static org.apache.hadoop.fs.Path path(Path dir, int file) {
    return new org.apache.hadoop.fs.Path(
        dir.resolve("f").resolve(String.format(Locale.ROOT, "%032x", file)).toUri());
  }

  private StoreFileWriter writer(Configuration conf, int file, long maxKeys) throws IOException {
    return new StoreFileWriter.Builder(
            conf, new CacheConfig(conf), FileSystem.getLocal(conf).getRaw())
        .withFilePath(path(dir, file))
        .withBloomType(BloomType.ROW)
        .withMaxKeyCount(maxKeys)
        .withFileContext(StoreFiles.context().build())
        .build();
  }

  /** The writers that other tests dropped. */
  static void awaitNothingHeld() throws InterruptedException {
    for (int i = 0; i < 30_000; i++) {
      ScratchPool.dropIdle();
      if (BuildMemory.bytesInUse() == 0) {
        return;
      }
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(0, BuildMemory.bytesInUse());
  }

  /** The filter of a file of which every row passes. */
  private BloomFilter checked(Configuration conf, int file, int rows) throws IOException {
    HStoreFile open =
        StoreFiles.open(conf, path(dir, file), BloomType.ROW, new BloomFilterMetrics());
    for (int i = 0; i < rows; i += rows / 100) {
      assertTrue(StoreFileDoor.passes(open.getReader(), row(2 * i), null), file + ", row " + i);
    }
    assertEquals(rows, open.getReader().getEntries());
    BloomFilter filter = open.getReader().getGeneralBloomFilter();
    open.closeStoreFile(true);
    return filter;
  }

  @Test
  void threeHundredWritersStayUnderTheLimit() throws Exception {
    int files = 300;
    long limit = 12 * MIB;
    Configuration conf = conf("bumped-ribbon", "12m");
    List<StoreFileWriter> writers = new ArrayList<>();
    long start = System.nanoTime();
    for (int file = 0; file < files; file++) {
      writers.add(writer(conf, file, ROWS));
      assertTrue(BuildMemory.bytesInUse() <= limit);
    }
    long stock = WinnowMetricsDoor.fallbacks(Fallback.MEMORY_LIMIT) - fallbacks;
    assertTrue(stock > 30 && stock <= 200, stock + " files of 300 have a stock filter");
    for (int i = 0; i < ROWS; i++) {
      for (StoreFileWriter writer : writers) {
        writer.append(put(row(2 * i), "q"));
      }
      if (i % 500 == 0) {
        assertTrue(BuildMemory.bytesInUse() <= limit, BuildMemory.bytesInUse() + " bytes");
      }
    }
    for (StoreFileWriter writer : writers) {
      writer.close();
      assertTrue(BuildMemory.bytesInUse() <= limit, BuildMemory.bytesInUse() + " bytes");
    }
    long minutes = (System.nanoTime() - start) / 60_000_000_000L;
    int lines = log.all().size();
    assertTrue(lines >= 1 && lines <= 1 + minutes, "one line a minute for all: " + log.all());
    assertEquals(stock, WinnowMetricsDoor.fallbacks(Fallback.MEMORY_LIMIT) - fallbacks);
    assertEquals(abandoned, WinnowMetricsDoor.abandoned.get());
    int ours = 0;
    for (int file = 0; file < files; file++) {
      ours += checked(conf, file, ROWS) instanceof WinnowFilterReader ? 1 : 0;
    }
    assertTrue(ours >= 100 && ours < files, ours + " files have our filter");
    assertTrue(stock >= files - ours, stock + " files counted, " + ours + " have our filter");
    ScratchPool.dropIdle();
    assertEquals(0, BuildMemory.bytesInUse(), "all given back at the end of the files");
  }

  /** What the account says is what the heap has. */
  @Test
  void accountIsNoLessThanWhatIsReachable() throws Exception {
    Configuration conf = conf("ribbon", "1g");
    WinnowSettings settings = WinnowSettings.of(conf, KeyKind.ROW);
    List<WinnowChunkWriter> open = new ArrayList<>();
    int keys = 18_000; // more than a chunk
    assertTrue(settings.keyLimit() < keys);
    for (int round = 0; round < 2; round++) { // the first one loads classes
      open.clear();
      awaitNothingHeld();
      long before = UsedHeap.bytes();
      for (int i = 0; i < 200; i++) {
        WinnowChunkWriter writer =
            WinnowChunkWriter.of(settings, KeyKind.ROW, false, "none", 0, 1L << 30);
        for (int j = 0; j < keys; j++) {
          writer.append(put(row(j), "q"));
        }
        open.add(writer);
      }
      ScratchPool.dropIdle();
      long account = BuildMemory.bytesInUse();
      long heap = UsedHeap.bytes() - before;
      assertTrue(heap <= account, heap + " bytes, the account says " + account);
      assertTrue(heap >= account / 3, heap + " bytes, the account says " + account);
      assertEquals(open.size() * (long) keys, open.stream().mapToLong(w -> w.getKeyCount()).sum());
    }
  }

  @Test
  void writersOfSeveralThreadsShareTheLimit() throws Exception {
    long limit = 4 * MIB;
    Configuration conf = conf("quotient", "4m");
    int threads = 6;
    int filesOfEach = 8;
    ConcurrentLinkedQueue<Throwable> problems = new ConcurrentLinkedQueue<>();
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int first = 1000 + t * filesOfEach;
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  for (int file = first; file < first + filesOfEach; file++) {
                    StoreFileWriter writer = writer(conf, file, file % 2 == 0 ? 0 : ROWS);
                    for (int i = 0; i < 2 * ROWS; i++) { // twice what was promised
                      writer.append(put(row(2 * i), "q"));
                    }
                    assertTrue(BuildMemory.ofThisJvm().underConstruction() <= limit);
                    // When a build ends, its scratch is idle and in use for a moment.
                    assertTrue(BuildMemory.bytesInUse() <= 2 * limit);
                    writer.close();
                  }
                } catch (Throwable e) {
                  problems.add(e);
                }
              });
      all.add(thread);
      thread.start();
    }
    start.countDown();
    for (Thread thread : all) {
      thread.join();
    }
    assertEquals(List.of(), List.copyOf(problems));
    assertTrue(BuildMemory.bytesInUse() <= limit, BuildMemory.bytesInUse() + " bytes");
    for (int file = 1000; file < 1000 + threads * filesOfEach; file++) {
      checked(conf, file, 2 * ROWS);
    }
    ScratchPool.dropIdle();
    assertEquals(0, BuildMemory.bytesInUse());
  }

  /**
   * The number of keys that HBase promises may be wrong: the filter goes then, and not the heap.
   */
  @Test
  void fileThatHasMoreKeysThanPromisedIsWrittenWithoutAFilter() throws Exception {
    Configuration conf =
        StoreFiles.conf(Map.of("winnow.filter", "ribbon", "winnow.build.memory.limit", "1m"));
    StoreFileWriter writer = writer(conf, 2000, 10);
    assertTrue(BuildMemory.bytesInUse() > 0, "it has begun");
    int rows = 60_000;
    for (int i = 0; i < rows; i++) {
      writer.append(put(row(2 * i), "q"));
      assertTrue(BuildMemory.bytesInUse() <= MIB);
    }
    writer.close();
    assertEquals(1, WinnowMetricsDoor.abandoned.get() - abandoned);
    assertEquals(0, WinnowMetricsDoor.fallbacks(Fallback.MEMORY_LIMIT) - fallbacks);
    assertNull(checked(conf, 2000, rows));
    assertEquals(0, BuildMemory.bytesInUse());
  }

  @Test
  void wrongPromisesDoNoHarmWhereThereIsRoom() throws Exception {
    Configuration conf = conf("bumped-ribbon", "64m");
    long[] promises = {0, 1, Integer.MAX_VALUE, Long.MAX_VALUE, -1};
    for (int i = 0; i < promises.length; i++) {
      StoreFileWriter writer = writer(conf, 3000 + i, promises[i]);
      for (int j = 0; j < 20_000; j++) {
        writer.append(put(row(2 * j), "q"));
      }
      writer.close();
      assertInstanceOf(WinnowFilterReader.class, checked(conf, 3000 + i, 20_000));
    }
    assertEquals(abandoned, WinnowMetricsDoor.abandoned.get());
  }

  /** Delete-family markers are rare: a writer for them takes what it needs when they come. */
  @Test
  void writerWithoutAKeyTakesNextToNothing() throws Exception {
    Configuration conf = conf("ribbon", "64m");
    WinnowSettings settings = WinnowSettings.of(conf, KeyKind.DELETE_FAMILY);
    WinnowChunkWriter writer =
        WinnowChunkWriter.of(
            settings, KeyKind.DELETE_FAMILY, false, "none", Integer.MAX_VALUE, 64 * MIB);
    assertTrue(BuildMemory.bytesInUse() < 4096, BuildMemory.bytesInUse() + " bytes");
    writer.append(put(row(1), "q"));
    long one = BuildMemory.bytesInUse();
    assertTrue(one >= 32 << 10, one + " bytes");
    for (int i = 2; i < 10_000; i++) {
      writer.append(put(row(i), "q"));
    }
    assertTrue(BuildMemory.bytesInUse() > 2 * one);
    writer.discard();
    assertEquals(0, BuildMemory.bytesInUse());
    StoreFileWriter file = writer(conf, 4000, 0); // its second filter gets no key
    file.append(put(row(0), "q"));
    file.close();
    ScratchPool.dropIdle();
    assertEquals(0, BuildMemory.bytesInUse());
  }

  /** A flush that was aborted, and whose writer nobody closes. */
  @Test
  void writerThatIsDroppedGivesItsMemoryBack() throws Exception {
    Configuration conf = conf("ribbon", "64m");
    StoreFileWriter writer = writer(conf, 5000, 0);
    for (int i = 0; i < 100; i++) {
      writer.append(put(row(2 * i), "q"));
    }
    assertTrue(BuildMemory.bytesInUse() > 0);
    WeakReference<StoreFileWriter> dropped = new WeakReference<>(writer);
    writer = null;
    awaitNothingHeld();
    assertNull(dropped.get());
  }

  /** What is given up holds no memory while its file goes on. */
  @Test
  void filterThatIsGivenUpIsGone() throws Exception {
    WinnowSettings settings = WinnowSettings.of(conf("ribbon", "1g"), KeyKind.ROW);
    List<WinnowChunkWriter> open = new ArrayList<>();
    long before = UsedHeap.bytes();
    for (int i = 0; i < 100; i++) {
      WinnowChunkWriter writer =
          WinnowChunkWriter.of(settings, KeyKind.ROW, false, "none", 0, 1L << 30);
      for (int j = 0; j < 10_000; j++) {
        writer.append(put(row(j), "q"));
      }
      open.add(writer);
    }
    assertTrue(UsedHeap.bytes() - before > 100 * 80_000, "they hold their keys");
    try (LogLines quiet = new LogLines(WinnowChunkWriter.class)) {
      for (WinnowChunkWriter writer : open) {
        writer.append(null);
      }
      assertEquals(100, quiet.errors().size());
    }
    assertEquals(100, WinnowMetricsDoor.abandoned.get() - abandoned);
    ScratchPool.dropIdle();
    assertEquals(0, BuildMemory.bytesInUse());
    long held = UsedHeap.bytes() - before;
    assertTrue(held < 100 * 20_000, held + " bytes held");
    assertEquals(0, open.stream().mapToLong(w -> w.getKeyCount()).sum());
  }

  /** The limit is the same for stock files that have nothing to do with it. */
  @Test
  void stockFamilyIsNotConcerned() throws Exception {
    Configuration conf = StoreFiles.conf(Map.of("winnow.build.memory.limit", "nonsense"));
    StoreFileWriter writer = writer(conf, 6000, 0);
    for (int i = 0; i < 200; i++) {
      writer.append(put(row(2 * i), "q"));
    }
    assertEquals(0, BuildMemory.bytesInUse());
    writer.close();
    assertInstanceOf(CompoundBloomFilter.class, checked(conf, 6000, 200));
  }
}
