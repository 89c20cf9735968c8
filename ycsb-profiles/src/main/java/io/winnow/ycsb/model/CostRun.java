package io.winnow.ycsb.model;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import io.winnow.ycsb.KeySpace;
import io.winnow.ycsb.LoadPlan;
import io.winnow.ycsb.ReadWorkload;
import io.winnow.ycsb.RowValues;
import io.winnow.ycsb.WinnowHBaseClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.BufferedMutatorParams;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy;
import org.apache.hadoop.hbase.util.Bytes;
import site.ycsb.Client;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.WorkloadException;

/**
 * The run behind {@link Costs}: a real server is asked for rows in situations that differ in one
 * cost each, so that {@link CostFit} can tell the costs apart. Absent rows in stores of 1, 4 and 16
 * files pay for questions alone; absent rows in stores without filters for blocks that are looked
 * up; present rows for what is sent back; and present rows of a server with next to no block cache
 * for blocks that are read. Situations take turns, and each round gives all costs once.
 */
final class CostRun {
  /** The case of the samples in the results. */
  static final String NAME = "costs";

  /** The case of what holds for the whole run. */
  static final String RUN = "costRun";

  /** Microseconds of a row, as clients see it who are never idle. */
  static final String MICROS = "microsPerRow";

  /** Of the server's CPU. */
  static final String CPU = "serverCpuMicrosPerRow";

  static final int KEY_LENGTH = 25;

  /** The two sizes of data blocks: HBase's default, and that of {@code ./winnow ycsb}. */
  static final List<Integer> BLOCK_SIZES = List.of(64 << 10, 8 << 10);

  static final List<Integer> FILES = List.of(1, 4, 16);

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final long LARGE_CACHE = 256 << 20;
  private static final long SMALL_CACHE = 4 << 20;
  private static final int BATCH = 20;
  private static final int THREADS = 2;
  private static final int WARM_UP_ROUNDS = 2;

  /** The server with the small cache has few turns: these are longer till its code is compiled. */
  private static final int LONGER_WARM_UP = 6;

  /** How much is measured. */
  record Effort(int rows, int rounds, double seconds) {
    static final Effort FULL = new Effort(120_000, 12, 1.2);

    double expectedSeconds() {
      double turns = situations(this).size() * (rounds + WARM_UP_ROUNDS) * 1.5 * seconds;
      return 40 + tables() * (2 + rows / 30_000.0) + turns;
    }

    private long tables() {
      return situations(this).stream().map(Situation::table).distinct().count();
    }
  }

  /**
   * A table, and what is asked of it.
   *
   * @param filter of the table, {@link CostTerm#NO_FILTER} for none
   * @param cached whether its blocks are in the block cache
   */
  record Situation(
      String filter, int files, int blockBytes, boolean present, boolean cached, double inCache) {
    String table() {
      return "t_" + filter.replace('-', '_') + "_" + files + "_" + blockBytes + "_" + cached;
    }

    Map<String, String> parameters() {
      return Map.of(
          "filter", filter,
          "files", String.valueOf(files),
          "blockBytes", String.valueOf(blockBytes),
          "rows", present ? "present" : "absent",
          "cached", String.valueOf(cached));
    }

    String text() {
      return "%s rows, %d files, %s, blocks of %d KiB%s"
          .formatted(
              present ? "present" : "absent",
              files,
              filter,
              blockBytes >> 10,
              cached ? "" : " not in the cache");
    }
  }

  private final Effort effort;
  private final Results results;
  private final Progress progress;
  private final KeySpace keys;

  private CostRun(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
    this.keys = KeySpace.of(KEY_LENGTH, effort.rows());
  }

  /** Everything that is asked, in whatever order. */
  static List<Situation> situations(Effort effort) {
    List<Situation> all = new ArrayList<>();
    for (String filter : CostTerm.FILTERS) {
      for (int files : FILES) {
        all.add(new Situation(filter, files, BLOCK_SIZES.get(0), false, true, 1));
      }
    }
    double data = effort.rows() * Fleet.rowBytes(KEY_LENGTH, RowValues.COLUMNS, 20);
    for (int block : BLOCK_SIZES) {
      for (int files : List.of(1, 4)) {
        all.add(new Situation(CostTerm.NO_FILTER, files, block, false, true, 1));
      }
      all.add(new Situation(CostTerm.NO_FILTER, 1, block, true, true, 1));
      double inCache = Math.min(1, BlockCacheModel.MEAN_FILL * SMALL_CACHE / data);
      all.add(new Situation(CostTerm.NO_FILTER, 1, block, true, false, inCache));
    }
    return all;
  }

