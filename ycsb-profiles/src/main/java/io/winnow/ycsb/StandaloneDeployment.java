package io.winnow.ycsb;

import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * A standalone HBase in one JVM, as the HBase that a run measures. Its directory is deleted by the
 * caller that made it.
 */
final class StandaloneDeployment implements Deployment {
  /** Approximate seconds until a standalone HBase serves its tables. */
  static final double START_SECONDS = 12;

  /**
   * Label of the line in Linux's {@code /proc/PID/io} with the number of bytes that the process has
   * read from drives.
   */
  private static final String READ_BYTES = "read_bytes:";

  private final java.nio.file.Path directory;
  private final java.nio.file.Path agent;
  private final Consumer<String> progress;
  private final OwnServers own = new OwnServers();
  private StandaloneHBase hbase;
  private Connection connection;
  private ServerBeans beans;

  private StandaloneDeployment(
      java.nio.file.Path directory, java.nio.file.Path agent, Consumer<String> progress) {
    this.directory = directory;
    this.agent = agent;
    this.progress = progress;
  }

  static StandaloneDeployment start(
      java.nio.file.Path directory, java.nio.file.Path agent, Consumer<String> progress)
      throws IOException, InterruptedException {
    StandaloneDeployment deployment = new StandaloneDeployment(directory, agent, progress);
    deployment.start(OwnServers.LOADING_CACHE);
    return deployment;
  }

  private void start(ServerCache cache) throws IOException, InterruptedException {
    StandaloneHBase.Builder builder =
        StandaloneHBase.builder(directory).agent(agent).heap("2g").throwaway().progress(progress);
    OwnServers.settings(cache).forEach(builder::property);
    hbase = builder.start();
    boolean up = false;
    try {
      connection = ConnectionFactory.createConnection(hbase.configuration());
      beans = ServerBeans.ofProcess(hbase.process().pid());
      up = true;
    } finally {
      if (!up) {
        hbase.kill();
      }
    }
  }

  @Override
  public Connection connection() {
    return connection;
  }

  @Override
  public Path staging() {
    return new Path("file://" + directory.resolve("staging"));
  }

  @Override
  public List<ServerBeans> servers() {
    return List.of(beans);
  }

  @Override
  public void restart(ServerCache cache) throws IOException, InterruptedException {
    beans.close();
    connection.close();
    hbase.close();
    start(cache);
  }

  @Override
  public boolean outlivesRun() {
    return false;
  }

  @Override
  public Optional<java.nio.file.Path> localFiles() {
    return Optional.of(directory);
  }

  @Override
  public long bytesFromDrive() throws IOException {
    java.nio.file.Path io =
        java.nio.file.Path.of("/proc", Long.toString(hbase.process().pid()), "io");
    if (!Files.isReadable(io)) {
      return -1;
    }
    return Files.readAllLines(io).stream()
        .filter(line -> line.startsWith(READ_BYTES))
        .mapToLong(line -> Long.parseLong(line.substring(READ_BYTES.length()).strip()))
        .findFirst()
        .orElse(-1);
  }

  @Override
  public void awaitCounters() throws InterruptedException {
    own.awaitCounters();
  }

  @Override
  public void close() throws IOException {
    try {
      beans.close();
      connection.close();
    } finally {
      hbase.kill();
    }
  }
}
