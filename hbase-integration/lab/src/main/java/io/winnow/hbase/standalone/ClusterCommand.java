package io.winnow.hbase.standalone;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code ./winnow cluster start|status|stop}: starts, shows or stops a small HBase
 * cluster on this machine.
 */
@Command(name = "winnow cluster")
public final class ClusterCommand extends Program {

  private static final int NOT_UP = 3;

  @Parameters(arity = "0..1")
  private String task = "";

  @Option(names = "--dir")
  private String named;

  @Option(names = "--stock")
  private boolean stock;

  @Option(names = "--ui")
  private boolean ui;

  private Path directory;

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(new ClusterCommand().run(System.out, System.err, args));
  }

  /** Returns the directory for the cluster's data if the user names none. */
  public static Path defaultDirectory() {
    return Path.of(System.getProperty("winnow.home", ""), "target", "cluster").toAbsolutePath();
  }

  @Override
  protected void check() {
    if (!List.of("start", "status", "stop").contains(task)) {
      throw new IllegalArgumentException("name one of start, status, stop");
    }
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    directory = named == null ? defaultDirectory() : Path.of(named);
    return switch (task) {
      case "start" -> start();
      case "status" -> status();
      default -> stop(named == null);
    };
  }

  private int start() throws IOException, InterruptedException {
    String agent = stock ? null : System.getProperty("winnow.agent.jar");
    LocalCluster cluster =
        LocalCluster.start(directory, agent == null ? null : Path.of(agent), ui, this::report);
    print(cluster);
    out.printf(
        "The cluster is up in %s%n  hbase.zookeeper.quorum               127.0.0.1%n "
            + " hbase.zookeeper.property.clientPort  %d%n  settings                            "
            + " %s%n  logs                                 %s%n",
        directory, cluster.zooKeeperPort(), cluster.conf(), cluster.logs());
    cluster
        .pages()
        .forEach(address -> out.println("  pages                                " + address));
    return 0;
  }

  private int status() throws IOException {
    Optional<LocalCluster> cluster = LocalCluster.in(directory);
    if (cluster.isEmpty()) {
      out.println("There is no cluster in " + directory);
      return NOT_UP;
    }
    print(cluster.get());
    return cluster.get().isUp() ? 0 : NOT_UP;
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

  private int stop(boolean delete) throws IOException, InterruptedException {
    Optional<LocalCluster> cluster = LocalCluster.in(directory);
    if (cluster.isEmpty()) {
      out.println("There is no cluster in " + directory);
      return 0;
    }
    cluster.get().stop(this::report);
    if (delete) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
    out.println("The cluster is stopped" + (delete ? ", and its data deleted" : ""));
    return 0;
  }

  private void report(String message) {
    err.println("  " + message);
  }
}
