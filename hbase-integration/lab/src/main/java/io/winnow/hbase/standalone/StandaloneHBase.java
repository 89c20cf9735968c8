package io.winnow.hbase.standalone;

import io.winnow.hbase.cli.UserFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * A standalone HBase (master, region server, ZooKeeper) in one JVM of its own, on 127.0.0.1, with
 * all its data in one directory, with or without the Winnow agent.
 *
 * <p>The directory outlives the server: another server may open it again, with or without the
 * agent. One server at a time works on it. The server watches its standard input, so its JVM ends
 * with this one, even if this one is killed.
 *
 * <p>{@link #close()} shuts HBase down in an orderly way; {@link #kill()} ends the process at once.
 * Neither leaves a process behind.
 */
public final class StandaloneHBase implements AutoCloseable {

  /**
   * Maximum time in seconds to wait for an orderly shutdown, a little longer than the server takes
   * to end itself.
   */
  private static final long STOP_SECONDS = StandaloneServer.SHUTDOWN_SECONDS + 5;

  private static final long TERMINATE_SECONDS = 5;

  /**
   * Maximum time in seconds to wait until a killed process is gone; only a busy machine needs more
   * than a moment.
   */
  static final long KILL_SECONDS = 300;

  /**
   * Names of the settings for timeouts of sessions, leases and calls, which are long for a server
   * that nobody starts again after a kill.
   */
  private static final List<String> PATIENT =
      List.of(
          "zookeeper.session.timeout",
          "zookeeper.session.timeout.localHBaseCluster", // the name that a standalone HBase reads
          "hbase.zookeeper.property.maxSessionTimeout",
          "hbase.rpc.timeout",
          "hbase.rpc.shortoperation.timeout",
          "hbase.client.scanner.timeout.period");

  private static final String PATIENT_MILLIS = "600000";

  private final Path directory;
  private final Process process;
  private final Configuration configuration;
  private final int zooKeeperPort;
  private final int pagesPort;
  private final Runnable atEnd;

  private StandaloneHBase(
      Path directory,
      Process process,
      Configuration configuration,
      int zooKeeperPort,
      int pagesPort,
      boolean throwaway) {
    this.directory = directory;
    this.process = process;
    this.configuration = configuration;
    this.zooKeeperPort = zooKeeperPort;
    this.pagesPort = pagesPort;
    this.atEnd = throwaway ? this::killProcess : this::stopProcess;
  }

  /** Returns a builder of a server that keeps its data in {@code directory}. */
  public static Builder builder(Path directory) {
    return new Builder(directory.toAbsolutePath().normalize());
  }

  /** A builder of a standalone HBase, with the options of its server. */
  public static final class Builder {
    private final Path directory;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private int zooKeeperPort;
    private final ServerJvm jvm;
    private boolean throwaway;
    private int pagesPort;
    private Consumer<String> progress = message -> {};

    private Builder(Path directory) {
      this.directory = directory;
      this.jvm =
          ServerJvm.of(
                  StandaloneServer.class.getName(),
                  directory.resolve("conf"),
                  directory.resolve("logs").resolve("hbase.log"))
              .heap("1g");
    }

    /**
     * Sets the jar of the Winnow agent for the server; {@code null}, the default, makes a stock
     * HBase.
     */
    public Builder agent(Path jar) {
      jvm.agent(jar);
      return this;
    }

    /** Sets the agent to the one that the launcher names, if it names one. */
    public Builder launchersAgent() {
      return agent(ServerJvm.launchersAgent());
    }

    /**
     * Sets the port of the server's ZooKeeper, where clients connect; 0, the default, takes any
     * free port.
     */
    public Builder zooKeeperPort(int port) {
      if (port < 0 || port > 65535) {
        throw new IllegalArgumentException("port " + port + " is not in 0..65535");
      }
      this.zooKeeperPort = port;
      return this;
    }

    /** Sets a property of the server's hbase-site.xml. */
    public Builder property(String key, String value) {
      properties.put(key, value);
      return this;
    }

    /** Sets the server's heap in the form of {@code -Xmx}; 1g by default. */
    public Builder heap(String size) {
      jvm.heap(size);
      return this;
    }

    /**
     * Sets the home of the Java that runs the server, from version 11 on; by default it is this
     * JVM's.
     */
    public Builder javaHome(Path home) {
      jvm.javaHome = home;
      return this;
    }

    /** Adds an option of the server's JVM, such as {@code -XX:+UseSerialGC}. */
    public Builder jvmOption(String option) {
      jvm.option(option);
      return this;
    }

    /**
     * Marks the server's data as not needed afterwards: when this JVM ends, the server is killed
     * instead of shut down in an orderly way. Nobody starts a killed server again and waits until
     * its session expires, so sessions, leases and calls have ten minutes: a busy machine makes a
     * server slow, not dead.
     */
    public Builder throwaway() {
      this.throwaway = true;
      return this;
    }

    /**
     * Lets the server serve HBase's web pages.
     *
     * @throws IOException with a message for the user, if the files of the pages are missing
     */
    public Builder ui() throws IOException {
      jvm.pages = WebPages.jar();
      return this;
    }

    /**
     * Sets a listener that gets a message every few seconds about the condition that the start of
     * the server is waiting for.
     */
    public Builder progress(Consumer<String> listener) {
      this.progress = listener;
      return this;
    }

    /**
     * Starts the server and waits until it serves all its tables.
     *
     * @throws IOException with a message for the user: a port or the directory is taken, or the
     *     server failed, with its last log lines
     */
    public StandaloneHBase start() throws IOException, InterruptedException {
      if (jvm.agent != null && !Files.isRegularFile(jvm.agent)) {
        throw new IOException("there is no agent jar " + jvm.agent);
      }
      StandaloneHBase hbase = EndOfJvm.before(this::launch);
      boolean up = false;
      try {
        hbase.awaitStart(progress);
        up = true;
        return hbase;
      } finally {
        if (!up) {
          hbase.kill();
        }
      }
    }

    private StandaloneHBase launch() throws IOException {
      int port = zooKeeperPort == 0 ? Loopback.freePort() : Loopback.requireFree(zooKeeperPort);
      Path conf = directory.resolve("conf");
      Path logs = directory.resolve("logs");
      try {
        Files.createDirectories(conf);
        Files.createDirectories(logs);
        Files.deleteIfExists(logs.resolve("hbase.log.1"));
        if (Files.exists(logs.resolve("hbase.log"))) {
          Files.move(logs.resolve("hbase.log"), logs.resolve("hbase.log.1"));
        }
      } catch (IOException e) {
        throw new IOException(
            "cannot write to the directory " + directory + ": " + UserFiles.sentence(e), e);
      }
      pagesPort = jvm.pages == null ? 0 : Loopback.freePort();
      Configuration site = site(port);
      try (OutputStream out = Files.newOutputStream(conf.resolve("hbase-site.xml"))) {
        site.writeXml(out);
      }
      Configuration client = HBaseConfiguration.create();
      site.forEach(entry -> client.set(entry.getKey(), entry.getValue()));
      Process process =
          new ProcessBuilder(jvm.command(directory.toString()))
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(logs.resolve("hbase.out").toFile())
              .start();
      StandaloneHBase hbase =
          new StandaloneHBase(directory, process, client, port, pagesPort, throwaway);
      EndOfJvm.add(hbase.atEnd);
      return hbase;
    }

    private Configuration site(int port) {
      Configuration site = StartUp.site(directory, port);
      site.set("hbase.cluster.distributed", "false");
      // Not a URI: a Hadoop path does not decode what a URI encodes, such as a space.
      site.set("hbase.rootdir", "file://" + directory.resolve("hbase"));
      site.set("hbase.unsafe.stream.capability.enforce", "false");
      site.set("hbase.master.port", "0");
      site.set("hbase.regionserver.port", "0");
      site.set(
          "hbase.master.wait.on.regionservers.maxtostart", "1"); // or it waits for a second one
      // All servers have one clock; only a call that took long makes it look like two.
      String startMillis = Long.toString(TimeUnit.SECONDS.toMillis(StartUp.SECONDS));
      site.set("hbase.master.maxclockskew", startMillis);
      site.set("hbase.master.start.timeout.localHBaseCluster", startMillis);
      site.set("hbase.master.init.timeout.localHBaseCluster", startMillis);
      if (jvm.pages != null) {
        WebPages.serve(site, "regionserver", pagesPort);
      }
      if (throwaway) {
        PATIENT.forEach(key -> site.set(key, PATIENT_MILLIS));
      }
      properties.forEach(site::set);
      return site;
    }
  }

  /** Returns the configuration with which a client in this JVM connects to the server. */
  public Configuration configuration() {
    return new Configuration(configuration);
  }

  /**
   * Returns the port of the server's ZooKeeper on 127.0.0.1, which is all that a client on this
   * machine needs to connect.
   */
  public int zooKeeperPort() {
    return zooKeeperPort;
  }

  /** Returns the web address of Winnow's page on the server; null if web pages are not served. */
  public String pages() {
    return pagesPort == 0 ? null : WebPages.address(pagesPort);
  }

  /** Returns the directory that has all data of the server. */
  public Path directory() {
    return directory;
  }

  /** Returns the file to which the HBase server writes its log. */
  public Path logFile() {
    return directory.resolve("logs").resolve("hbase.log");
  }

  /** Returns the process of the operating system in which HBase runs. */
  public ProcessHandle process() {
    return process.toHandle();
  }

  /** Returns whether the HBase server has ended, or has aborted although its process still runs. */
  public boolean isLost() {
    try {
      requireAlive();
      requireNotAborted();
      return false;
    } catch (IOException | UncheckedIOException e) {
      return true;
    }
  }

  /** Waits until the HBase server ends by itself. Returns its exit code. */
  public int waitFor() throws InterruptedException {
    return process.waitFor();
  }

  /**
   * Shuts HBase down in an orderly way: memory stores are flushed, regions closed. It takes a
   * limited time: a server that hangs is killed.
   */
  @Override
  public void close() {
    stopProcess();
    EndOfJvm.remove(atEnd);
  }

  /** Kills the server's process at once. Data that was not flushed may be lost. */
  public void kill() {
    killProcess();
    EndOfJvm.remove(atEnd);
  }

  private void stopProcess() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // The server is gone already.
    }
    if (!ended(STOP_SECONDS)) {
      process.destroy();
      if (!ended(TERMINATE_SECONDS)) {
        killProcess();
      }
    }
  }

  private void killProcess() {
    process.destroyForcibly();
    ended(KILL_SECONDS);
  }

  private boolean ended(long seconds) {
    return StartUp.ended(process.toHandle(), seconds);
  }

  private void awaitStart(Consumer<String> progress) throws IOException, InterruptedException {
    Configuration impatient = StartUp.impatient(configuration());
    StartUp.await(
        "the start of HBase",
        progress,
        () -> {
          requireAlive();
          requireNotAborted();
        },
        () -> Loopback.accepts(zooKeeperPort) && servesAllTables(impatient),
        this::tail);
  }

  private void requireAlive() throws IOException {
    if (process.isAlive()) {
      return;
    }
    int code = process.exitValue();
    if (code == StandaloneServer.DIRECTORY_IN_USE) {
      throw new IOException("the directory " + directory + " is taken: another HBase works on it");
    }
    throw new IOException(
        "HBase ended with code " + code + " while starting in " + directory + "\n" + tail());
  }

  /** Checks the server's log for an abort, because the process of an aborted master still runs. */
  private void requireNotAborted() throws IOException {
    if (!Files.exists(logFile())) {
      return;
    }
    try (Stream<String> lines = Files.lines(logFile(), StandardCharsets.ISO_8859_1)) {
      Optional<String> abort = lines.filter(line -> line.contains("***** ABORTING")).findFirst();
      if (abort.isPresent()) {
        throw new IOException(
            "HBase gave up while starting in " + directory + "\n" + abort.get() + "\n" + tail());
      }
    }
  }

  private static boolean servesAllTables(Configuration configuration) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      return !admin.getRegionServers().isEmpty() && StartUp.servesAllTables(admin);
    }
  }

  /**
   * Returns the last lines that the server wrote to its logs, for the message about its failure.
   */
  public String tail() {
    Path logs = directory.resolve("logs");
    return ServerJvm.tail(List.of(logs.resolve("hbase.out"), logs.resolve("hbase.log")));
  }
}
