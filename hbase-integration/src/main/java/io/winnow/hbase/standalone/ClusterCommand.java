package io.winnow.hbase.standalone;

import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.command.Help;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hbase.thirdparty.org.apache.commons.cli.CommandLine;
import org.apache.hbase.thirdparty.org.apache.commons.cli.DefaultParser;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Option;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Options;
import org.apache.hbase.thirdparty.org.apache.commons.cli.ParseException;

/** {@code ./winnow cluster start|status|stop}: a small cluster on this machine. */
public final class ClusterCommand {

  private static final String USAGE = Help.of("cluster");

  private static final int EXIT_FAILED = 1;
  private static final int EXIT_NOT_UP = 3;
  private static final int EXIT_USAGE = 64;

  private ClusterCommand() {}

  public static void main(String[] args) throws InterruptedException {
    QuietEnd.install();
    System.exit(run(args));
  }

  /** Where the cluster is when nobody says. */
  public static Path defaultDirectory() {
    return Path.of(System.getProperty("winnow.home", ""), "target", "cluster").toAbsolutePath();
  }

  private static int run(String[] args) throws InterruptedException {
    Options options =
        new Options()
            .addOption(Option.builder().longOpt("dir").hasArg().build())
            .addOption(Option.builder().longOpt("stock").build())
            .addOption(Option.builder("h").longOpt("help").build());
    CommandLine line;
    try {
      line = new DefaultParser(false).parse(options, args);
    } catch (ParseException e) {
      System.err.println("winnow cluster: " + e.getMessage() + "\n" + USAGE);
      return EXIT_USAGE;
    }
    if (line.hasOption("help")) {
      System.out.println(USAGE);
      return 0;
    }
    if (line.getArgs().length != 1
        || !List.of("start", "status", "stop").contains(line.getArgs()[0])) {
      System.err.println("winnow cluster: one of start, status, stop is needed\n" + USAGE);
      return EXIT_USAGE;
    }
    boolean ours = !line.hasOption("dir");
    Path directory = ours ? defaultDirectory() : Path.of(line.getOptionValue("dir"));
    try {
      return switch (line.getArgs()[0]) {
        case "start" -> start(directory, line.hasOption("stock"));
        case "status" -> status(directory);
        default -> stop(directory, ours);
      };
    } catch (IOException e) {
      System.err.println("winnow cluster: " + UserFiles.sentence(e));
      return EXIT_FAILED;
    }
  }

  private static int start(Path directory, boolean stock) throws IOException, InterruptedException {
    String agent = stock ? null : System.getProperty("winnow.agent.jar");
    LocalCluster cluster =
        LocalCluster.start(directory, agent == null ? null : Path.of(agent), ClusterCommand::tell);
    print(cluster);
    System.out.printf(
        "The cluster is up in %s%n  hbase.zookeeper.quorum               127.0.0.1%n"
            + "  hbase.zookeeper.property.clientPort  %d%n  settings                             %s%n"
            + "  logs                                 %s%n",
        directory, cluster.zooKeeperPort(), cluster.conf(), cluster.logs());
    return 0;
  }

  private static int status(Path directory) throws IOException {
    Optional<LocalCluster> cluster = LocalCluster.in(directory);
    if (cluster.isEmpty()) {
      System.out.println("There is no cluster in " + directory);
      return EXIT_NOT_UP;
    }
    print(cluster.get());
    return cluster.get().isUp() ? 0 : EXIT_NOT_UP;
  }

  private static void print(LocalCluster cluster) {
    Table table = new Table("", "server", "process", "port", "state");
    for (LocalCluster.Status server : cluster.status()) {
      table.row(
          server.name(),
          server.running() ? Long.toString(server.pid()) : "-",
          Integer.toString(server.port()),
          server.accepting() ? "up" : server.running() ? "not up" : "stopped");
    }
    System.out.print(table.plain());
  }

  private static int stop(Path directory, boolean delete) throws IOException, InterruptedException {
    Optional<LocalCluster> cluster = LocalCluster.in(directory);
    if (cluster.isEmpty()) {
      System.out.println("There is no cluster in " + directory);
      return 0;
    }
    cluster.get().stop(ClusterCommand::tell);
    if (delete) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
    System.out.println("The cluster is stopped" + (delete ? ", and its data deleted" : ""));
    return 0;
  }

  private static void tell(String message) {
    System.err.println("  " + message);
  }
}
