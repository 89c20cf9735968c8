package io.winnow.hbase.tools;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;

/**
 * Block cache of a tool that keeps blocks in the heap of its JVM only. The BucketCache of the site
 * may lie in a file that the region server of this host has open, and HBase's BucketCache would
 * delete or overwrite that file.
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
    // Keys of the cache have only the name of a file, and two directories may have the same name.
    conf.setBoolean(CacheConfig.EVICT_BLOCKS_ON_CLOSE_KEY, true);
    return new CacheConfig(conf, BlockCacheFactory.createBlockCache(conf));
  }
}
