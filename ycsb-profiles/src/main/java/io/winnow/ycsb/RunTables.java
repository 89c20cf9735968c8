package io.winnow.ycsb;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/** The tables that a run of {@code ./winnow ycsb} makes and drops. It touches no other table. */
final class RunTables {
  static final byte[] FAMILY = Bytes.toBytes("f");

  /**
   * Compression of data blocks in the tables' store files; the block cache holds them uncompressed.
   */
  static final Compression.Algorithm COMPRESSION = Compression.Algorithm.SNAPPY;

  /** Name of HBase's setting with the size of index blocks in bytes. */
  static final String INDEX_BLOCK_SIZE = "hfile.index.block.max.size";

  private static final String PREFIX = "winnow_ycsb_";

  private RunTables() {}

  /**
   * Returns the name of the table that a run makes for one of the compared filter settings.
   *
   * @param purpose a name that distinguishes sets of tables
   */
  static TableName name(String purpose, TableContender contender) {
    return TableName.valueOf(PREFIX + purpose + "_" + contender.id().replace('-', '_'));
  }

  /** Makes a table with given boundaries of regions, and loads store files into it. */
  static void create(
      Deployment deployment,
      TableName name,
      TableContender contender,
      int keyLength,
      BlockSizes blocks,
      byte[][] splits,
      List<Path> files)
      throws IOException {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setCompressionType(COMPRESSION)
            .setBlocksize(blocks.dataOf(keyLength))
            .setConfiguration(INDEX_BLOCK_SIZE, Integer.toString(blocks.index()));
    contender.configuration().forEach(family::setConfiguration);
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(family.build())
            .setRegionSplitPolicyClassName(DisabledRegionSplitPolicy.class.getName())
            // Files stay as they are loaded, until the run requests a major compaction.
            .setValue("hbase.hstore.compaction.min", "1000")
            .setValue("hbase.hregion.majorcompaction", "0")
            .setValue("hbase.hstore.blockingStoreFiles", "1000")
            .build();
    try (Admin admin = deployment.connection().getAdmin()) {
      admin.createTable(table, splits);
    }
    load(deployment, name, files);
  }

  /** Loads store files into an existing table. */
  static void load(Deployment deployment, TableName name, List<Path> files) throws IOException {
    Configuration conf = new Configuration(deployment.connection().getConfiguration());
    conf.setInt("hbase.mapreduce.bulkload.max.hfiles.perRegion.perFamily", 1_000);
    BulkLoadHFiles.create(conf).bulkLoad(name, Map.of(FAMILY, files));
  }

  /**
   * Writes rows to a table and flushes them, which makes one more small file in each region that
   * has some of them.
   */
  static void touch(Deployment deployment, TableName name, Iterable<Put> rows) throws IOException {
    try (BufferedMutator table = deployment.connection().getBufferedMutator(name);
        Admin admin = deployment.connection().getAdmin()) {
      for (Put row : rows) {
        table.mutate(row);
      }
      table.flush();
      for (RegionInfo region : admin.getRegions(name)) {
        admin.flushRegion(region.getRegionName());
      }
    }
  }

  /** Evicts the blocks of all files of some tables from the block caches. */
  static void evict(Deployment deployment, List<TableName> tables) throws IOException {
    try (Admin admin = deployment.connection().getAdmin()) {
      for (TableName table : tables) {
        admin.clearBlockCache(table);
      }
    }
  }

  /** Drops a table of the run, if it exists. */
  static void drop(Deployment deployment, TableName name) throws IOException {
    if (!name.getNamespaceAsString().equals(NamespaceDescriptor.DEFAULT_NAMESPACE_NAME_STR)
        || !name.getNameAsString().startsWith(PREFIX)) {
      throw new IllegalArgumentException(
          name + " was not made by this run and must not be dropped");
    }
    try (Admin admin = deployment.connection().getAdmin()) {
      if (admin.tableExists(name)) {
        if (admin.isTableEnabled(name)) {
          admin.disableTable(name);
        }
        admin.deleteTable(name);
      }
    }
  }
}
