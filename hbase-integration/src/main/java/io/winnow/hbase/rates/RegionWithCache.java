package io.winnow.hbase.rates;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.wal.WAL;

/**
 * A region with a block cache, which HBase takes from the server that is not there; one for all
 * regions. HBase makes it, where it stands in {@code HConstants.REGION_IMPL}.
 */
public final class RegionWithCache extends HRegion {
  private static BlockCache cache;

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
    synchronized (RegionWithCache.class) {
      if (cache == null) {
        cache = BlockCacheFactory.createBlockCache(getReadOnlyConfiguration());
      }
      return cache;
    }
  }
}
