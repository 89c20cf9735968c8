package io.winnow.ycsb;

import io.winnow.hbase.standalone.LocalCluster;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The cluster that {@code ./winnow cluster start} started, as the HBase that a run measures. Its
 * region servers are restarted with the run's settings. At the end they are restarted with their
 * own settings, and the run's tables and files are deleted.
 */
final class ClusterDeployment extends Deployment {
  private final LocalCluster cluster;
  private final Consumer<String> progress;
  private final Path staging;

  /**
   * Takes over the HBase cluster that runs from a directory, so that a run measures it.
   *
   * @throws IOException if it is not up
   */
  ClusterDeployment(java.nio.file.Path directory, Consumer<String> progress)
      throws IOException, InterruptedException {
    this.progress = progress;
    cluster =
        LocalCluster.in(directory)
            .filter(LocalCluster::isUp)
            .orElseThrow(
                () ->
                    new IOException(
                        "no cluster is up in " + directory + ": ./winnow cluster start"));
    FileSystem files = FileSystem.get(cluster.configuration());
    staging = files.makeQualified(new Path("/winnow-ycsb-" + UUID.randomUUID()));
    files.mkdirs(staging);
    files.deleteOnExit(staging);
    restart(LOADING_CACHE);
  }

  @Override
  protected void restart(Map<String, String> properties) throws IOException, InterruptedException {
    cluster.restartRegionServers(properties, progress);
  }

  @Override
  protected Configuration configuration() {
    return cluster.configuration();
  }

  @Override
  protected List<ProcessHandle> processes() {
    return cluster.regionServers();
  }

  @Override
  Path staging() {
    return staging;
  }

  @Override
  boolean isLocal() {
    return false;
  }

  @Override
  public void close() throws IOException {
    disconnect();
    staging.getFileSystem(configuration()).delete(staging, true);
    try {
      restart(Map.of());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
