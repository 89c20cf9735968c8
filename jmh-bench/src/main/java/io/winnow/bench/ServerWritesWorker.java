package io.winnow.bench;

import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import io.winnow.hbase.storefile.StoreFiles;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.BufferedMutatorParams;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The program that writes rows to a real HBase server for one contender of {@link WritePath}, and
 * measures flushes and compactions of the server. All servers have the agent; it does nothing for
 * two of the contenders. A turn puts half of the rows, flushes, puts the other half, flushes, and
 * compacts the two files. The wall time is the client's; the CPU time is that of the whole server
 * process, which has nothing else to do.
 */
final class ServerWritesWorker implements WorkerJvm.Worker {
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private static final int VALUE_LENGTH = 75;
  private static final long POLL_MILLIS = 5;
  private static final long PATIENCE_SECONDS = 300;

  private final WritePath.Pair pair;
  private final int keyLength;
  private final long[] numbers;
  private final StandaloneHBase hbase;
  private final Connection connection;
  private final Admin admin;
  private int turns;

  /**
   * Starts an HBase server.
   *
   * @param arguments the contender, the shape, the length of keys, the number of rows
   */
  ServerWritesWorker(String... arguments) throws IOException, InterruptedException {
    pair = WritePath.Pair.valueOf(arguments[0]);
    keyLength = Integer.parseInt(arguments[2]);
    numbers = Keys.presentInOrder(0, Integer.parseInt(arguments[3]));
    hbase =
        StandaloneHBase.builder(ScratchDirectory.create(null, "winnow-bench-"))
            .agent(WritePath.built("winnow-hbase.jar"))
            .heap("2g")
            .throwaway()
            .property("hbase.hregion.memstore.flush.size", String.valueOf(1 << 30))
            .property("hbase.hstore.compaction.min", "1000")
            .property("hbase.hregion.majorcompaction", "0")
            .property(
                "hbase.regionserver.throughput.controller",
                "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController")
            .progress(message -> System.err.println("  " + message))
            .start();
    connection = ConnectionFactory.createConnection(hbase.configuration());
    admin = connection.getAdmin();
  }

  @Override
  public double[] turn(double... request) throws IOException, InterruptedException {
    TableName table = TableName.valueOf("t" + turns++);
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(LocalStoreFile.FAMILY)
            .setBloomFilterType(pair == WritePath.Pair.NONE ? BloomType.NONE : BloomType.ROW);
    if (pair == WritePath.Pair.RECOMMENDED) {
      family.setConfiguration(Setting.FILTER.key, FilterChoice.BUMPED_RIBBON.label);
    }
    admin.createTable(
        TableDescriptorBuilder.newBuilder(table)
            .setColumnFamily(family.build())
            .setRegionSplitPolicyClassName(DisabledRegionSplitPolicy.class.getName())
            .build());
    byte[] region = admin.getRegions(table).get(0).getRegionName();
    long server = hbase.process().pid();
    put(table, 0);
    double[] first = ProcessCpu.measure(server, () -> admin.flushRegion(region));
    put(table, 1);
    double[] second = ProcessCpu.measure(server, () -> admin.flushRegion(region));
    requireFiles(table, 2);
    double[] compaction = ProcessCpu.measure(server, () -> compact(region));
    requireFiles(table, 1);
    admin.disableTable(table);
    admin.deleteTable(table);
    return new double[] {first[0] + second[0], first[1] + second[1], compaction[0], compaction[1]};
  }

  private void put(TableName name, int half) throws IOException {
    BufferedMutatorParams large = new BufferedMutatorParams(name).writeBufferSize(4 << 20);
    try (BufferedMutator table = connection.getBufferedMutator(large)) {
      for (int i = half; i < numbers.length; i += 2) {
        table.mutate(
            new Put(Keys.key(numbers[i], keyLength))
                .addColumn(LocalStoreFile.FAMILY, COLUMN, 1L, Keys.key(numbers[i], VALUE_LENGTH))
                .setDurability(Durability.SKIP_WAL));
      }
    }
  }

  private void compact(byte[] region) throws IOException, InterruptedException {
    long start = System.nanoTime();
    admin.majorCompactRegion(region);
    while (admin.getCompactionStateForRegion(region) != CompactionState.NONE) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
        throw new IOException("no compaction within " + PATIENCE_SECONDS + " s");
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  /** Checks that the measured flush or compaction left the expected number of store files. */
  private void requireFiles(TableName table, int count) throws IOException {
    int files = StoreFiles.count(admin, table);
    if (files != count) {
      throw new IOException(files + " store files where there should be " + count);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      admin.close();
      connection.close();
    } finally {
      hbase.kill();
    }
  }
}
