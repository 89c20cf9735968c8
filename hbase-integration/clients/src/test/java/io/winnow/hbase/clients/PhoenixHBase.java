package io.winnow.hbase.clients;

import io.winnow.hbase.metrics.Families;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
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
  private static final Pattern SETTING_FOR_SCANS =
      Pattern.compile("'(winnow\\.scan\\.\\w+)' => '([^']*)'");

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

  /** Splits the first region in the middle of its rows. */
  void splitFirst(String table) throws Exception {
    byte[] end = regions(table).get(0).getRegionInfo().getEndKey();
    Scan scan = new Scan().withStopRow(end).setFilter(new FirstKeyOnlyFilter());
    List<byte[]> rows = new ArrayList<>();
    try (Table opened = admin.getConnection().getTable(TableName.valueOf(table));
        ResultScanner scanner = opened.getScanner(scan)) {
      scanner.forEach(row -> rows.add(row.getRow()));
    }
    split(table, rows.get(rows.size() / 2));
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

  /**
   * Returns the number of queries of the filters of a table, by Gets and by scans. Indexes count,
   * whose tables have names with that of the table.
   */
  long filterQueries(TableName table) {
    long queries = 0;
    Map<TableName, TableDescriptor> tables = new HashMap<>();
    for (HRegion region : server.getRegions()) {
      TableDescriptor descriptor = region.getTableDescriptor();
      TableName name = descriptor.getTableName();
      if (name.getNameAsString().contains(table.getNameAsString())) {
        tables.put(name, descriptor);
        for (HStore store : region.getStores()) {
          queries += store.getBloomFilterRequestsCount();
        }
      }
    }
    for (TableDescriptor descriptor : tables.values()) {
      for (byte[] family : descriptor.getColumnFamilyNames()) {
        queries += Families.of(descriptor.getTableName(), family).scans.requests.sum();
      }
    }
    return queries;
  }

  /**
   * Returns what {@code advise} prints of a table, by the scans that the server's page {@code
   * /winnow} counted.
   */
  String advise(String table) throws Exception {
    int port = server.getConfiguration().getInt(HConstants.REGIONSERVER_INFO_PORT, 0);
    return tool("advise", table, "--scans", "http://127.0.0.1:" + port + "/winnow");
  }

  /** Returns the settings for scans that {@code advise} proposes for a table; "" for none. */
  String settingsForScans(String table) throws Exception {
    return SETTING_FOR_SCANS
        .matcher(advise(table))
        .results()
        .map(found -> found.group(1) + " = " + found.group(2))
        .collect(Collectors.joining("; "));
  }

  /** Runs one of Winnow's tools, and returns what it prints. */
  static String tool(String... args) throws Exception {
    Path directory = Path.of(System.getProperty("winnow.it.directory"), "tool");
    return Files.readString(OtherJvm.run(directory, true, "io.winnow.hbase.tools.Winnow", args));
  }

  /** Returns the value of a setting in the descriptor of a table. */
  String setting(String table, String key) throws IOException {
    return admin.getDescriptor(TableName.valueOf(table)).getValue(key);
  }
}
