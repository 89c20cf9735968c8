package io.winnow.ycsb;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Sizes of the block caches, summed up over all region servers.
 *
 * @param heapBytes bytes of the LRU cache on the heap: for all blocks, or, with a BucketCache
 *     behind it, for blocks of filters and indexes
 * @param bucketBytes bytes of an off-heap BucketCache for data blocks; 0 for none
 * @param blockBytes bytes of a data block in the BucketCache
 */
record ServerCache(long heapBytes, long bucketBytes, int blockBytes) {
  private static final int MEGABYTE = 1 << 20;

  static ServerCache onHeap(long bytes) {
    return new ServerCache(bytes, 0, 0);
  }

  /**
   * Returns the cache sizes of one server, if the given number of servers divide these caches
   * evenly. A BucketCache has at least a megabyte, HBase's minimum.
   */
  ServerCache of(int servers) {
    return new ServerCache(
        heapBytes / servers,
        bucketBytes == 0 ? 0 : Math.max(MEGABYTE, bucketBytes / servers),
        blockBytes);
  }

  /** Returns the properties of hbase-site.xml that set the sizes of a server's block caches. */
  Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put("hfile.block.cache.memory.size", Long.toString(heapBytes));
    if (bucketBytes > 0) {
      settings.put("hbase.bucketcache.ioengine", "offheap");
      double megabytes = (double) bucketBytes / MEGABYTE;
      settings.put("hbase.bucketcache.size", String.format(Locale.ROOT, "%.3f", megabytes));
      // Buckets that the data blocks need. HBase's default sizes need a cache of at least 30 MB,
      // since each size has buckets of its own.
      String sizes = "%d,%d".formatted(blockBytes + (1 << 10), 2 * blockBytes + (1 << 10));
      settings.put("hbase.bucketcache.bucket.sizes", sizes);
    }
    return settings;
  }

  String text() {
    return String.format(
        Locale.ROOT,
        bucketBytes == 0 ? "block cache of %.1f MB" : "first level of %.1f MB, BucketCache of %.1f",
        (double) heapBytes / MEGABYTE,
        (double) bucketBytes / MEGABYTE);
  }
}
