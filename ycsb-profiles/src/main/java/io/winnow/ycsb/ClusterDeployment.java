package io.winnow.ycsb;

import io.winnow.hbase.standalone.LocalCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * The cluster that {@code ./winnow cluster start} started, as the HBase that a run measures. Its
 * region servers are restarted with the run's settings. At the end they are restarted with their
 * own settings, and the run's tables and files are deleted.
 */
final class ClusterDeployment implements Deployment {
  private final LocalCluster cluster;
  private final Consumer<String> progress;
  private final OwnServers own = new OwnServers();
  private final Path staging;
  private Connection connection;
  private List<ServerBeans> beans = List.of();

  private ClusterDeployment(LocalCluster cluster, Path staging, Consumer<String> progress) {
    this.cluster = cluster;
    this.staging = staging;
    this.progress = progress;
  }

  /**
   * Takes over the HBase cluster that runs from a directory, so that a run measures it.
   *
   * @throws IOException if it is not up
   */
  static ClusterDeployment take(java.nio.file.Path directory, Consumer<String> progress)
      throws IOException, InterruptedException {
    LocalCluster cluster =
        LocalCluster.in(directory)
            .filter(LocalCluster::isUp)
            .orElseThrow(
                () ->
                    new IOException(
                        "no cluster is up in " + directory + ": ./winnow cluster start"));
    FileSystem files = FileSystem.get(cluster.configuration());
    Path staging = files.makeQualified(new Path("/winnow-ycsb-" + UUID.randomUUID()));
    files.mkdirs(staging);
    files.deleteOnExit(staging);
    ClusterDeployment deployment = new ClusterDeployment(cluster, staging, progress);
    deployment.restart(OwnServers.LOADING_CACHE);
    return deployment;
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
    return beans;
  }

  @Override
  public void restart(ServerCache cache) throws IOException, InterruptedException {
    disconnect();
    cluster.restartRegionServers(OwnServers.settings(cache), progress);
    connection = ConnectionFactory.createConnection(cluster.configuration());
    List<ServerBeans> all = new ArrayList<>();
    for (ProcessHandle server : cluster.regionServers()) {
      all.add(ServerBeans.ofProcess(server.pid()));
    }
    beans = all;
  }

  private void disconnect() throws IOException {
    for (ServerBeans server : beans) {
      server.close();
    }
    beans = List.of();
    if (connection != null) {
      connection.close();
    }
  }

  @Override
  public boolean outlivesRun() {
    return true;
  }

  @Override
  public void awaitCounters() throws InterruptedException {
    own.awaitCounters();
  }

  @Override
  public void close() throws IOException {
    disconnect();
    staging.getFileSystem(cluster.configuration()).delete(staging, true);
    try {
      cluster.restartRegionServers(Map.of(), progress);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
