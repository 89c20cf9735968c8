package io.winnow.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * The user's own HBase. Nothing but tables and files of ours is touched, and those are gone
 * afterwards; the servers are not restarted, and keep the block cache that they have. Counters come
 * from the region servers' info servers.
 */
final class QuorumDeployment implements Deployment {

  /** HBase's defaults: filters' counters are gathered every 5 s, and what was read stays for 10. */
  static final long COUNTER_LAG_SECONDS = 16;

  private final Connection connection;
  private final Path staging;
  private final List<ServerBeans> servers;

  private QuorumDeployment(Connection connection, Path staging, List<ServerBeans> servers) {
    this.connection = connection;
    this.staging = staging;
    this.servers = servers;
  }

  /**
   * Connects.
   *
   * @param quorum a host, or several with commas between, and maybe a port
   * @param staging a directory in the file system of HBase's root
   */
  static QuorumDeployment connect(String quorum, String staging)
      throws IOException, InterruptedException {
    Configuration conf = HBaseConfiguration.create();
    int colon = quorum.lastIndexOf(':');
    conf.set(HConstants.ZOOKEEPER_QUORUM, colon < 0 ? quorum : quorum.substring(0, colon));
    if (colon >= 0) {
      conf.set(HConstants.ZOOKEEPER_CLIENT_PORT, quorum.substring(colon + 1));
    }
    conf.setIfUnset("zookeeper.recovery.retry", "1");
    Connection connection = ConnectionFactory.createConnection(conf);
    boolean connected = false;
    try (Admin admin = connection.getAdmin()) {
      List<ServerBeans> servers = new ArrayList<>();
      admin
          .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.LIVE_SERVERS))
          .getLiveServerMetrics()
          .forEach((name, metrics) -> servers.add(beans(name.getHostname(), metrics)));
      // Looked at once, so that a wrong port is told before anything is loaded.
      for (ServerBeans server : servers) {
        server.read(ServerCounters.SERVER_BEAN, ServerCounters.SERVER_ATTRIBUTES);
      }
      Path directory = new Path(staging, "winnow-ycsb-" + UUID.randomUUID());
      FileSystem fileSystem = directory.getFileSystem(conf);
      if (!fileSystem.mkdirs(directory)) {
        throw new IOException("cannot make the directory " + directory);
      }
      fileSystem.deleteOnExit(directory);
      connected = true;
      return new QuorumDeployment(connection, fileSystem.makeQualified(directory), servers);
    } finally {
      if (!connected) {
        connection.close();
      }
    }
  }

  private static ServerBeans beans(String host, ServerMetrics metrics) {
    return ServerBeans.ofInfoServer(host, metrics.getInfoServerPort());
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public Path staging() {
    return staging;
  }

  @Override
  public List<ServerBeans> servers() {
    return servers;
  }

  @Override
  public void restart(ServerCache cache) {
    // Not ours to restart.
  }

  @Override
  public boolean outlivesRun() {
    return true;
  }

  /** One reading: it is long overdue when it is made. */
  @Override
  public Reading settledCounters() throws IOException, InterruptedException {
    return new Reading(counters(), true);
  }

  @Override
  public void awaitCounters() throws InterruptedException {
    TimeUnit.SECONDS.sleep(COUNTER_LAG_SECONDS);
  }

  @Override
  public void close() throws IOException {
    staging.getFileSystem(connection.getConfiguration()).delete(staging, true);
    connection.close();
  }
}
