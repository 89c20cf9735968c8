package io.winnow.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Program;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerCacheTest {

  @Test
  void onTheHeapAloneItIsHBasesLru() {
    assertEquals(
        Map.of("hfile.block.cache.memory.size", "1000"), ServerCache.onHeap(3000).of(3).settings());
  }

  @Test
  void aBucketCacheIsOffTheHeapAndItsBucketsHoldOurBlocks() {
    Map<String, String> settings =
        new ServerCache(8 << 20, 30 << 20, BlockSizes.SMALL.data()).of(2).settings();
    assertEquals(Integer.toString(4 << 20), settings.get("hfile.block.cache.memory.size"));
    assertEquals("offheap", settings.get("hbase.bucketcache.ioengine"));
    assertEquals("15.000", settings.get("hbase.bucketcache.size"));
    for (int keyLength : Program.read(new Ycsb()).keyLengths) {
      int block = BlockSizes.SMALL.dataOf(keyLength) + 200; // with header and checksums
      int bucket = Integer.parseInt(settings.get("hbase.bucketcache.bucket.sizes").split(",")[0]);
      assertTrue(block <= bucket, block + " in " + bucket);
      assertEquals(0, bucket % 256, "what HBase asks of it");
    }
  }
}
