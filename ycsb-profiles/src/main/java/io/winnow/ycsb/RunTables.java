package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.storefile.StoreFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The tables that a run of {@code ./winnow ycsb} makes on the measured HBase. On a cluster it drops
 * them at its end, or when it is interrupted. It touches no other table.
 */
final class RunTables implements Closeable {
  static final byte[] FAMILY = Bytes.toBytes("f");

  /**
   * Compression of data blocks in the tables' store files; the block cache holds them uncompressed.
   */
  static final Compression.Algorithm COMPRESSION = Compression.Algorithm.SNAPPY;

  /** Name of HBase's setting with the size of index blocks in bytes. */
  static final String INDEX_BLOCK_SIZE = "hfile.index.block.max.size";

  /** Name of HBase's setting with the minimum number of files that a minor compaction merges. */
  static final String MIN_FILES = "hbase.hstore.compaction.min";

  private static final String PREFIX = "winnow_ycsb_";
  private static final long POLL_MILLIS = 20;

  /** Maximum time in seconds until a table is compacted. */
  private static final long COMPACTION_SECONDS = 3_600;

  /** Maximum time in seconds until compacted store files are archived. */
  private static final int ARCHIVE_SECONDS = 300;

  private final Deployment deployment;
  private final Progress progress;
  private final PrintStream out;
  private final List<TableName> made = new ArrayList<>();
  private final Thread hook = new Thread(this::dropAll, "winnow-drop-tables");

  /** Makes the tables of a run, none at first; the run must close them at its end. */
  RunTables(Deployment deployment, Progress progress, PrintStream out) {
    this.deployment = deployment;
    this.progress = progress;
    this.out = out;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Makes a table with given boundaries of regions, and loads store files into it.
   *
   * @param purpose a name that distinguishes sets of tables
   */
  TableName create(
      String purpose, TableFilter contender, int keyLength, BlockSizes blocks, byte[][] splits)
      throws IOException {
    TableName name = name(purpose, contender);
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setBloomFilterType(BloomType.ROW)
            .setCompressionType(COMPRESSION)
            .setBlocksize(blocks.dataOf(keyLength))
            .setConfiguration(INDEX_BLOCK_SIZE, Integer.toString(blocks.index()));
    contender.configuration().forEach(family::setConfiguration);
    create(TableDescriptorBuilder.newBuilder(name).setColumnFamily(family.build()), splits);
    return name;
  }

  /** Returns the name of the table of a contender. */
  static TableName name(String purpose, TableFilter contender) {
    return TableName.valueOf(PREFIX + purpose + "_" + contender.id().replace('-', '_'));
  }

  /** Makes a table in which no file is split or merged, unless the run requests it. */
  void create(TableDescriptorBuilder table, byte[][] splits) throws IOException {
    TableDescriptor whole =
        table
            .setRegionSplitPolicyClassName(DisabledRegionSplitPolicy.class.getName())
            .setValue(MIN_FILES, "1000")
            .setValue("hbase.hregion.majorcompaction", "0")
            .setValue("hbase.hstore.blockingStoreFiles", "1000")
            .build();
    use(whole.getTableName());
    progress.part(0, whole.getTableName() + ": making the table");
    try (Admin admin = deployment.connection.getAdmin()) {
      admin.createTable(whole, splits);
    }
  }

  /** Takes a table that an earlier process of the run has made. */
  void use(TableName name) {
    made.add(name);
  }

  /** Loads store files into a table. */
  void load(TableName name, List<Path> files) throws IOException {
    progress.part(0, name + ": loading files");
    Configuration conf = new Configuration(deployment.connection.getConfiguration());
    conf.setInt("hbase.mapreduce.bulkload.max.hfiles.perRegion.perFamily", 1_000);
    BulkLoadHFiles.create(conf).bulkLoad(name, Map.of(FAMILY, files));
  }

  /**
   * Writes rows to a table and flushes them, which makes one more small file in each region that
   * has some of them.
   */
  void flush(TableName name, Iterable<Put> rows) throws IOException {
    try (BufferedMutator table = deployment.connection.getBufferedMutator(name);
        Admin admin = deployment.connection.getAdmin()) {
      for (Put row : rows) {
        table.mutate(row);
        progress.part(0, name + ": writing rows of a small file");
      }
      table.flush();
      for (RegionInfo region : admin.getRegions(name)) {
        admin.flushRegion(region.getRegionName());
      }
    }
  }

  /**
   * The cost of a major compaction, from the request until there is one store file per region.
   *
   * @param wallNanos time until it was seen to be complete, which is checked every 20 ms
   * @param cpuNanos CPU time of the region servers' processes, with garbage collection
   */
  record Compaction(long wallNanos, long cpuNanos) {}

  /** Compacts a table that has more than one store file per region, and measures the cost. */
  Compaction compact(TableName name) throws IOException, InterruptedException {
    return compact(name, 1, Admin::majorCompact);
  }

  /** A request for a compaction. */
  interface Request {
    void send(Admin admin, TableName table) throws IOException;
  }

  /** Compacts a table until each region has a number of files, and measures the cost. */
  Compaction compact(TableName name, int left, Request request)
      throws IOException, InterruptedException {
    try (Admin admin = deployment.connection.getAdmin()) {
      ServerCounters before = deployment.counters();
      long start = System.nanoTime();
      request.send(admin, name);
      while (StoreFiles.count(admin, name) > left * admin.getRegions(name).size()
          || admin.getCompactionState(name) != CompactionState.NONE) {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        progress.part(0, name + ": compacting");
        if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(COMPACTION_SECONDS)) {
          throw new IOException(
              name + " was not compacted within " + COMPACTION_SECONDS + " seconds");
        }
      }
      long wall = System.nanoTime() - start;
      return new Compaction(wall, deployment.counters().since(before).cpuNanos());
    }
  }

