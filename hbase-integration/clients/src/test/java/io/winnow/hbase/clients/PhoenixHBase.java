package io.winnow.hbase.clients;

import io.winnow.hbase.metrics.Families;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.hfile.CacheStats;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;
import org.apache.phoenix.jdbc.PhoenixConnection;

/**
 * A standalone HBase with Apache Phoenix in this JVM, which has the agent. All classes of tests
 * share it, each with tables of its own names, and the end of the JVM ends it. Nothing is compacted
 * but by {@link #majorCompact}.
 */
final class PhoenixHBase {
  private static PhoenixHBase shared;

  private final HRegionServer server;
  private final Admin admin;
  private final String address;
  private final Connection connection;

  static synchronized PhoenixHBase shared() throws Exception {
    if (shared == null) {
      shared = new PhoenixHBase();
    }
    return shared;
  }

  private PhoenixHBase() throws Exception {
    Path directory = Path.of(System.getProperty("winnow.it.directory"));
    delete(directory);
    MiniZooKeeperCluster zooKeeper = new MiniZooKeeperCluster(new Configuration(false));
    zooKeeper.setTickTime(30_000); // a session has up to 20 of them
    int port = zooKeeper.startup(directory.resolve("zookeeper").toFile());
    System.setProperty("winnow.zookeeper.port", Integer.toString(port)); // hbase-site.xml names it
    Configuration site = HBaseConfiguration.create();
    site.setInt("hbase.zookeeper.property.clientPort", port); // Phoenix reads it unexpanded, too
    LocalHBaseCluster cluster = new LocalHBaseCluster(site, 1, 1);
    cluster.startup();
    while (cluster.getActiveMaster() == null || !cluster.getActiveMaster().isInitialized()) {
      if (cluster.getLiveMasters().isEmpty()) {
        throw new IOException("HBase does not start");
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    server = cluster.getRegionServer(0);
    admin = ConnectionFactory.createConnection(site).getAdmin();
    admin.compactionSwitch(false, List.of());
    address = "jdbc:phoenix:127.0.0.1:" + port;
    connection = connect(new Properties());
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
    Files.createDirectories(directory);
  }

  /** Returns the connection that most tests use. */
  Connection connection() {
    return connection;
  }

  /** Returns another connection, such as that of a tenant. */
  Connection connect(Properties properties) throws SQLException {
    Properties all = new Properties();
    all.putAll(properties);
    all.setProperty(
        "hbase.rpc.controllerfactory.class",
        "org.apache.hadoop.hbase.ipc.controller.ClientRpcControllerFactory");
    return DriverManager.getConnection(address, all);
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  Admin admin() {
    return admin;
  }

  void flush(String table) throws IOException {
    for (HRegion region : regions(table)) {
      region.flush(true);
    }
  }

  /** Begins a new file of the write-ahead log. */
  void rollWal() throws IOException {
    admin.rollWALWriter(server.getServerName());
  }

  private List<HRegion> regions(String table) {
    return server.getRegions(TableName.valueOf(table)).stream()
        .sorted(Comparator.comparing(HRegion::getRegionInfo, RegionInfo.COMPARATOR))
        .toList();
  }

  /** Returns the number of store files of a family, in all regions. */
  int files(String table, String family) {
    return regions(table).stream()
        .flatMap(region -> region.getStores().stream())
        .filter(store -> store.getColumnFamilyName().equals(family))
        .mapToInt(HStore::getStorefilesCount)
        .sum();
  }

  /** Returns true if regions of the table still read files of regions that were split or merged. */
  boolean hasReferences(String table) {
    return regions(table).stream()
        .flatMap(region -> region.getStores().stream())
        .anyMatch(HStore::hasReferences);
  }

  void majorCompact(String table) throws IOException {
    admin.compactionSwitch(true, List.of());
    for (HRegion region : regions(table)) {
      region.compact(true);
      for (HStore store : region.getStores()) {
        store.closeAndArchiveCompactedFiles();
      }
    }
    admin.compactionSwitch(false, List.of());
  }

  /** Splits the region that has the row, there. */
  void split(String table, byte[] row) throws Exception {
    List<HRegion> before = regions(table);
    for (HRegion region : before) {
      if (region.getRegionInfo().containsRow(row)) {
        admin
            .splitRegionAsync(region.getRegionInfo().getRegionName(), row)
            .get(10, TimeUnit.MINUTES);
      }
    }
    awaitRegions(table, before.size() + 1);
  }

  /** Merges the regions with these numbers, in the order of their rows. */
  void merge(String table, int first, int second) throws Exception {
    List<HRegion> before = regions(table);
    admin
        .mergeRegionsAsync(
            new byte[][] {
              before.get(first).getRegionInfo().getRegionName(),
              before.get(second).getRegionInfo().getRegionName()
            },
            false)
        .get(10, TimeUnit.MINUTES);
    awaitRegions(table, before.size() - 1);
  }

  private void awaitRegions(String table, int count) throws Exception {
    while (regions(table).size() != count) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    TableName name = TableName.valueOf(table);
    admin.getConnection().getRegionLocator(name).clearRegionLocationCache();
    connection.unwrap(PhoenixConnection.class).getQueryServices().clearTableRegionCache(name);
  }

  /** Returns the number of data blocks that were requested of the cache since the start. */
  long blocks() {
    CacheStats stats = server.getBlockCache().orElseThrow().getStats();
    return stats.getDataHitCount() + stats.getDataMissCount();
  }

  /** Returns the number of queries of the filters of a table, by Gets and by scans. */
  long filterQueries(TableName table) throws IOException {
    long queries = 0;
    for (HRegion region : regions(table.getNameAsString())) {
      for (HStore store : region.getStores()) {
        queries += store.getBloomFilterRequestsCount();
      }
    }
    for (byte[] family : admin.getDescriptor(table).getColumnFamilyNames()) {
      queries += Families.of(table, family).scans.requests.sum();
    }
    return queries;
  }

  /** Returns the value of a setting in the descriptor of a table. */
  String setting(String table, String key) throws IOException {
    return admin.getDescriptor(TableName.valueOf(table)).getValue(key);
  }
}
