package io.winnow.hbase.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/**
 * A small HBase cluster: NameNode, DataNode, ZooKeeper, master and two region servers, each in a
 * JVM of its own, on 127.0.0.1, with all data in one directory. The agent is in master and region
 * servers.
 *
 * <p>The servers outlive the process that starts them. The directory has a file with each running
 * process and its start time, so that no other process is mistaken for a server of the cluster. The
 * start takes about a minute; an idle cluster takes 1.5 GB of memory.
 */
public final class LocalCluster {

  /** A server of the cluster, with the name of its log, its heap and its main class. */
  private enum Daemon {
    NAMENODE("namenode", "256m", "org.apache.hadoop.hdfs.server.namenode.NameNode"),
    DATANODE("datanode", "256m", "org.apache.hadoop.hdfs.server.datanode.DataNode"),
    DATANODE_2("datanode-2", "256m", "org.apache.hadoop.hdfs.server.datanode.DataNode"),
    ZOOKEEPER("zookeeper", "256m", "org.apache.hadoop.hbase.zookeeper.HQuorumPeer"),
    MASTER("master", "512m", "org.apache.hadoop.hbase.master.HMaster"),
    REGION_SERVER_1("regionserver-1", "1g", "org.apache.hadoop.hbase.regionserver.HRegionServer"),
    REGION_SERVER_2("regionserver-2", "1g", "org.apache.hadoop.hbase.regionserver.HRegionServer");

    final String id;
    final String heap;
    final String mainClass;

    Daemon(String id, String heap, String mainClass) {
      this.id = id;
      this.heap = heap;
      this.mainClass = mainClass;
    }

    boolean isHBase() {
      return this == MASTER || isRegionServer();
    }

    boolean isDataNode() {
      return this == DATANODE || this == DATANODE_2;
    }

    boolean isRegionServer() {
      return REGION_SERVERS.contains(this);
    }
  }

  /** The current state of a server of the cluster. */
  public record Status(String name, int port, long pid, boolean running, boolean accepting) {}

  private static final List<Daemon> REGION_SERVERS =
      List.of(Daemon.REGION_SERVER_1, Daemon.REGION_SERVER_2);

  private static final Predicate<Daemon> NOT_HBASE = daemon -> !daemon.isHBase();

  private static final String STATE = "cluster.properties";
  private static final String DATA_NODES = "datanodes";

  /** Suffix of the property that names a server's agent jar in the cluster's state file. */
  private static final String AGENT = ".agent";

  private static final String PAGES = ".pages";

  private static final String PAGES_JAR = "pages.jar";

  /** Prefix of the properties that keep the caller's HBase settings in the cluster's state file. */
  private static final String SETTING = "setting.";

  private static final String WEB_APP =
      "<web-app xmlns=\"http://java.sun.com/xml/ns/javaee\" version=\"2.5\"/>\n";

  private static final long SHUTDOWN_SECONDS = StandaloneServer.SHUTDOWN_SECONDS;
  private static final long TERMINATE_SECONDS = 15;

  private final Path directory;
  private final Properties state;

  private LocalCluster(Path directory, Properties state) {
    this.directory = directory;
    this.state = state;
  }

  /** Makes a cluster that was never started before. */
  private LocalCluster(Path directory, int dataNodes, Map<String, String> settings) {
    this(directory, new Properties());
    state.setProperty(DATA_NODES, Integer.toString(dataNodes));
    settings.forEach((name, value) -> state.setProperty(SETTING + name, value));
  }

  private int dataNodes() {
    return Integer.parseInt(state.getProperty(DATA_NODES, "1"));
  }

  private Optional<Daemon> daemon(String name) {
    return daemons().stream().filter(daemon -> daemon.id.equals(name)).findAny();
  }

  /** Returns the servers of the cluster in the order in which they are started. */
  private List<Daemon> daemons() {
    return Stream.of(Daemon.values())
        .filter(daemon -> daemon != Daemon.DATANODE_2 || dataNodes() > 1)
        .toList();
  }