  /**
   * Returns the store files of a table, after waiting until each region has the expected number: a
   * list for each file of a store, the oldest first.
   */
  List<List<Path>> files(TableName table, int regions, int files)
      throws IOException, InterruptedException {
    for (int second = 0; ; second++) {
      List<List<Path>> stores =
          StoreFiles.of(deployment.connection.getConfiguration(), table, FAMILY);
      if (stores.size() == regions && stores.stream().allMatch(store -> store.size() == files)) {
        return IntStream.range(0, files)
            .mapToObj(file -> stores.stream().map(store -> store.get(file)).toList())
            .toList();
      }
      if (second == ARCHIVE_SECONDS) {
        throw new IOException(
            "the stores of %s have %s files, not %d each: were there flushes by HBase itself? Try fewer --rows"
                .formatted(table, stores.stream().map(List::size).toList(), files));
      }
      TimeUnit.SECONDS.sleep(1);
    }
  }

  /** Evicts the blocks of all files of the run's tables from the block caches. */
  void evict() throws IOException {
    try (Admin admin = deployment.connection.getAdmin()) {
      for (TableName table : made) {
        admin.clearBlockCache(table);
      }
    }
  }

  void drop(TableName name) throws IOException {
    progress.part(0, name + ": dropping the table");
    try (Admin admin = deployment.connection.getAdmin()) {
      if (admin.tableExists(name)) {
        if (admin.isTableEnabled(name)) {
          admin.disableTable(name);
        }
        admin.deleteTable(name);
      }
    }
    made.remove(name);
  }

  /** Drops all tables of the run that are left, unless the servers end with the run. */
  private void dropAll() {
    if (deployment.isLocal()) {
      return;
    }
    for (TableName table : List.copyOf(made)) {
      try {
        drop(table);
      } catch (IOException e) {
        out.println("could not drop " + table + ": " + e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    dropAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is going down and runs the hook.
    }
  }
}
