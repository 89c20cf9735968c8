package io.winnow.ycsb;

import java.util.Locale;
import java.util.Map;

/**
 * The block caches of all region servers, summed up.
 *
 * @param heapBytes of the LRU cache on the heap: all blocks; or, with a BucketCache behind it,
 *     blocks of filters and indexes
 * @param bucketBytes of an off-heap BucketCache, for data blocks; 0 for none
 * @param blockBytes of a data block in the BucketCache
 */
record ServerCache(long heapBytes, long bucketBytes, int blockBytes) {
  private static final int MEGABYTE = 1 << 20;

  static ServerCache onHeap(long bytes) {
    return new ServerCache(bytes, 0, 0);
  }

  /** What one of so many servers has: HBase takes no BucketCache of less than a megabyte. */
  ServerCache of(int servers) {
    return new ServerCache(
        heapBytes / servers,
        bucketBytes == 0 ? 0 : Math.max(MEGABYTE, bucketBytes / servers),
        blockBytes);
  }

  /** Properties of hbase-site.xml for a server that has this. */
  Map<String, String> settings() {
    String heap = Long.toString(heapBytes);
    return bucketBytes == 0
        ? Map.of("hfile.block.cache.memory.size", heap)
        : Map.of(
            "hfile.block.cache.memory.size",
            heap,
            "hbase.bucketcache.ioengine",
            "offheap",
            "hbase.bucketcache.size",
            String.format(Locale.ROOT, "%.3f", (double) bucketBytes / MEGABYTE),
            "hbase.bucketcache.bucket.sizes",
            bucketSizes());
  }

  /**
   * HBase's own sizes want a cache of 30 MB at least, since each has buckets of its own: these are
   * those that our blocks need.
   */
  private String bucketSizes() {
    return "%d,%d".formatted(blockBytes + (1 << 10), 2 * blockBytes + (1 << 10));
  }

  String text() {
    return String.format(
        Locale.ROOT,
        bucketBytes == 0 ? "block cache of %.1f MB" : "first level of %.1f MB, BucketCache of %.1f",
        (double) heapBytes / MEGABYTE,
        (double) bucketBytes / MEGABYTE);
  }
}
