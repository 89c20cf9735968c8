package io.winnow.hbase.rates;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
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
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionContext;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.util.BloomFilterFactory;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALFactory;

/**
 * A region of HBase's own classes in this JVM, with one family and a block cache, without a server.
 * It flushes and compacts only on request, in the calling thread; HBase's own policy selects the
 * files of a compaction.
 */
final class LabRegion implements Closeable {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("c");
  private static final int BLOCK_BYTES = 8192;
  private static final int BATCH = 1000;

  private static BlockCache shared;

  private final Configuration conf;
  private final WALFactory wals;
  private HRegion region;

  private LabRegion(Configuration conf, WALFactory wals, HRegion region) {
    this.conf = conf;
    this.wals = wals;
    this.region = region;
  }

  /**
   * Makes a new region with one family that has the filter settings of a policy.
   *
   * @param directory the directory for its files
   * @param chunk bytes of a full chunk of a filter
   */
  static LabRegion create(Path directory, Policy policy, double fileRate, int chunk)
      throws IOException {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setBlocksize(BLOCK_BYTES)
            .setConfiguration(
                BloomFilterFactory.IO_STOREFILE_BLOOM_ERROR_RATE, String.valueOf(fileRate))
            .setConfiguration(
                BloomFilterFactory.IO_STOREFILE_BLOOM_BLOCK_SIZE, String.valueOf(chunk));
    policy.settings().forEach(family::setConfiguration);
    return create(directory, policy.name(), family.build(), Map.of(), null);
  }

  /**
   * Makes a new region with the given family, which must have the name of all families in such
   * regions, {@link #family}.
   *
   * @param site settings of the site for this region
   * @param cache a block cache of its own; null for the one that regions share
   */
  @SuppressWarnings("deprecation") // initialize() is the only way to have a cache without a server
  static LabRegion create(
      Path directory,
      String name,
      ColumnFamilyDescriptor family,
      Map<String, String> site,
      BlockCache cache)
      throws IOException {
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
        TableDescriptorBuilder.newBuilder(TableName.valueOf(name)).setColumnFamily(family).build();
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
      region.setBlockCache(cache != null ? cache : sharedCache(conf));
      region.initialize();
      return new LabRegion(conf, wals, region);
    } catch (IOException | RuntimeException e) {
      wals.close();
      throw e;
    }
  }

  /** Opens a region again with a given block cache, and with more settings of the site. */
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

  /**
   * Returns the block cache of the site's settings, shared by all regions that have no cache of
   * their own.
   */
  private static synchronized BlockCache sharedCache(Configuration conf) {
    if (shared == null) {
      shared = BlockCacheFactory.createBlockCache(conf);
    }
    return shared;
  }

  HRegion region() {
    return region;
  }

  HStore store() {
    return region.getStore(FAMILY);
  }

  TableName table() {
    return region.getTableDescriptor().getTableName();
  }

  byte[] family() {
    return FAMILY;
  }

  /** Returns a builder of a column family with HBase's defaults, for a new region. */
  static ColumnFamilyDescriptorBuilder newFamily() {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(BLOCK_BYTES);
  }

  Collection<HStoreFile> files() {
    return store().getStorefiles();
  }

  /** Writes rows to the region, each with one cell, all with the same value. */
  void put(List<byte[]> rows, byte[] value) throws IOException {
    for (int from = 0; from < rows.size(); from += BATCH) {
      List<Mutation> batch = new ArrayList<>(BATCH);
      for (byte[] row : rows.subList(from, Math.min(rows.size(), from + BATCH))) {
        batch.add(new Put(row).addColumn(FAMILY, COLUMN, value).setDurability(Durability.SKIP_WAL));
      }
      region.batchMutate(batch.toArray(Mutation[]::new));
    }
  }

  /** Writes the rows of a range of row numbers to the region, each with one cell. */
  void put(int fromNumber, int toNumber) throws IOException {
    List<Mutation> batch = new ArrayList<>(BATCH);
    for (int number = fromNumber; number < toNumber; number++) {
      byte[] row = RowKey.of(number);
      batch.add(new Put(row).addColumn(FAMILY, COLUMN, row).setDurability(Durability.SKIP_WAL));
      if (batch.size() == BATCH || number == toNumber - 1) {
        region.batchMutate(batch.toArray(Mutation[]::new));
        batch.clear();
      }
    }
  }

  void flush() throws IOException {
    region.flush(true);
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
    region.compact(true);
    store().closeAndArchiveCompactedFiles();
    if (files().size() != 1) {
      throw new IOException("a major compaction left " + files().size() + " files");
    }
  }

  /** Returns whether a Get finds the row with its whole value. */
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
