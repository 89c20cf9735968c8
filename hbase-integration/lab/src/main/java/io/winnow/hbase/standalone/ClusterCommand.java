package io.winnow.hbase.standalone;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code ./winnow cluster start|status|restart|stop}: starts, shows or stops a small
 * HBase cluster on this machine, or restarts one of its servers.
 */
@Command(name = "winnow cluster")
public final class ClusterCommand extends Program {

  private static final int NOT_UP = 3;

  @Parameters(index = "0", arity = "0..1")
  private String task = "";

  @Parameters(index = "1", arity = "0..1")
  private String server;

  @Option(names = "--dir")
  private String named;

  @Option(names = "--stock")
  private boolean stock;

  @Option(names = "--ui")
  private boolean ui = WebPages.areThere();

  @Option(names = "--no-ui")
  private boolean withoutPages;

  @Option(names = "--jar")
  private Path jar;

  private Path directory;
  private Progress progress;

  public static void main(String[] args) {
    main(ClusterCommand::new, args);
  }

  /** Returns the directory for the cluster's data if the user names none. */
  public static Path defaultDirectory() {
    return Path.of(System.getProperty("winnow.home", ""), "target", "cluster").toAbsolutePath();
  }

  @Override
  protected void check() {
    if (!List.of("start", "status", "restart", "stop").contains(task)) {
      throw new IllegalArgumentException("name one of start, status, restart, stop");
    }
    if (task.equals("restart") != (server != null)) {
      throw new IllegalArgumentException("restart needs a server, as status names it");
    }
    if (jar != null && stock) {
      throw new IllegalArgumentException("--jar and --stock exclude each other");
    }
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    progress = new Progress(err, 0);
    directory = named == null ? defaultDirectory() : Path.of(named);
    if (task.equals("start")) {
      return start();
    }
    if (task.equals("restart")) {
      return restart();
    }
    Optional<LocalCluster> cluster = LocalCluster.in(directory);
    boolean stops = task.equals("stop");
    if (cluster.isEmpty()) {
      out.println("There is no cluster in " + directory);
      return stops ? 0 : NOT_UP;
    }
    return stops ? stop(cluster.get(), named == null) : status(cluster.get());
  }

  private int start() throws IOException, InterruptedException {
    Path agent = agent();
    LocalCluster cluster =
        LocalCluster.start(directory, agent, 1, Map.of(), ui && !withoutPages, this::report);
    print(cluster);
    out.printf(
        "The cluster is up in %s%n  hbase.zookeeper.quorum               127.0.0.1%n "
            + " hbase.zookeeper.property.clientPort  %d%n  settings                            "
            + " %s%n  logs                                 %s%n",
        directory, cluster.zooKeeperPort(), cluster.conf(), cluster.logs());
    List<String> pages = agent == null ? List.of() : cluster.pages();
    pages.forEach(address -> out.println("  pages                                " + address));
    out.print(
        agent == null
            ? TableCommand.stockSteps(cluster.conf(), restarts(cluster))
            : TableCommand.firstSteps(cluster.conf(), pages.isEmpty() ? null : pages.get(0)));
    return 0;
  }

  /** Returns lines to copy that restart each server of HBase with the agent. */
  private String restarts(LocalCluster cluster) {
    return cluster.hbaseServers().stream().map(this::restartLine).collect(Collectors.joining());
  }

  /** Returns a line to copy that restarts a server of HBase in the cluster. */
  private String restartLine(String name, String... options) {
    List<Object> words = new ArrayList<>(List.of("cluster", "restart", name));
    if (named != null) {
      words.addAll(List.of("--dir", directory.toAbsolutePath()));
    }
    words.addAll(List.of(options));
    return TableCommand.launcherLine(words);
  }

  /** Returns the agent's jar; null for stock HBase. */
  private Path agent() throws IOException {
    if (jar != null && !Files.isRegularFile(jar)) {
      throw new IOException("there is no jar " + jar);
    }
    return stock ? null : jar != null ? jar : ServerJvm.launchersAgent();
  }

  private int restart() throws IOException, InterruptedException {
    Optional<LocalCluster> cluster = LocalCluster.in(directory);
    if (cluster.isEmpty() || !cluster.get().runs()) {
      throw new IOException("there is no cluster in " + directory + ": start it first");
    }
    Path agent = agent();
    cluster.get().restart(server, agent, this::report);
    print(cluster.get());
    if (agent == null) {
      out.println(server + " runs without the agent");
    } else {
      out.println(server + " runs with " + agent);
      cluster.get().page(server).ifPresent(address -> out.println("  page " + address));
      out.printf("Without it again:%n%s", restartLine(server, "--stock"));
    }
    return 0;
  }

  private int status(LocalCluster cluster) {
    print(cluster);
    return cluster.isUp() ? 0 : NOT_UP;
  }

  private void print(LocalCluster cluster) {
    Table table = new Table("", "server", "process", "port", "state");
    for (LocalCluster.Status server : cluster.status()) {
      table.row(
          server.name(),
          server.running() ? Long.toString(server.pid()) : "-",
          Integer.toString(server.port()),
          server.accepting() ? "up" : server.running() ? "not up" : "stopped");
    }
    out.print(table.plain());
  }

  private int stop(LocalCluster cluster, boolean delete) throws IOException, InterruptedException {
    cluster.stop(this::report);
    if (delete) {
      ScratchDirectory.delete(directory);
    }
    out.println("The cluster is stopped" + (delete ? ", and its data deleted" : ""));
    return 0;
  }

  private void report(String message) {
    progress.step(0, "cluster", message);
  }
}