  /** Starts two servers with the agent, measures, and deletes them. */
  static void run(Effort effort, Results results, PrintStream out)
      throws IOException, InterruptedException {
    double expected = effort.expectedSeconds();
    out.printf("About %s minutes. %s%n", Progress.clock(expected), results.setting().machine());
    new CostRun(effort, results, new Progress(out, expected)).run();
  }

  private void run() throws IOException, InterruptedException {
    results.add(RUN, Map.of(), "rows", effort.rows());
    List<Server> servers = new ArrayList<>();
    try {
      servers.add(new Server(LARGE_CACHE));
      progress.step(20, "a server", "block cache of 256 MB");
      servers.add(new Server(SMALL_CACHE));
      progress.step(20, "a server", "block cache of 4 MB");
      List<Situation> situations = situations(effort);
      for (Situation situation : situations) {
        Server server = servers.get(situation.cached() ? 0 : 1);
        if (server.load(situation)) {
          progress.step(2 + effort.rows() / 30_000.0, "loaded", situation.table());
        }
      }
      // The same ones never follow each other for long: rotated by a step that has no common
      // divisor with their number, and every other round backwards.
      List<Situation> order = new ArrayList<>(situations);
      for (int round = -WARM_UP_ROUNDS; round < effort.rounds(); round++) {
        Collections.rotate(order, 7);
        Collections.reverse(order);
        for (Situation situation : order) {
          servers.get(situation.cached() ? 0 : 1).turn(situation, round);
        }
        progress.step(
            order.size() * 1.5 * effort.seconds(),
            "a round",
            round < 0 ? "not counted" : "counted");
      }
    } finally {
      for (Server server : servers) {
        server.close();
      }
    }
  }

  private final class Server {
    private final StandaloneHBase hbase;
    private final Connection connection;
    private final Admin admin;

    Server(long cacheBytes) throws IOException, InterruptedException {
      Path directory = ScratchDirectory.create(null, "winnow-costs-");
      hbase =
          StandaloneHBase.builder(directory)
              .agent(Path.of(System.getProperty("winnow.agent.jar")))
              .heap("1500m")
              .throwaway()
              .property("hfile.block.cache.memory.size", Long.toString(cacheBytes))
              .property("hbase.hregion.memstore.flush.size", Long.toString(1 << 30))
              .property("hbase.hstore.compaction.min", "1000")
              .property("hbase.hregion.majorcompaction", "0")
              // An index is one block, on the heap: what is looked up is data alone.
              .property("hfile.index.block.max.size", Integer.toString(16 << 20))
              .start();
      connection = ConnectionFactory.createConnection(hbase.configuration());
      admin = connection.getAdmin();
    }

    /** Whether the table was not there before. */
    boolean load(Situation situation) throws IOException {
      TableName name = TableName.valueOf(situation.table());
      if (admin.tableExists(name)) {
        return false;
      }
      boolean filtered = !situation.filter().equals(CostTerm.NO_FILTER);
      ColumnFamilyDescriptorBuilder family =
          ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
              .setBlocksize(situation.blockBytes())
              .setCompressionType(Compression.Algorithm.SNAPPY)
              .setBloomFilterType(filtered ? BloomType.ROW : BloomType.NONE);
      if (filtered && !situation.filter().equals("bloom")) {
        family
            .setConfiguration("winnow.filter", situation.filter())
            .setConfiguration("winnow.filter.flush", situation.filter())
            .setConfiguration("winnow.error.rate.scope", "file");
      }
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(family.build())
              .setRegionSplitPolicyClassName(DisabledRegionSplitPolicy.class.getName())
              .build());
      LoadPlan plan = LoadPlan.of(situation.files(), 0);
      List<RegionInfo> regions = admin.getRegions(name);
      for (int file = 0; file < situation.files(); file++) {
        try (BufferedMutator table =
            connection.getBufferedMutator(
                new BufferedMutatorParams(name).writeBufferSize(4 << 20))) {
          for (long index = 0; index < keys.rows(); index++) {
            if (plan.holds(file, index)) {
              table.mutate(row(keys.key(index), file));
            }
          }
        }
        admin.flushRegion(regions.get(0).getRegionName());
      }
      if (situation.cached() && !filtered) {
        fillCache(name);
      }
      return true;
    }

