package io.winnow.bench;

import io.winnow.hbase.agent.CountingSwitch;
import io.winnow.hbase.agent.WovenForBenchmarks;
import io.winnow.hbase.rates.RegionWithCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.function.LongBinaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALFactory;

/**
 * A region of HBase's own classes, all in the block cache, and Gets of rows that it does not have.
 * Lives in a class loader of its own, so that its copy of HBase is compiled on its own.
 */
public final class MissRegion implements LongBinaryOperator {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int KEY_LENGTH = 25;

  private final HRegion region;
  private final byte[][] absent;
  private int next;

  /**
   * @param directory for its files
   * @param filter as {@code winnow.filter} takes it
   * @param files the store files; rows are dealt out to them in turn
   */
  public MissRegion(String directory, String filter, int files, int rows) throws IOException {
    WovenForBenchmarks.installCounters();
    WovenForBenchmarks.install();
    Path dir = Path.of(directory);
    Configuration conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    conf.set(HConstants.HBASE_DIR, dir.toUri().toString());
    conf.setBoolean("hbase.regionserver.hlog.enabled", false);
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    conf.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, 0.05f);
    conf.setClass(HConstants.REGION_IMPL, RegionWithCache.class, HRegion.class);
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                    .setConfiguration("winnow.filter", filter)
                    .build())
            .build();
    RegionInfo info = RegionInfoBuilder.newBuilder(table.getTableName()).build();
    WALFactory wals = new WALFactory(conf, "t");
    region =
        HRegion.createHRegion(
            info, new org.apache.hadoop.fs.Path(dir.toUri()), conf, table, wals.getWAL(info));
    long[] numbers = Keys.presentInOrder(rows);
    for (int file = 0; file < files; file++) {
      for (int i = file; i < rows; i += files) {
        byte[] row = Keys.key(numbers[i], KEY_LENGTH);
        region.put(new Put(row).addColumn(FAMILY, FAMILY, row));
      }
      region.flush(true);
    }
    if (region.getStores().get(0).getStorefilesCount() != files) {
      throw new IllegalStateException("not " + files + " files");
    }
    long[] questions = Keys.questions(rows, rows, 0);
    absent = new byte[rows][];
    for (int i = 0; i < rows; i++) {
      absent[i] = Keys.key(questions[i], KEY_LENGTH);
    }
  }

  /**
   * Nanoseconds of this thread's CPU time for so many Gets.
   *
   * @param counted 1 if false positives are counted meanwhile, and 0 if not
   */
  @Override
  public long applyAsLong(long gets, long counted) {
    CountingSwitch.isOn = counted != 0;
    long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    try {
      for (long i = 0; i < gets; i++) {
        if (!region.get(new Get(absent[next])).isEmpty()) {
          throw new IllegalStateException("an absent row was found");
        }
        next = next + 1 == absent.length ? 0 : next + 1;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
  }
}
