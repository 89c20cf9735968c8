package io.winnow.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.build.ScratchPool;
import io.winnow.hbase.metrics.Fallback;
import io.winnow.hbase.metrics.TestRegion;
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

/** HBase tries a flush again and again, and closes none of the writers whose files found no room. */
class FullDiskTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 40_000;

  /** Attempts: what the filters of so many take while keys come in is well above the limit. */
  private static final int ATTEMPTS = 60;

  private static final long LIMIT = 8 << 20;

  @TempDir Path directory;

  @BeforeEach
  void begin() throws InterruptedException {
    MemoryLimit.forget();
    awaitNothingHeld();
  }

  @AfterEach
  void end() {
    FullDisk.setFull(false);
    MemoryLimit.forget();
  }

  private static void awaitNothingHeld() throws InterruptedException {
    for (int i = 0; i < 500 && heldBytes() > 0; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertEquals(0, heldBytes());
  }

  private static long heldBytes() {
    ScratchPool.dropIdle();
    return BuildMemory.bytesInUse();
  }

  @Test
  void failedFlushesLeaveNextToNothingReserved() throws Exception {
    Map<String, String> site =
        Map.of(
            "fs.file.impl", FullDisk.class.getName(),
            "fs.file.impl.disable.cache", "true",
            "hbase.hstore.flush.retries.number", "1000000",
            "hbase.server.pause", "1",
            "winnow.build.memory.limit", Long.toString(LIMIT));
    long fallbacks = WinnowMetricsDoor.fallbacks(Fallback.MEMORY_LIMIT);
    try (TestRegion region =
        new TestRegion(
            directory,
            "full",
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                .setBloomFilterType(BloomType.ROW)
                .setConfiguration("winnow.filter", "ribbon")
                .build(),
            site)) {
      for (int i = 0; i < ROWS; i++) {
        region.region().put(new Put(Bytes.toBytes(i)).addColumn(FAMILY, FAMILY, FAMILY));
      }
      FullDisk.setFull(true);
      int before = FullDisk.REFUSED.get();
      CompletableFuture<Void> flush =
          CompletableFuture.runAsync(
              () -> {
                try {
                  region.region().flush(true);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
      while (FullDisk.REFUSED.get() < before + ATTEMPTS && !flush.isDone()) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
      long held = BuildMemory.bytesInUse();
      FullDisk.setFull(false);
      flush.get(60, TimeUnit.SECONDS);
      assertTrue(held < LIMIT / 2, held + " bytes after " + ATTEMPTS + " attempts");
      assertEquals(fallbacks, WinnowMetricsDoor.fallbacks(Fallback.MEMORY_LIMIT));
      assertEquals(1, region.files().size());
      HStoreFile file = region.files().iterator().next();
      assertInstanceOf(WinnowFilterReader.class, file.getReader().getGeneralBloomFilter());
      assertEquals(ROWS, file.getReader().getGeneralBloomFilter().getKeyCount());
    }
    awaitNothingHeld();
  }
}