  /**
   * Returns the cluster that was started in a directory before, whether it runs or not; empty if
   * there never was one.
   */
  public static Optional<LocalCluster> in(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath().normalize();
    Path file = absolute.resolve(STATE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Properties state = new Properties();
    try (InputStream in = Files.newInputStream(file)) {
      state.load(in);
    }
    return Optional.of(new LocalCluster(absolute, state));
  }

  /**
   * Starts a cluster, with HBase's web pages or without, and waits until it serves its tables. If
   * the directory has a cluster's data, it continues with this data. The number of DataNodes and
   * the settings apply only if the directory is new.
   *
   * @param agent the agent's jar; {@code null} starts stock HBase
   * @param dataNodes number of DataNodes, 1 or 2, which is also the number of replicas of each
   *     block
   * @param settings further settings of all servers and clients
   * @param ui whether HBase's web pages are served
   * @throws IOException with a message for the user; then no server runs
   */
  public static LocalCluster start(
      Path directory,
      Path agent,
      int dataNodes,
      Map<String, String> settings,
      boolean ui,
      Consumer<String> progress)
      throws IOException, InterruptedException {
    Path absolute = directory.toAbsolutePath().normalize();
    Optional<LocalCluster> before = in(absolute);
    if (before.isPresent() && before.get().runs()) {
      throw new IOException(
          "a cluster runs in "
              + absolute
              + " already, or a part of it: status shows it, stop ends it");
    }
    if (before.isEmpty() && Files.exists(absolute) && ScratchDirectory.hasEntries(absolute)) {
      throw new IOException("the directory " + absolute + " is neither empty nor a cluster's");
    }
    LocalCluster cluster = before.orElseGet(() -> new LocalCluster(absolute, dataNodes, settings));
    boolean up = false;
    try {
      cluster.configure(agent, ui);
      cluster.start(progress);
      up = true;
    } finally {
      if (!up) {
        cluster.kill();
      }
    }
    return cluster;
  }

  private void configure(Path agent, boolean ui) throws IOException {
    for (Daemon daemon : Daemon.values()) {
      state.remove(daemon.id + PAGES);
      setAgent(daemon, daemon.isHBase() ? agent : null);
    }
    state.remove(PAGES_JAR);
    if (ui) {
      state.setProperty(PAGES_JAR, WebPages.jar().toString());
      assignPorts(daemons().stream().filter(Daemon::isHBase).map(it -> it.id + PAGES).toList());
    }
    if (state.getProperty(Daemon.NAMENODE.id + ".port") == null) {
      List<String> names = new ArrayList<>();
      names.add("namenode-http.port");
      for (Daemon daemon : daemons()) {
        names.add(daemon.id + ".port");
        if (daemon.isDataNode()) {
          names.addAll(List.of(daemon.id + "-http.port", daemon.id + "-ipc.port"));
        }
      }
      assignPorts(names);
    } else {
      for (String name : state.stringPropertyNames()) {
        if (name.endsWith(".port")) {
          Loopback.requireFree(Integer.parseInt(state.getProperty(name)));
        }
      }
    }
    Path conf = conf();
    for (String app : List.of("hdfs", "datanode")) {
      // The jar of HDFS has no web pages, and its servers do not start without.
      Path inf = conf.resolve("webapps").resolve(app).resolve("WEB-INF");
      Files.createDirectories(inf);
      Files.writeString(inf.resolve("web.xml"), WEB_APP);
    }
    Files.createDirectories(logs());
    Configuration site = site();
    for (String name : List.of("core-site.xml", "hdfs-site.xml", "hbase-site.xml")) {
      try (OutputStream out = Files.newOutputStream(conf.resolve(name))) {
        site.writeXml(out);
      }
    }
    save();
  }

  /** Gives free ports to properties of the cluster's state. */
  private void assignPorts(List<String> names) throws IOException {
    List<Integer> ports = Loopback.freePorts(names.size());
    for (int i = 0; i < names.size(); i++) {
      state.setProperty(names.get(i), Integer.toString(ports.get(i)));
    }
  }

  private void setAgent(Daemon daemon, Path agent) {
    if (agent == null) {
      state.remove(daemon.id + AGENT);
    } else {
      state.setProperty(daemon.id + AGENT, agent.toAbsolutePath().toString());
    }
  }

  private Configuration site() {
    Configuration site = StartUp.site(directory, zooKeeperPort());
    String nameNode = Loopback.ADDRESS + ":" + port("namenode");
    site.set("fs.defaultFS", "hdfs://" + nameNode);
    site.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    site.set("dfs.namenode.rpc-address", nameNode);
    site.set("dfs.namenode.http-address", Loopback.ADDRESS + ":" + port("namenode-http"));
    site.set("dfs.namenode.name.dir", directory.resolve("namenode").toString());
    site.set("dfs.namenode.safemode.extension", "0");
    site.set("dfs.namenode.datanode.registration.ip-hostname-check", "false");
    dataNodeSettings(Daemon.DATANODE).forEach(site::set);
    site.set("dfs.datanode.hostname", Loopback.ADDRESS);
    site.set("dfs.replication", Integer.toString(dataNodes()));
    site.set("hbase.cluster.distributed", "true");
    site.set("hbase.rootdir", "hdfs://" + nameNode + "/hbase");
    site.set("hbase.master.port", Integer.toString(port("master")));
    for (String name : state.stringPropertyNames()) {
      if (name.startsWith(SETTING)) {
        site.set(name.substring(SETTING.length()), state.getProperty(name));
      }
    }
    return site;
  }

  /**
   * Returns the settings in which one DataNode differs from another: its ports and its data
   * directory.
   */
  private Map<String, String> dataNodeSettings(Daemon daemon) {
    return Map.of(
        "dfs.datanode.address", Loopback.ADDRESS + ":" + port(daemon.id),
        "dfs.datanode.http.address", Loopback.ADDRESS + ":" + port(daemon.id + "-http"),
        "dfs.datanode.ipc.address", Loopback.ADDRESS + ":" + port(daemon.id + "-ipc"),
        "dfs.datanode.data.dir", directory.resolve(daemon.id).toString());
  }

  private void start(Consumer<String> progress) throws IOException, InterruptedException {
    if (!Files.exists(directory.resolve("namenode").resolve("current"))) {
      progress.accept("formatting HDFS");
      Process format =
          process(Daemon.NAMENODE, List.of("-format", "-nonInteractive"), "namenode-format");
      if (!format.waitFor(StartUp.SECONDS, TimeUnit.SECONDS) || format.exitValue() != 0) {
        format.destroyForcibly();
        throw new IOException("HDFS could not be formatted\n" + tail("namenode-format"));
      }
    }
    revive(progress);
  }

  /**
   * Starts each server of the cluster that does not run, for example because it was killed, and
   * waits until all tables are served.
   */
  public void revive(Consumer<String> progress) throws IOException, InterruptedException {
    bringUp("HDFS and ZooKeeper", NOT_HBASE, Map.of(), progress, this::servesFiles);
    bringUp("HBase", Daemon::isHBase, Map.of(), progress, this::servesTables);
  }

  /**
   * Starts those servers of the cluster that do not run and that a predicate selects, and waits
   * until a check is met.
   */
  private void bringUp(
      String what,
      Predicate<Daemon> which,
      Map<String, String> settings,
      Consumer<String> progress,
      StartUp.Check check)
      throws IOException, InterruptedException {
    List<Daemon> servers = daemons().stream().filter(which).toList();
    for (Daemon daemon : servers) {
      if (handle(daemon).isEmpty()) {
        launch(daemon, arguments(daemon, settings));
      }
    }
    StartUp.await(
        "the start of " + what,
        progress,
        () -> {
          for (Daemon daemon : servers) {
            if (handle(daemon).isEmpty()) {
              throw new IOException(daemon.id + " ended while starting\n" + tail(daemon.id));
            }
          }
        },
        check,
        () -> servers.stream().map(daemon -> tail(daemon.id)).collect(Collectors.joining()));
  }

  private List<String> arguments(Daemon daemon, Map<String, String> settings) {
    Map<String, String> all = new TreeMap<>(settings);
    if (daemon.isDataNode()) {
      all.putAll(dataNodeSettings(daemon));
    }
    if (daemon.isRegionServer()) {
      all.put("hbase.regionserver.port", Integer.toString(port(daemon.id)));
    }
    String pages = state.getProperty(daemon.id + PAGES);
    if (pages != null) {
      Configuration served = new Configuration(false);
      WebPages.serve(
          served, daemon.isRegionServer() ? "regionserver" : "master", Integer.parseInt(pages));
      served.forEach(entry -> all.put(entry.getKey(), entry.getValue()));
    }
    List<String> arguments = new ArrayList<>();
    all.forEach((name, value) -> arguments.add("-D" + name + "=" + value));
    if (daemon.isHBase()) {
      arguments.add("start");
    }
    return arguments;
  }

  private void launch(Daemon daemon, List<String> arguments) throws IOException {
    Process process = process(daemon, arguments, daemon.id);
    state.setProperty(daemon.id + ".pid", Long.toString(process.pid()));
    state.setProperty(
        daemon.id + ".started", process.info().startInstant().orElse(Instant.EPOCH).toString());
    save();
  }

  private Process process(Daemon daemon, List<String> arguments, String log) throws IOException {
    ServerJvm jvm =
        ServerJvm.of(daemon.mainClass, conf(), logs().resolve(log + ".log"))
            .heap(daemon.heap)
            .option("-XX:+UseSerialGC")
            // By default a collection may leave dead objects in a twentieth of the heap.
            .option("-XX:MarkSweepDeadRatio=0")
            .option("-Dzookeeper.admin.enableServer=false");
    if (state.getProperty(daemon.id + AGENT) != null) {
      jvm.agent(Path.of(state.getProperty(daemon.id + AGENT)));
    }
    if (daemon.isHBase() && state.getProperty(PAGES_JAR) != null) {
      jvm.pages = Path.of(state.getProperty(PAGES_JAR));
    }
    return new ProcessBuilder(jvm.command(arguments.toArray(String[]::new)))
        .directory(directory.toFile())
        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
        .redirectErrorStream(true)
        .redirectOutput(logs().resolve(log + ".out").toFile())
        .start();
  }

  /**
   * Stops the region servers in an orderly way, starts them with further settings, and waits until
   * all tables are served.
   */
  public void restartRegionServers(Map<String, String> properties, Consumer<String> progress)
      throws IOException, InterruptedException {
    restart(REGION_SERVERS, properties, progress);
  }

  /**
   * Stops a server of HBase in an orderly way, starts it with another agent jar, which it keeps,
   * and waits until all tables are served.
   *
   * @param name the server's name, as in {@link #status}
   * @param agent the agent's jar; {@code null} starts stock HBase
   */
  public void restart(String name, Path agent, Consumer<String> progress)
      throws IOException, InterruptedException {
    Daemon server =
        daemon(name)
            .filter(Daemon::isHBase)
            .orElseThrow(() -> new IOException("HBase has no server " + name + " here"));
    setAgent(server, agent);
    restart(List.of(server), Map.of(), progress);
  }

  private void restart(
      List<Daemon> servers, Map<String, String> properties, Consumer<String> progress)
      throws IOException, InterruptedException {
    servers.forEach(daemon -> handle(daemon).ifPresent(ProcessHandle::destroy));
    for (Daemon daemon : servers) {
      end(daemon, SHUTDOWN_SECONDS);
    }
    bringUp("HBase", servers::contains, properties, progress, this::servesTables);
  }

  /**
   * Returns the web address of Winnow's page on each region server; empty if web pages are not
   * served.
   */
  public List<String> pages() {
    return REGION_SERVERS.stream().flatMap(daemon -> page(daemon.id).stream()).toList();
  }

  /**
   * Returns the web address of Winnow's page on a server; empty if it is no region server, or if
   * web pages are not served.
   *
   * @param name the server's name, as in {@link #status}
   */
  public Optional<String> page(String name) {
    return daemon(name)
        .filter(Daemon::isRegionServer)
        .map(daemon -> state.getProperty(daemon.id + PAGES))
        .map(port -> WebPages.address(Integer.parseInt(port)));
  }

  /** Returns the names of HBase's servers in the order in which an update restarts them. */
  public List<String> hbaseServers() {
    return Stream.concat(REGION_SERVERS.stream(), Stream.of(Daemon.MASTER))
        .map(daemon -> daemon.id)
        .toList();
  }

  private boolean servesFiles() throws IOException {
    if (!daemons().stream().filter(NOT_HBASE).allMatch(this::accepts)) {
      return false;
    }
    Configuration client = impatient();
    try (FileSystem files = FileSystem.newInstance(client)) {
      DistributedFileSystem hdfs = (DistributedFileSystem) files;
      return Stream.of(hdfs.getDataNodeStats()).filter(this::hasReported).count() == dataNodes()
          && !hdfs.setSafeMode(SafeModeAction.GET);
    }
  }

  /**
   * Returns whether a DataNode has sent a heartbeat since it was started. Without this check a dead
   * node would count for minutes, because the NameNode still takes it for alive.
   */
  private boolean hasReported(DatanodeInfo node) {
    return daemons().stream()
        .filter(daemon -> port(daemon.id) == node.getXferPort())
        .flatMap(daemon -> handle(daemon).stream())
        .flatMap(process -> process.info().startInstant().stream())
        .anyMatch(started -> node.getLastUpdate() >= started.toEpochMilli());
  }

  private boolean servesTables() throws IOException {
    if (!Loopback.accepts(port("master"))) {
      return false;
    }
    try (Connection connection = ConnectionFactory.createConnection(impatient());
        Admin admin = connection.getAdmin()) {
      Set<Integer> ports =
          admin.getRegionServers().stream().map(ServerName::getPort).collect(Collectors.toSet());
      Set<Integer> ours =
          REGION_SERVERS.stream().map(daemon -> port(daemon.id)).collect(Collectors.toSet());
      return ports.equals(ours) && StartUp.servesAllTables(admin);
    }
  }

  private Configuration impatient() {
    return StartUp.impatient(configuration());
  }

  /**
   * Returns the configuration with which a client in this JVM connects to HBase and to its file
   * system.
   */
  public Configuration configuration() {
    Configuration client = HBaseConfiguration.create();
    site().forEach(entry -> client.set(entry.getKey(), entry.getValue()));
    return client;
  }

  /** Returns the port of the cluster's ZooKeeper on 127.0.0.1. */
  public int zooKeeperPort() {
    return port(Daemon.ZOOKEEPER.id);
  }

  /**
   * Returns the directory with the settings of the cluster's servers. A tool needs it first on its
   * class path.
   */
  public Path conf() {
    return directory.resolve("conf");
  }

  /** Returns the directory of the logs of the cluster's servers. */
  public Path logs() {
    return directory.resolve("logs");
  }

  /** Returns whether all servers of the cluster run and accept connections. */
  public boolean isUp() {
    return status().stream().allMatch(Status::accepting);
  }

  /** Returns whether any server of the cluster runs. */
  public boolean runs() {
    return daemons().stream().anyMatch(daemon -> handle(daemon).isPresent());
  }

  /** Returns the running processes of the cluster's region servers. */
  public List<ProcessHandle> regionServers() {
    return REGION_SERVERS.stream().flatMap(daemon -> handle(daemon).stream()).toList();
  }

  /**
   * Returns the process of one of the cluster's servers, if it runs.
   *
   * @param name the server's name, as in {@link #status}
   */
  public Optional<ProcessHandle> process(String name) {
    return daemon(name).flatMap(this::handle);
  }

  /**
   * Kills a running server of the cluster as {@code kill -9} does, and waits until its process has
   * ended.
   */
  public void kill(String name) {
    ProcessHandle process = process(name).orElseThrow();
    process.destroyForcibly();
    process.onExit().join();
  }

  /**
   * Returns the state of each server of the cluster, in the order in which they are started. The
   * process id of a server that was never started is 0.
   */
  public List<Status> status() {
    List<Status> status = new ArrayList<>();
    for (Daemon daemon : daemons()) {
      int port = port(daemon.id);
      boolean running = handle(daemon).isPresent();
      status.add(
          new Status(
              daemon.id,
              port,
              Long.parseLong(state.getProperty(daemon.id + ".pid", "0")),
              running,
              running && Loopback.accepts(port)));
    }
    return status;
  }

  /**
   * Stops all servers of the cluster, HBase first and in an orderly way, so that no row is lost. It
   * takes a limited time: a server that hangs is killed. The data stays.
   */
  public void stop(Consumer<String> progress) throws IOException, InterruptedException {
    boolean hbaseRuns =
        handle(Daemon.MASTER).isPresent()
            && Loopback.accepts(port(Daemon.MASTER.id))
            && Loopback.accepts(port(Daemon.ZOOKEEPER.id));
    if (hbaseRuns) {
      progress.accept("shutting HBase down");
      try (Connection connection = ConnectionFactory.createConnection(impatient());
          Admin admin = connection.getAdmin()) {
        admin.shutdown();
        for (Daemon daemon : daemons()) {
          if (daemon.isHBase()) {
            handle(daemon).ifPresent(server -> StartUp.ended(server, SHUTDOWN_SECONDS));
          }
        }
      } catch (IOException e) {
        progress.accept("HBase does not shut down in an orderly way: " + e.getMessage());
      }
    }
    progress.accept("stopping the other servers");
    List<Daemon> daemons = daemons();
    for (int i = daemons.size() - 1; i >= 0; i--) {
      Daemon daemon = daemons.get(i);
      handle(daemon).ifPresent(ProcessHandle::destroy);
      end(daemon, TERMINATE_SECONDS);
      state.remove(daemon.id + ".pid");
      state.remove(daemon.id + ".started");
    }
    save();
  }

  /** Kills all servers of the cluster at once. Their data may be lost. */
  public void kill() {
    for (Daemon daemon : daemons()) {
      handle(daemon).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  private void end(Daemon daemon, long seconds) {
    handle(daemon)
        .ifPresent(
            server -> {
              if (!StartUp.ended(server, seconds)) {
                server.destroyForcibly();
                StartUp.ended(server, StandaloneHBase.KILL_SECONDS);
              }
            });
  }

  /** Returns the process of a server that the cluster started, if it still runs. */
  private Optional<ProcessHandle> handle(Daemon daemon) {
    String pid = state.getProperty(daemon.id + ".pid");
    if (pid == null) {
      return Optional.empty();
    }
    return ProcessHandle.of(Long.parseLong(pid))
        .filter(ProcessHandle::isAlive)
        .filter(
            process ->
                process
                    .info()
                    .startInstant()
                    .orElse(Instant.EPOCH)
                    .toString()
                    .equals(state.getProperty(daemon.id + ".started")));
  }

  private boolean accepts(Daemon daemon) {
    return Loopback.accepts(port(daemon.id));
  }

  private int port(String name) {
    return Integer.parseInt(state.getProperty(name + ".port", "0"));
  }

  private String tail(String name) {
    return ServerJvm.tail(List.of(logs().resolve(name + ".out"), logs().resolve(name + ".log")));
  }

  private void save() throws IOException {
    try (OutputStream out = Files.newOutputStream(directory.resolve(STATE))) {
      state.store(out, null);
    }
  }
}
