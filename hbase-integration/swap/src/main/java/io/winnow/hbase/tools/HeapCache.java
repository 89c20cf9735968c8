package io.winnow.hbase.tools;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;

/**
 * A tool's block cache: in the heap of its JVM alone. The BucketCache of the site may lie in a file
 * that the region server of this host has open. HBase's BucketCache would delete that file, or
 * write over it.
 */
final class HeapCache {
  private static final float SHARE_OF_HEAP = 0.4f;

  private HeapCache() {}

  static CacheConfig of(Configuration site) {
    Configuration conf = new Configuration(site);
    conf.unset(HConstants.BUCKET_CACHE_IOENGINE_KEY);
    conf.unset("hbase.blockcache.use.external");
    conf.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, SHARE_OF_HEAP);
    conf.setBoolean(CacheConfig.PREFETCH_BLOCKS_ON_OPEN_KEY, false);
    // It knows files by their names alone, and two directories may have the same.
    conf.setBoolean(CacheConfig.EVICT_BLOCKS_ON_CLOSE_KEY, true);
    return new CacheConfig(conf, BlockCacheFactory.createBlockCache(conf));
  }
}
