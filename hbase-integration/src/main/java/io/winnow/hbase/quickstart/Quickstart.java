package io.winnow.hbase.quickstart;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * {@code ./winnow quickstart}: one table per kind of filter, the same rows in each, in a real HBase
 * that is started for it; load, flush, major compaction, reads of hits and misses through HBase's
 * client, and at the end every row once more.
 */
public final class Quickstart {

  private static final int EXIT_FAILED = 1;
  private static final int EXIT_ROWS_LOST = 2;
  private static final int EXIT_USAGE = 64;

  private final QuickstartOptions options;
  private final PrintStream progress;
  private final RowKeys keys;

  private Quickstart(QuickstartOptions options, PrintStream progress, RowKeys keys) {
    this.options = options;
    this.progress = progress;
    this.keys = keys;
  }

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(run(args));
  }

  private static int run(String[] args) {
    QuickstartOptions options;
    try {
      options = QuickstartOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("winnow quickstart: " + e.getMessage() + "\n" + QuickstartOptions.USAGE);
      return EXIT_USAGE;
    }
    if (options.help()) {
      System.out.println(QuickstartOptions.USAGE);
      return 0;
    }
    try {
      UserFiles.requireWritable(options.json());
      RowKeys keys =
          options.keys() == null ? RowKeys.generate(options.rows()) : RowKeys.read(options.keys());
      Report report =
          new Quickstart(options, System.err, keys).runIn(directory(options), command(args));
      System.out.print("\n" + report.text());
      if (options.json() != null) {
        Files.writeString(options.json(), report.json());
      }
      if (options.keep() != null) {
        System.out.printf(
            "%nThe data is in %s. To start HBase on it again, and how to connect:%n"
                + "  ./winnow hbase '%s' --port 2181%n"
                + "  hbase.zookeeper.quorum=127.0.0.1, hbase.zookeeper.property.clientPort=2181,"
                + " tables %s%n",
            options.keep(),
            options.keep(),
            String.join(
                ", ",
                QuickstartTables.KINDS.stream()
                    .map(kind -> kind.table().getNameAsString())
                    .toList()));
      }
      if (report.rowsLost() != 0) {
        System.err.println("winnow quickstart: " + report.rowsLost() + " ROWS WERE LOST");
        return EXIT_ROWS_LOST;
      }
      return 0;
    } catch (InterruptedException e) {
      System.err.println("winnow quickstart: interrupted");
      return EXIT_FAILED;
    } catch (IOException | ExecutionException | RuntimeException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      System.err.println(
          "winnow quickstart: "
              + (cause instanceof IOException io ? UserFiles.sentence(io) : cause));
      return EXIT_FAILED;
    }
  }

  /** As it is told in the result: without names of files. */
  private static String command(String... args) {
    StringBuilder command = new StringBuilder("./winnow quickstart");
    for (int i = 0; i < args.length; i++) {
      String name = args[i].split("=", 2)[0];
      if (name.equals("--rows")) {
        command.append(' ').append(args[i]);
        command.append(args[i].contains("=") ? "" : " " + args[++i]);
      } else if (name.equals("--keys")) {
        command.append(" --keys FILE");
      }
    }
    return command.toString();
  }

  /** Where the data goes: the user's directory, or one that is deleted whatever happens. */
  private static Path directory(QuickstartOptions options) throws IOException {
    if (options.keep() == null) {
      return ScratchDirectory.create(null, "winnow-quickstart-");
    }
    Path directory = options.keep();
    if (Files.exists(directory)) {
      if (!Files.isDirectory(directory)) {
        throw new IOException(directory + " is taken: not a directory");
      }
      try (var entries = Files.list(directory)) {
        if (entries.findAny().isPresent()) {
          throw new IOException("the directory " + directory + " is taken: not empty");
        }
      }
    }
    return directory;
  }

  private Report runIn(Path directory, String command)
      throws IOException, InterruptedException, ExecutionException {
    progress.printf("%,d rows%s%n", keys.size(), leftOut());
    StandaloneHBase.Builder builder =
        StandaloneHBase.builder(directory)
            .zooKeeperPort(options.port())
            // Compacted files are put away at once: what is left is what is measured.
            .property("hbase.hfile.compaction.discharger.interval", "1000")
            .progress(message -> progress.println("  " + message));
    // HBase's client makes a directory for itself: not one that stays in /tmp.
    System.setProperty("hbase.tmp.dir", directory.resolve("tmp").toString());
    String agent = System.getProperty("winnow.agent.jar");
    if (agent != null) {
      builder.agent(Path.of(agent));
    }
    if (options.keep() == null) {
      builder.throwaway();
    }
    Progress starting = Progress.counting(progress, "Starting HBase in " + directory, "", 0);
    StandaloneHBase hbase = builder.start();
    starting.close();
    Thread watcher = watch(hbase);
    try (Connection connection = ConnectionFactory.createConnection(hbase.configuration());
        QuickstartTables tables = new QuickstartTables(hbase, connection, keys, progress)) {
      return new QuickstartRun(tables, keys, progress).measure(command);
    } catch (IOException | ExecutionException | InterruptedException e) {
      if (hbase.isLost()) {
        throw new IOException("HBase ended while it was being used\n" + hbase.tail(), e);
      }
      throw e;
    } finally {
      end(watcher);
      if (options.keep() == null) {
        hbase.kill();
      } else {
        Progress stopping = Progress.counting(progress, "Stopping HBase", "", 0);
        hbase.close();
        stopping.close();
      }
    }
  }

  /** Interrupts this thread if HBase is lost: its client would try again for many minutes. */
  private static Thread watch(StandaloneHBase hbase) {
    Thread user = Thread.currentThread();
    Thread watcher =
        new Thread(
            () -> {
              try {
                while (!hbase.isLost()) {
                  TimeUnit.SECONDS.sleep(2);
                }
                user.interrupt();
              } catch (InterruptedException e) {
                // HBase is not used any more.
              }
            },
            "quickstart-watch");
    watcher.setDaemon(true);
    watcher.start();
    return watcher;
  }

  /**
   * Before HBase is ended: that is no loss. A watcher that found one in this moment may interrupt
   * this thread once more, which must not keep it from ending HBase.
   */
  private static void end(Thread watcher) {
    watcher.interrupt();
    while (watcher.isAlive()) {
      try {
        watcher.join();
      } catch (InterruptedException e) {
        // by the watcher: what it found is told already
      }
    }
    Thread.interrupted();
  }

  private String leftOut() {
    List<String> counts = new ArrayList<>();
    if (keys.duplicates() > 0) {
      counts.add(String.format(Locale.ROOT, "%,d repeated", keys.duplicates()));
    }
    if (keys.emptyLines() > 0) {
      counts.add(String.format(Locale.ROOT, "%,d empty", keys.emptyLines()));
    }
    return counts.isEmpty() ? "" : " (lines left out: " + String.join(", ", counts) + ")";
  }
}
