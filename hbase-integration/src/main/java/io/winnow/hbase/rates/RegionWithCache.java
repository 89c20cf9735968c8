package io.winnow.hbase.rates;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.wal.WAL;

/**
 * A region with a block cache, which HBase takes from the server that is not there; one for all
 * regions that ask for none of their own. HBase makes it, where it stands in {@code
 * HConstants.REGION_IMPL}.
 */
public final class RegionWithCache extends HRegion {
  /** The setting that gives a region a cache of its own; 0 is none. */
  static final String OWN_BYTES = "winnow.lab.cache.bytes";

  private static BlockCache cache;

  private LruBlockCache own;

  @SuppressWarnings("deprecation") // the constructor that HBase calls
  public RegionWithCache(
      Path tableDirectory,
      WAL wal,
      FileSystem fs,
      Configuration conf,
      RegionInfo info,
      TableDescriptor table,
      RegionServerServices server) {
    super(tableDirectory, wal, fs, conf, info, table, server);
  }

  @Override
  public BlockCache getBlockCache() {
    long ownBytes = getReadOnlyConfiguration().getLong(OWN_BYTES, 0);
    if (ownBytes > 0) {
      if (own == null) {
        own = new LruBlockCache(ownBytes, HConstants.DEFAULT_BLOCKSIZE);
      }
      return own;
    }
    synchronized (RegionWithCache.class) {
      if (cache == null) {
        cache = BlockCacheFactory.createBlockCache(getReadOnlyConfiguration());
      }
      return cache;
    }
  }
}
