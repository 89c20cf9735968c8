package io.winnow.hbase.storefile;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/** The store files of a table: in HBase's directory, as servers report them, or for a bulk load. */
public final class StoreFiles {
  /** Number of written rows between two reports of progress. */
  private static final int STRIDE = 10_000;

  private StoreFiles() {}

  /**
   * Returns the store files of a family in each region of a table, the oldest first, without those
   * that are being written.
   */
  public static List<List<Path>> of(Configuration conf, TableName table, byte[] family)
      throws IOException {
    Path root = new Path(conf.get(HConstants.HBASE_DIR));
    FileSystem system = root.getFileSystem(conf);
    List<List<Path>> stores = new ArrayList<>();
    for (FileStatus region : system.listStatus(CommonFSUtils.getTableDir(root, table))) {
      Path store = new Path(region.getPath(), Bytes.toString(family));
      if (!region.getPath().getName().startsWith(".") && system.exists(store)) {
        stores.add(
            Arrays.stream(system.listStatus(store))
                .filter(file -> !file.getPath().getName().startsWith("."))
                .sorted(Comparator.comparingLong(FileStatus::getModificationTime))
                .map(FileStatus::getPath)
                .toList());
      }
    }
    return stores;
  }

  /** Returns what the region servers report of the regions of a table. */
  public static List<RegionMetrics> regions(Admin admin, TableName table) throws IOException {
    List<RegionMetrics> regions = new ArrayList<>();
    for (ServerName server : admin.getRegionServers()) {
      regions.addAll(admin.getRegionMetrics(server, table));
    }
    return regions;
  }

  /** Returns the number of store files in all regions of a table, as the servers report it. */
  public static int count(Admin admin, TableName table) throws IOException {
    return regions(admin, table).stream().mapToInt(RegionMetrics::getStoreFileCount).sum();
  }

  /**
   * Writes a store file that is to be loaded in bulk. Returns the number of its rows.
   *
   * @param settings the configuration of the file, with that of its family
   * @param context the name of the family, and the sizes and encodings of blocks
   * @param rows the rows in their order, with cells of this family only
   * @param progress receives the numbers of rows that were written
   */
  public static long write(
      Configuration settings,
      Path path,
      HFileContextBuilder context,
      Iterable<Put> rows,
      LongConsumer progress)
      throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(settings, CacheConfig.DISABLED, path.getFileSystem(settings))
            .withFilePath(path)
            .withBloomType(BloomType.ROW)
            .withFileContext(
                context
                    .withCellComparator(CellComparator.getInstance())
                    .withCreateTime(System.currentTimeMillis())
                    .build())
            .build();
    long written = 0;
    try {
      writer.appendFileInfo(
          HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(System.currentTimeMillis()));
      for (Put row : rows) {
        for (List<Cell> cells : row.getFamilyCellMap().values()) {
          for (Cell cell : cells) {
            writer.append(cell);
          }
        }
        if (++written % STRIDE == 0) {
          progress.accept(STRIDE);
        }
      }
      progress.accept(written % STRIDE);
    } finally {
      writer.close();
    }
    return written;
  }
}
