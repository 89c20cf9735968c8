package io.winnow.hbase.it;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.standalone.JvmBeans;
import io.winnow.hbase.standalone.LocalCluster;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;

/**
 * A cluster of JVMs to be broken, with two DataNodes, each of which has all blocks. A flush or a
 * compaction takes some seconds, so that there is time to meet it; nothing is compacted unasked.
 */
final class BrokenCluster implements AutoCloseable {
  static final int HDFS_BLOCK = 4 << 20;

  private static final String SLOW = Integer.toString(2 << 20); // bytes a second
  private static final String SOON = Integer.toString(100 << 10);
  private static final long LAG_MILLIS = 2500;

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          entry("dfs.blocksize", Integer.toString(HDFS_BLOCK)),
          entry("dfs.client.retry.window.base", "100"),
          entry("hbase.hfile.compaction.discharger.interval", "1000"),
          entry("hbase.hstore.blockingStoreFiles", "1000"),
          entry("hbase.hstore.compactionThreshold", "500"),
          entry("hbase.hstore.compaction.throughput.higher.bound", SLOW),
          entry("hbase.hstore.compaction.throughput.lower.bound", SLOW),
          entry("hbase.hstore.compaction.throughput.control.check.interval", SOON),
          entry("hbase.hstore.flush.throughput.upper.bound", SLOW),
          entry("hbase.hstore.flush.throughput.lower.bound", SLOW),
          entry("hbase.hstore.flush.throughput.control.check.interval", SOON),
          entry(
              "hbase.regionserver.flush.throughput.controller",
              "org.apache.hadoop.hbase.regionserver.throttle.PressureAwareFlushThroughputController"),
          // A server that writes nothing has no need to notice that its log has lost the DataNodes.
          entry("hbase.regionserver.hlog.check.lowreplication.interval", "600000"),
          entry("hbase.regionserver.hlog.blocksize", Integer.toString(64 << 20)),
          entry("hbase.regionserver.metrics.period", "200"),
          entry("hbase.rs.evictblocksonclose", "true"),
          entry("io.storefile.bloom.block.size", "8192"),
          entry("zookeeper.session.timeout", "10000"));

  private final Path directory;
  private final LocalCluster cluster;
  private final DistributedFileSystem hdfs;
  private final Connection patient;
  private final Connection impatient;
  private final Connection hasty;

  private BrokenCluster(Path directory, LocalCluster cluster) throws IOException {
    this.directory = directory;
    this.cluster = cluster;
    this.hdfs = (DistributedFileSystem) FileSystem.newInstance(cluster.configuration());
    this.patient = connection(10_000, 150_000, 100);
    this.impatient = connection(5_000, 15_000, 5);
    this.hasty = connection(5_000, 5_000, 0);
  }

  static BrokenCluster start(Path directory) throws IOException, InterruptedException {
    LocalCluster cluster =
        LocalCluster.start(directory, TestServer.agentJar(), 2, SETTINGS, false, message -> {});
    try {
      BrokenCluster broken = new BrokenCluster(directory, cluster);
      try (Admin admin = broken.patient.getAdmin()) {
        admin.balancerSwitch(false, true); // no region moves by itself
      }
      return broken;
    } catch (IOException e) {
      cluster.kill();
      throw e;
    }
  }

  private Connection connection(int callMillis, int operationMillis, int retries)
      throws IOException {
    Configuration client = configuration();
    client.setInt("hbase.rpc.timeout", callMillis);
    client.setInt("hbase.client.scanner.timeout.period", callMillis);
    client.setInt("hbase.client.operation.timeout", operationMillis);
    client.setInt("hbase.client.meta.operation.timeout", operationMillis);
    client.setInt("hbase.client.retries.number", retries);
    return ConnectionFactory.createConnection(client);
  }

  Configuration configuration() {
    return cluster.configuration();
  }

  DistributedFileSystem hdfs() {
    return hdfs;
  }

  /** The data directories of the DataNodes. */
  List<Path> disks() {
    return List.of(directory.resolve("datanode"), directory.resolve("datanode-2"));
  }

  /** A table of one region whose family asks for a filter, by the rate of each file. */
  TableName create(String name, String filter, Map<String, String> more) throws IOException {
    Map<String, String> conf = new HashMap<>(more);
    conf.put("winnow.filter", filter);
    conf.put("winnow.error.rate.scope", "file");
    ColumnFamilyDescriptor family = Rows.family("f", BloomType.ROW, conf);
    TableName table = TableName.valueOf(name);
    try (Admin admin = patient.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(table).setColumnFamily(family).build());
    }
    return table;
  }

  /** One that makes no second attempt. */
  Connection hasty() {
    return hasty;
  }

  Traffic traffic(TableName table) {
    return new Traffic(patient, impatient, table);
  }

  // ---- The servers.

  private List<LocalCluster.Status> regionServers() {
    return cluster.status().stream()
        .filter(server -> server.name().startsWith("regionserver") && server.running())
        .toList();
  }

  /** The region server that serves the table. */
  LocalCluster.Status serverOf(TableName table) throws IOException {
    int port = location(table).getPort();
    return regionServers().stream().filter(server -> server.port() == port).findAny().orElseThrow();
  }

  private ServerName location(TableName table) throws IOException {
    try (RegionLocator locator = patient.getRegionLocator(table)) {
      return locator.getRegionLocation(new byte[0], true).getServerName();
    }
  }

  private RegionInfo region(TableName table) throws IOException {
    try (RegionLocator locator = patient.getRegionLocator(table)) {
      return locator.getRegionLocation(new byte[0], true).getRegion();
    }
  }

  /** {@code kill -9}. */
  void kill(String server) {
    cluster.kill(server);
  }

  boolean runs(LocalCluster.Status server) {
    return ProcessHandle.of(server.pid()).filter(ProcessHandle::isAlive).isPresent();
  }

  /** Starts each server that does not run, and waits till all regions are served. */
  void revive() throws IOException, InterruptedException {
    cluster.revive(message -> {});
  }

  /** How many lines of the server's log have this text. */
  long logLines(LocalCluster.Status server, String text) throws IOException {
    Path log = cluster.logs().resolve(server.name() + ".log");
    try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      return lines.filter(line -> line.contains(text)).count();
    }
  }

  // ---- What is done to a table.

  /** What an operator asks for. */
  @FunctionalInterface
  interface Request {
    void of(Admin admin) throws IOException;
  }

  /** Asks for something, and does not wait for it: the server may be killed meanwhile. */
  void later(Request request) {
    CompletableFuture.runAsync(
        () -> {
          try (Admin admin = impatient.getAdmin()) {
            request.of(admin);
          } catch (IOException e) {
            // What is seen of it counts.
          }
        });
  }

  void flush(TableName table) throws IOException {
    try (Admin admin = patient.getAdmin()) {
      admin.flush(table);
    }
  }

  /** Has the other server open the region. */
  void move(TableName table) throws IOException, InterruptedException {
    ServerName from = location(table);
    try (Admin admin = patient.getAdmin()) {
      ServerName to =
          admin.getRegionServers().stream()
              .filter(any -> !any.equals(from))
              .findAny()
              .orElseThrow();
      admin.move(region(table).getEncodedNameAsBytes(), to);
      TestServer.await(table + " on " + to, () -> location(table).equals(to));
    }
  }

  /** Waits till each store has one file, written by this compaction. */
  void majorCompact(TableName table) throws IOException, InterruptedException {
    List<String> before = storeFiles(table);
    try (Admin admin = patient.getAdmin()) {
      admin.majorCompact(table);
    }
    TestServer.await(
        "a major compaction of " + table,
        () -> {
          List<String> now = storeFiles(table);
          return now.size() == 1 && !before.contains(now.get(0));
        });
  }

  /** Bounds what the table may have beside what it has: a disk that is full then. */
  void leaveRoom(TableName table, long bytes) throws IOException {
    org.apache.hadoop.fs.Path path = directory(table);
    long used = hdfs.getContentSummary(path).getSpaceConsumed();
    hdfs.setQuota(path, HdfsConstants.QUOTA_DONT_SET, used + disks().size() * bytes);
  }

  void makeRoom(TableName table) throws IOException {
    hdfs.setQuota(directory(table), HdfsConstants.QUOTA_DONT_SET, HdfsConstants.QUOTA_RESET);
  }

  // ---- What is seen of it.

  private org.apache.hadoop.fs.Path directory(TableName table) throws IOException {
    return CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(configuration()), table);
  }

  private org.apache.hadoop.fs.Path directory(TableName table, String below) throws IOException {
    return new org.apache.hadoop.fs.Path(
        new org.apache.hadoop.fs.Path(directory(table), region(table).getEncodedName()), below);
  }

  /** The names of the store's files. */
  List<String> storeFiles(TableName table) throws IOException {
    return names(directory(table, "f"));
  }

  /** The names of the files that a flush or a compaction writes, and has not finished. */
  List<String> unfinished(TableName table) throws IOException {
    return names(directory(table, ".tmp/f"));
  }

  private List<String> names(org.apache.hadoop.fs.Path path) throws IOException {
    List<String> names = new ArrayList<>();
    try {
      for (FileStatus file : hdfs.listStatus(path)) {
        if (!file.getPath().getName().startsWith(".")) {
          names.add(file.getPath().getName());
        }
      }
    } catch (FileNotFoundException e) {
      // Nothing was ever written there.
    }
    return names;
  }

  /** The store's only file. */
  org.apache.hadoop.fs.Path onlyFile(TableName table) throws IOException {
    List<String> names = storeFiles(table);
    assertEquals(1, names.size(), names::toString);
    return new org.apache.hadoop.fs.Path(directory(table, "f"), names.get(0));
  }

  /** A Get of each of these rows finds it, with itself as the value. */
  void assertFound(TableName name, List<byte[]> rows) throws IOException {
    try (Table table = patient.getTable(name)) {
      Result[] found = table.get(rows.stream().map(Get::new).toList());
      for (int i = 0; i < found.length; i++) {
        assertArrayEquals(rows.get(i), found[i].value());
      }
    }
  }

  /** What the audit tool says of the table; its exit code must be this. */
  JsonNode audit(TableName table, int exitCode) throws IOException, InterruptedException {
    return tool(exitCode, "audit", table.getNameAsString());
  }

  /** What one of the operator's tools says; its exit code must be this. */
  JsonNode tool(int exitCode, String... command) throws IOException, InterruptedException {
    Path json = directory.resolve("outcome.json");
    List<String> all = new ArrayList<>(List.of("io.winnow.hbase.tools.Winnow"));
    all.addAll(List.of(command));
    all.addAll(List.of("--json", json.toString()));
    JavaProcess.Result result =
        JavaProcess.withAgent(JavaProcess.classPath(cluster.conf()))
            .run(all.toArray(String[]::new));
    assertEquals(exitCode, result.exitCode(), result::toString);
    return new ObjectMapper().readTree(Files.readString(json));
  }

  /** What the agents in the region servers told, by process. */
  record Counters(Map<Long, Map<String, Long>> ofProcesses) {
    /** What was counted since then; a server that was started since begins with 0. */
    long since(Counters before, String name) {
      long sum = 0;
      for (Map.Entry<Long, Map<String, Long>> now : ofProcesses.entrySet()) {
        Map<String, Long> then = before.ofProcesses.getOrDefault(now.getKey(), Map.of());
        sum += now.getValue().getOrDefault(name, 0L) - then.getOrDefault(name, 0L);
      }
      return sum;
    }

    /** The sum of a gauge. */
    long sum(String name) {
      return since(new Counters(Map.of()), name);
    }
  }

  /** The counters, of a second ago. */
  Counters counters() throws IOException, InterruptedException {
    Map<Long, Map<String, Long>> all = new HashMap<>();
    for (LocalCluster.Status server : regionServers()) {
      try (JvmBeans beans = JvmBeans.of(ProcessHandle.of(server.pid()).orElseThrow())) {
        Map<String, Long> numbers = new HashMap<>();
        TestServer.await(
            "the metrics of " + server.name(),
            () -> {
              numbers.putAll(beans.numbers("Server"));
              numbers.putAll(beans.numbers("Winnow"));
              return numbers.containsKey("active")
                  && numbers.containsKey("blockCacheBloomChunkMissCount");
            });
        all.put(server.pid(), numbers);
      }
    }
    return new Counters(all);
  }

  /** The counters of all that has happened until now. */
  Counters settledCounters() throws IOException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(LAG_MILLIS);
    return counters();
  }

  @Override
  public void close() throws IOException {
    try {
      patient.close();
      impatient.close();
      hasty.close();
      hdfs.close();
    } finally {
      cluster.kill();
    }
  }
}
