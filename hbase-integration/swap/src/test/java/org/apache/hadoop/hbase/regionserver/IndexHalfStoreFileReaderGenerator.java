package org.apache.hadoop.hbase.regionserver;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;

/** Coprocessor with the name of Phoenix's, which opens files of local indexes only. */
public final class IndexHalfStoreFileReaderGenerator implements RegionObserver {
  @SuppressWarnings("deprecation") // it is for Phoenix only
  @Override
  public StoreFileReader preStoreFileReaderOpen(
      ObserverContext<RegionCoprocessorEnvironment> context,
      FileSystem fs,
      Path path,
      FSDataInputStreamWrapper in,
      long size,
      CacheConfig cache,
      Reference reference,
      StoreFileReader reader) {
    return reader;
  }
}