    /** Reads everything once: no block is to be read later. */
    private void fillCache(TableName name) throws IOException {
      Scan all = new Scan().setCacheBlocks(true).setCaching(1000);
      try (Table table = connection.getTable(name);
          ResultScanner rows = table.getScanner(all)) {
        long count = 0;
        while (rows.next() != null) {
          count++;
        }
        if (count != keys.rows()) {
          throw new IOException(name + " has " + count + " rows, not " + keys.rows());
        }
      }
    }

    private Put row(byte[] key, int version) {
      byte[][] values = RowValues.values(key, version);
      Put row = new Put(key, LoadPlan.timestamp(version)).setDurability(Durability.SKIP_WAL);
      for (int column = 0; column < values.length; column++) {
        row.addColumn(FAMILY, RowValues.qualifier(column), values[column]);
      }
      return row;
    }

    void turn(Situation situation, int round) throws IOException, InterruptedException {
      Properties properties = new Properties();
      hbase
          .configuration()
          .forEach(
              entry -> {
                if (entry.getKey().startsWith("hbase.zookeeper.")) {
                  properties.setProperty(entry.getKey(), entry.getValue());
                }
              });
      properties.setProperty("table", situation.table());
      properties.setProperty(Client.RECORD_COUNT_PROPERTY, Long.toString(keys.rows()));
      properties.setProperty(ReadWorkload.KEY_LENGTH, Integer.toString(KEY_LENGTH));
      properties.setProperty(ReadWorkload.FILES, Integer.toString(situation.files()));
      properties.setProperty(ReadWorkload.BATCH, Integer.toString(BATCH));
      properties.setProperty(ReadWorkload.ABSENT, situation.present() ? "0" : "1");
      properties.setProperty(ReadWorkload.SEED, Integer.toString(round + WARM_UP_ROUNDS + 1));
      ReadWorkload workload = new ReadWorkload();
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        workload.init(properties);
        boolean cold = round < 0 && !situation.cached();
        read(threads, workload, properties, effort.seconds() / 2 * (cold ? LONGER_WARM_UP : 1));
        Duration cpu = cpu();
        long start = System.nanoTime();
        long rows = read(threads, workload, properties, effort.seconds());
        double micros = (System.nanoTime() - start) / 1e3;
        double cpuMicros = cpu().minus(cpu).toNanos() / 1e3;
        if (round >= 0) {
          results.add(NAME, situation.parameters(), MICROS, micros / rows);
          results.add(NAME, situation.parameters(), CPU, cpuMicros / rows);
        }
      } catch (WorkloadException e) {
        throw new IOException(e.getMessage(), e);
      } finally {
        threads.shutdownNow();
      }
    }

    private Duration cpu() {
      return hbase.process().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private long read(
        ExecutorService threads, ReadWorkload workload, Properties properties, double seconds)
        throws IOException, InterruptedException {
      long end = System.nanoTime() + Math.round(seconds * 1e9);
      List<Future<Long>> clients = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int number = i;
        clients.add(threads.submit(() -> client(workload, properties, number, end)));
      }
      long rows = 0;
      for (Future<Long> client : clients) {
        try {
          rows += client.get();
        } catch (ExecutionException e) {
          throw new IOException(e.getCause().getMessage(), e.getCause());
        }
      }
      return rows;
    }

    private long client(ReadWorkload workload, Properties properties, int number, long end)
        throws IOException, DBException, WorkloadException {
      DB database = new WinnowHBaseClient();
      database.setProperties(properties);
      database.init();
      try {
        Object state = workload.initThread(properties, number, THREADS);
        long rows = 0;
        while (System.nanoTime() < end) {
          if (!workload.doTransaction(database, state)) {
            throw new IOException("a read failed, or brought back what it must not");
          }
          rows += BATCH;
        }
        return rows;
      } finally {
        database.cleanup();
      }
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
}
