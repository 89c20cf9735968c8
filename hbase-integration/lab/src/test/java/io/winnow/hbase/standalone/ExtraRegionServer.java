package io.winnow.hbase.standalone;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * One more region server of a standalone HBase, in a JVM of its own, with the agent or without: two
 * servers, and no HDFS to wait for. Its end loses what it has not flushed: it is killed.
 */
public final class ExtraRegionServer implements AutoCloseable {
  private final Path directory;
  private final Process process;
  private final Thread shutdownHook;

  private ExtraRegionServer(Path directory, Process process) {
    this.directory = directory;
    this.process = process;
    this.shutdownHook = new Thread(process::destroyForcibly, "winnow-kill-region-server");
    Runtime.getRuntime().addShutdownHook(shutdownHook);
  }

  /**
   * Starts it; it is up when the master names it.
   *
   * @param agent the agent's jar; null for a stock one
   */
  public static ExtraRegionServer start(StandaloneHBase hbase, Path agent) throws IOException {
    Path directory = Files.createDirectories(hbase.directory().resolve("another"));
    Path site = hbase.directory().resolve("conf").resolve("hbase-site.xml");
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
    // What is not distributed has no region servers but the master's own.
    conf.setBoolean("hbase.cluster.distributed", true);
    conf.set("hbase.tmp.dir", directory.resolve("tmp").toString());
    try (OutputStream out = Files.newOutputStream(directory.resolve("hbase-site.xml"))) {
      conf.writeXml(out);
    }
    ServerJvm jvm =
        ServerJvm.of(
                "org.apache.hadoop.hbase.regionserver.HRegionServer", directory, log(directory))
            .agent(agent)
            .heap("512m")
            .option("-XX:+UseSerialGC");
    Process process =
        new ProcessBuilder(jvm.command("start"))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("server.out").toFile())
            .start();
    return new ExtraRegionServer(directory, process);
  }

  private static Path log(Path directory) {
    return directory.resolve("server.log");
  }

  public Path logFile() {
    return log(directory);
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** The last lines of what it wrote, to be shown when it failed. */
  public String tail() {
    return ServerJvm.tail(List.of(directory.resolve("server.out"), logFile()));
  }

  /** Ends it at once. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(StandaloneHBase.KILL_SECONDS, TimeUnit.SECONDS);
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IllegalStateException e) {
      // This JVM is going down and runs it.
    }
  }
}
