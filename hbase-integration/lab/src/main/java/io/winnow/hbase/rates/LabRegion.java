package io.winnow.hbase.rates;

import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionContext;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALFactory;

/**
 * A region of HBase's own classes in this JVM, with one family and a block cache, without a server.
 * It flushes and compacts only on request, in the calling thread; HBase's own policy selects the
 * files of a compaction.
 */
final class LabRegion implements Closeable {
  static final byte[] FAMILY = Bytes.toBytes("f");

  private static final byte[] COLUMN = Bytes.toBytes("c");
  private static final int BLOCK_BYTES = 8192;
  private static final int BATCH = 1000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Configuration conf;
  private final WALFactory wals;

  /** The region, which {@link #reopen} replaces. */
  HRegion region;

  private LabRegion(Configuration conf, WALFactory wals, HRegion region) {
    this.conf = conf;
    this.wals = wals;
    this.region = region;
  }

  /** Returns a builder of a column family with HBase's defaults, for a new region. */
  static ColumnFamilyDescriptorBuilder newFamily() {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(BLOCK_BYTES);
  }

  /**
   * Makes a new region with one family, which has the filters of a policy.
   *
   * @param directory the directory for its files
   * @param family the family, of {@link #newFamily}
   * @param site settings of the site for this region
   */
  @SuppressWarnings("deprecation") // initialize() is the only way to have a cache without a server
  static LabRegion create(
      Path directory,
      Policy policy,
      ColumnFamilyDescriptorBuilder family,
      Map<String, String> site,
      BlockCache cache)
      throws IOException {
    String name = policy.id().replace('+', '-');
    family.setBloomFilterType(policy.type());
    policy.settings().forEach(family::setConfiguration);
    Configuration conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    conf.set(HConstants.HBASE_DIR, directory.toUri().toString());
    conf.setBoolean("hbase.regionserver.hlog.enabled", false);
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    conf.setLong(HConstants.HREGION_MEMSTORE_FLUSH_SIZE, 1L << 40); // no flush by itself
    // HBase selects files below this size whatever their ratio. Files here are small: the ratio
    // must decide.
    conf.setLong("hbase.hstore.compaction.min.size", 1);
    site.forEach(conf::set);
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
            .setColumnFamily(family.build())
            .build();
    RegionInfo info = RegionInfoBuilder.newBuilder(table.getTableName()).build();
    WALFactory wals = new WALFactory(conf, name);
    try {
      HRegion region =
          HRegion.createHRegion(
              info,
              new org.apache.hadoop.fs.Path(directory.toUri()),
              conf,
              table,
              wals.getWAL(info),
              false);
      region.setBlockCache(cache);
      region.initialize();
      return new LabRegion(conf, wals, region);
    } catch (IOException | RuntimeException e) {
      wals.close();
      throw e;
    }
  }

  /**
   * Opens the region again with a given block cache, and with more settings of the site. Its blocks
   * leave the cache that it had until then.
   */
  @SuppressWarnings("deprecation") // as above
  void reopen(Map<String, String> site, BlockCache cache) throws IOException {
    HRegion old = region;
    old.close();
    Configuration now = new Configuration(conf);
    site.forEach(now::set);
    region =
        HRegion.newHRegion(
            old.getRegionFileSystem().getTableDir(),
            old.getWAL(),
            old.getFilesystem(),
            now,
            old.getRegionInfo(),
            old.getTableDescriptor(),
            null);
    region.setBlockCache(cache);
    region.initialize();
  }

  HStore store() {
    return region.getStore(FAMILY);
  }

  Collection<HStoreFile> files() {
    return store().getStorefiles();
  }

  /** Checks that the region has the number of store files that its writes have made. */
  void requireFiles(int count) throws IOException {
    if (files().size() != count) {
      throw new IOException("the store has " + files().size() + " files, not " + count);
    }
  }

  /** Returns the bytes of the filters of all store files. */
  long filterBytes() {
    return files().stream().mapToLong(file -> file.getReader().getTotalBloomSize()).sum();
  }

  /**
   * Writes rows, each with one cell, all with the same value, and flushes them into a store file.
   *
   * @param value the value of each row; null for the row's key
   * @param progress a consumer of the number of rows of each batch
   * @return the CPU time of the flush in nanoseconds
   */
  long write(Stream<byte[]> rows, byte[] value, IntConsumer progress) throws IOException {
    List<Mutation> batch = new ArrayList<>(BATCH);
    for (Iterator<byte[]> left = rows.iterator(); left.hasNext(); ) {
      byte[] row = left.next();
      Put put = new Put(row).addColumn(FAMILY, COLUMN, value == null ? row : value);
      batch.add(put.setDurability(Durability.SKIP_WAL));
      if (batch.size() == BATCH || !left.hasNext()) {
        region.batchMutate(batch.toArray(Mutation[]::new));
        progress.accept(batch.size());
        batch.clear();
      }
    }
    long start = cpuNanos();
    region.flush(true);
    return cpuNanos() - start;
  }

  /** Returns the CPU time of this thread so far, in nanoseconds. */
  static long cpuNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /** Compacts the region's files once, if HBase's policy selects some. Returns whether it did. */
  boolean compact() throws IOException {
    Optional<CompactionContext> selected = store().requestCompaction();
    if (selected.isEmpty()) {
      return false;
    }
    region.compact(selected.get(), store(), NoLimitThroughputController.INSTANCE);
    store().closeAndArchiveCompactedFiles();
    return true;
  }

  /** Compacts all store files of the region into one. */
  void majorCompact() throws IOException {
    store().triggerMajorCompaction();
    compact();
    requireFiles(1);
  }

  /** Returns whether a Get finds the row with its key as the value. */
  boolean get(byte[] row) throws IOException {
    return Bytes.equals(region.get(new Get(row)).getValue(FAMILY, COLUMN), row);
  }

  @Override
  public void close() throws IOException {
    try {
      region.close();
    } finally {
      wals.close();
    }
  }
}
