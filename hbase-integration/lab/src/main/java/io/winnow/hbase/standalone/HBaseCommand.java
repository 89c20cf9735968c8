package io.winnow.hbase.standalone;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code ./winnow hbase DIR}: runs a standalone HBase on a directory, in the
 * foreground, until Ctrl-C.
 */
@Command(name = "winnow hbase")
public final class HBaseCommand extends Program {

  @Parameters(arity = "0..1")
  private Path directory;

  @Option(names = "--port")
  @Range(min = 0, max = 65535)
  private int port;

  @Option(names = "--stock")
  private boolean stock;

  @Option(names = "--ui")
  private boolean ui = WebPages.areThere();

  @Option(names = "--no-ui")
  private boolean withoutPages;

  public static void main(String[] args) {
    main(HBaseCommand::new, args);
  }

  @Override
  protected void check() {
    if (directory == null) {
      throw new IllegalArgumentException("one directory is needed");
    }
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    if (Files.isDirectory(directory)
        && !Files.isDirectory(directory.resolve("hbase"))
        && ScratchDirectory.hasEntries(directory)) {
      throw new IOException(
          "the directory %s is neither empty nor a directory in which winnow hbase was started"
              .formatted(directory));
    }
    // HBase's client makes a directory for itself, which must not stay in /tmp.
    System.setProperty("hbase.tmp.dir", directory.resolve("tmp").toString());
    Progress progress = new Progress(err, 0);
    StandaloneHBase.Builder builder =
        StandaloneHBase.builder(directory)
            .agent(stock ? null : ServerJvm.launchersAgent())
            .zooKeeperPort(port)
            .progress(message -> progress.step(0, "HBase", message));
    boolean hasPages = ui && !withoutPages;
    if (hasPages) {
      builder.ui();
    }
    try (StandaloneHBase hbase = builder.start()) {
      progress.close();
      out.printf(
          "HBase is up in %s%n  hbase.zookeeper.quorum               127.0.0.1%n "
              + " hbase.zookeeper.property.clientPort  %d%n  log                                 "
              + " %s%n",
          directory, hbase.zooKeeperPort(), hbase.logFile());
      String page = hasPages && !stock ? hbase.pages() : null;
      if (page != null) {
        out.printf("  pages                                %s%n", page);
      }
      Path conf = directory.resolve("conf");
      out.print(stock ? TableCommand.stockSteps(conf, "") : TableCommand.firstSteps(conf, page));
      out.println("Ctrl-C stops it.");
      return hbase.waitFor();
    }
  }
}
