package io.winnow.hbase.standalone;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.command.Help;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hbase.thirdparty.org.apache.commons.cli.CommandLine;
import org.apache.hbase.thirdparty.org.apache.commons.cli.DefaultParser;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Option;
import org.apache.hbase.thirdparty.org.apache.commons.cli.Options;
import org.apache.hbase.thirdparty.org.apache.commons.cli.ParseException;

/**
 * {@code ./winnow hbase DIR}: a standalone HBase on a directory, in the foreground, till Ctrl-C.
 */
public final class HBaseCommand {

  private static final String USAGE = Help.of("hbase");

  private HBaseCommand() {}

  public static void main(String[] args) throws InterruptedException {
    QuietEnd.install();
    System.exit(run(args));
  }

  private static int run(String[] args) throws InterruptedException {
    Options options =
        new Options()
            .addOption(Option.builder().longOpt("port").hasArg().build())
            .addOption(Option.builder().longOpt("stock").build())
            .addOption(Option.builder("h").longOpt("help").build());
    CommandLine line;
    int port;
    try {
      line = new DefaultParser(false).parse(options, args);
      port = (int) Arguments.number("port", line.getOptionValue("port", "0"), 0, 65535);
    } catch (ParseException | IllegalArgumentException e) {
      System.err.println("winnow hbase: " + e.getMessage() + "\n" + USAGE);
      return 64;
    }
    if (line.hasOption("help")) {
      System.out.println(USAGE);
      return 0;
    }
    if (line.getArgs().length != 1) {
      System.err.println("winnow hbase: one directory is needed\n" + USAGE);
      return 64;
    }
    Path directory = Path.of(line.getArgs()[0]).toAbsolutePath().normalize();
    String agent = System.getProperty("winnow.agent.jar");
    try {
      if (Files.isDirectory(directory) && !Files.isDirectory(directory.resolve("hbase"))) {
        try (var entries = Files.list(directory)) {
          if (entries.findAny().isPresent()) {
            throw new IOException(
                "the directory "
                    + directory
                    + " is neither empty nor one that an HBase of ours was started in");
          }
        }
      }
      // HBase's client makes a directory for itself: not one that stays in /tmp.
      System.setProperty("hbase.tmp.dir", directory.resolve("tmp").toString());
      StandaloneHBase.Builder builder =
          StandaloneHBase.builder(directory)
              .zooKeeperPort(port)
              .progress(message -> System.err.println("  " + message));
      if (agent != null && !line.hasOption("stock")) {
        builder.agent(Path.of(agent));
      }
      try (StandaloneHBase hbase = builder.start()) {
        System.out.printf(
            "HBase is up in %s%n  hbase.zookeeper.quorum               127.0.0.1%n"
                + "  hbase.zookeeper.property.clientPort  %d%n  log                                  %s%n"
                + "Ctrl-C stops it.%n",
            directory, hbase.zooKeeperPort(), hbase.logFile());
        return hbase.waitFor();
      }
    } catch (IOException e) {
      System.err.println("winnow hbase: " + UserFiles.sentence(e));
      return 1;
    }
  }
}
