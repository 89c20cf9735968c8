package io.winnow.hbase.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.base.ScratchPool;
import io.winnow.hbase.FullDisk;
import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.TestRegion;
import io.winnow.hbase.read.WinnowFilterReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * HBase tries a flush again and again, and closes none of the writers whose files found no room.
 */
class FullDiskTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 40_000;

  /** Attempts: what the filters of so many take while keys come in is well above the limit. */
  private static final int ATTEMPTS = 60;

  private static final long LIMIT = 8 << 20;

  @TempDir Path directory;

  private final long fallbacks = fallbacks();
  private final long abandoned = WinnowMetricsDoor.abandoned.get();

  @BeforeEach
  void begin() throws InterruptedException {
    WinnowMetricsDoor.forgetMemoryLimit();
    awaitNothingHeld();
  }

  @AfterEach
  void end() {
    FullDisk.clear();
    WinnowMetricsDoor.forgetMemoryLimit();
  }

  private static long fallbacks() {
    return WinnowMetricsDoor.fallbacks(Fallback.MEMORY_LIMIT)
        + WinnowMetricsDoor.fallbacks(Fallback.FAILURE);
  }

  private static void awaitNothingHeld() throws InterruptedException {
    for (int i = 0; i < 30_000 && heldBytes() > 0; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(0, heldBytes());
  }

  private static long heldBytes() {
    ScratchPool.dropIdle();
    return BuildMemory.bytesInUse();
  }

  private TestRegion region(int rows, Map<String, String> settings) throws IOException {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setBlocksize(4096)
            .setConfiguration("winnow.filter", "ribbon");
    settings.forEach(family::setConfiguration);
    TestRegion region =
        new TestRegion(
            directory,
            "full",
            family.build(),
            Map.of(
                "fs.file.impl", FullDisk.class.getName(),
                "fs.file.impl.disable.cache", "true",
                "hbase.hstore.flush.retries.number", "1000000",
                "hbase.server.pause", "1",
                "winnow.build.memory.limit", Long.toString(LIMIT)));
    for (int i = 0; i < rows; i++) {
      region.region().put(new Put(Bytes.toBytes(i)).addColumn(FAMILY, FAMILY, FAMILY));
    }
    return region;
  }

  /** A flush that meets a full disk so many times, and then finds room; the bytes held before. */
  private static long flush(TestRegion region, int attempts) throws Exception {
    CompletableFuture<Void> flush =
        CompletableFuture.runAsync(
            () -> {
              try {
                region.region().flush(true);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    while (FullDisk.refused() < attempts && !flush.isDone()) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    long held = BuildMemory.bytesInUse();
    FullDisk.clear();
    flush.get(10, TimeUnit.MINUTES);
    assertTrue(FullDisk.refused() >= attempts, FullDisk.refused() + " attempts");
    return held;
  }

  private void assertFileHasItsFilter(TestRegion region, int rows) {
    assertEquals(fallbacks, fallbacks());
    assertEquals(abandoned, WinnowMetricsDoor.abandoned.get());
    assertEquals(1, region.files().size());
    HStoreFile file = region.files().iterator().next();
    assertInstanceOf(WinnowFilterReader.class, file.getReader().getGeneralBloomFilter());
    assertEquals(rows, file.getReader().getGeneralBloomFilter().getKeyCount());
  }

  @Test
  void failedFlushesLeaveNextToNothingReserved() throws Exception {
    try (TestRegion region = region(ROWS, Map.of())) {
      FullDisk.fill(0, 0);
      long held = flush(region, ATTEMPTS);
      assertTrue(held < LIMIT / 2, held + " bytes after " + ATTEMPTS + " attempts");
      assertFileHasItsFilter(region, ROWS);
    }
    awaitNothingHeld();
  }

  /** At any byte of the file: in rows, in a chunk, in an index, in the meta block. */
  @Test
  void diskMayBeFullAnywhereInTheFile() throws Exception {
    int rows = 3000;
    try (TestRegion region = region(rows, Map.of("io.storefile.bloom.block.size", "256"))) {
      FullDisk.fill(0, 2000); // each attempt comes a little further, and the last one to the end
      region.region().flush(true);
      assertTrue(FullDisk.refused() > 20, FullDisk.refused() + " attempts");
      assertFileHasItsFilter(region, rows);
    }
    awaitNothingHeld();
  }
}
