package io.winnow.bench;

import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.settings.FilterChoice;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
 * The program that writes rows to several real HBase servers and measures their flushes and
 * compactions, for {@link ServerWrites}. It starts a real HBase server for each contender, in a JVM
 * of its own with the agent. A turn puts half of the rows, flushes, puts the other half, flushes,
 * and compacts the two files. A line of output has a contender, a piece of work, and its
 * nanoseconds of wall time and of CPU time of the server's process.
 */
final class ServerWritesWorker {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private static final int VALUE_LENGTH = 75;
  private static final long POLL_MILLIS = 5;
  private static final long PATIENCE_SECONDS = 300;

  private final int keyLength;
  private final long[] numbers;
  private final PrintStream out;

  private ServerWritesWorker(int keyLength, int rows, PrintStream out) {
    this.keyLength = keyLength;
    this.numbers = Keys.presentInOrder(rows);
    this.out = out;
  }

  /**
   * Starts an HBase server for each compared pair of filters, runs all rounds of flushes and
   * compactions and prints their samples.
   *
   * @param arguments the agent, the length of keys, number of rows, rounds to warm up, rounds
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    QuietEnd.install();
    PrintStream out = System.out;
    System.setOut(System.err); // standard output has samples only
    ServerWritesWorker worker =
        new ServerWritesWorker(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]), out);
    int code = 0;
    try {
      worker.run(
          Path.of(arguments[0]), Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]));
    } catch (IOException e) {
      System.err.println(e.getMessage());
      code = 1;
    }
    System.exit(code);
  }

  private void run(Path agent, int warmUps, int rounds) throws IOException, InterruptedException {
    List<Server> servers = new ArrayList<>();
    try {
      for (WritePath.Contender contender : ServerWrites.CONTENDERS) {
        servers.add(new Server(contender, agent));
        out.println(contender.label() + " started 0 0");
      }
      for (int round = -warmUps; round < rounds; round++) {
        for (Server server : Orders.of(servers, round)) {
          server.turn(round + warmUps, round >= 0);
        }
        out.println("all round 0 0");
      }
    } finally {
      for (Server server : servers) {
        server.close();
      }
    }
  }

  /** A request to flush or compact a region that is measured until it is complete. */
  private interface Action {
    void run(byte[] region) throws IOException, InterruptedException;
  }

  private final class Server {
    private final WritePath.Contender contender;
    private final StandaloneHBase hbase;
    private final Connection connection;
    private final Admin admin;

    Server(WritePath.Contender contender, Path agent) throws IOException, InterruptedException {
      this.contender = contender;
      Path directory = ScratchDirectory.create(null, "winnow-bench-");
      hbase =
          StandaloneHBase.builder(directory)
              .agent(agent)
              .heap("2g")
              .throwaway()
              .property("hbase.hregion.memstore.flush.size", String.valueOf(1 << 30))
              .property("hbase.hstore.compaction.min", "1000")
              .property("hbase.hregion.majorcompaction", "0")
              .property(
                  "hbase.regionserver.throughput.controller",
                  "org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController")
              .start();
      connection = ConnectionFactory.createConnection(hbase.configuration());
      admin = connection.getAdmin();
    }

    void turn(int round, boolean counts) throws IOException, InterruptedException {
      TableName table = TableName.valueOf("t" + round);
      ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
      switch (contender) {
        case NONE -> family.setBloomFilterType(BloomType.NONE);
        case STOCK -> family.setBloomFilterType(BloomType.ROW);
        default ->
            family
                .setBloomFilterType(BloomType.ROW)
                .setConfiguration(Setting.FILTER.key, FilterChoice.BUMPED_RIBBON.label);
      }
      admin.createTable(
          TableDescriptorBuilder.newBuilder(table)
              .setColumnFamily(family.build())
              .setRegionSplitPolicyClassName(DisabledRegionSplitPolicy.class.getName())
              .build());
      byte[] region = admin.getRegions(table).get(0).getRegionName();
      long[] flush = new long[2];
      for (int half = 0; half < 2; half++) {
        put(table, half);
        add(flush, measured(region, admin::flushRegion));
      }
      requireFiles(region, 2);
      long[] compaction = measured(region, this::compact);
      requireFiles(region, 1);
      admin.disableTable(table);
      admin.deleteTable(table);
      if (counts) {
        report(WritePath.Work.FLUSH, flush);
        report(WritePath.Work.COMPACTION, compaction);
      }
    }

    private void put(TableName name, int half) throws IOException {
      BufferedMutatorParams large = new BufferedMutatorParams(name).writeBufferSize(4 << 20);
      try (BufferedMutator table = connection.getBufferedMutator(large)) {
        for (int i = half; i < numbers.length; i += 2) {
          table.mutate(
              new Put(Keys.key(numbers[i], keyLength))
                  .addColumn(FAMILY, COLUMN, 1L, Keys.key(numbers[i], VALUE_LENGTH))
                  .setDurability(Durability.SKIP_WAL));
        }
      }
    }

    private long[] measured(byte[] region, Action action) throws IOException, InterruptedException {
      Map<String, Long> cpu = ProcessCpu.threads(hbase.process().pid());
      long wall = System.nanoTime();
      action.run(region);
      wall = System.nanoTime() - wall;
      return new long[] {wall, ProcessCpu.between(cpu, ProcessCpu.threads(hbase.process().pid()))};
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
    private void requireFiles(byte[] region, int count) throws IOException {
      int files =
          admin.getRegionMetrics(admin.getRegionServers().iterator().next()).stream()
              .filter(metrics -> Bytes.equals(metrics.getRegionName(), region))
              .mapToInt(metrics -> metrics.getStoreFileCount())
              .sum();
      if (files != count) {
        throw new IOException(files + " store files where there should be " + count);
      }
    }

    private void report(WritePath.Work work, long[] nanos) {
      out.printf(Locale.ROOT, "%s %s %d %d%n", contender.label(), work.label(), nanos[0], nanos[1]);
    }

    void close() throws IOException {
      try {
        admin.close();
        connection.close();
      } finally {
        hbase.kill();
      }
    }
  }

  private static void add(long[] sum, long[] more) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] += more[i];
    }
  }
}
