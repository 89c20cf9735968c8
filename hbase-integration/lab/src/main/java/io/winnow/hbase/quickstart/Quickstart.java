package io.winnow.hbase.quickstart;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow quickstart}: makes one table per kind of filter, with the same rows
 * in each, in a real HBase that it starts. It loads, flushes, compacts, reads present and absent
 * rows through HBase's client, and at the end reads every row once more.
 */
@Command(name = "winnow quickstart")
public final class Quickstart extends Program {

  static final int MAX_ROWS = 100_000_000;

  private static final int ROWS_LOST = 2;

  @Option(names = "--rows")
  @Range(min = 2, max = MAX_ROWS)
  int rows = 1_000_000;

  @Option(names = "--keys")
  Path ownKeys;

  @Option(names = "--json")
  Path json;

  @Option(names = "--keep")
  Path keep;

  @Option(names = "--port")
  @Range(min = 0, max = 65535)
  int port;

  @Option(names = "--ui")
  private boolean ui;

  private RowKeys keys;

  public static void main(String[] args) {
    main(Quickstart::new, args);
  }

  @Override
  protected void check() {
    exclude("rows", "keys");
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    try {
      UserFiles.requireWritable(json);
      keys = ownKeys == null ? RowKeys.generate(rows) : RowKeys.read(ownKeys);
      Results results = runIn(directory(), commandLine() + (ownKeys == null ? "" : " --keys FILE"));
      if (keep != null) {
        out.printf(
            "%nThe data is in %s. To start HBase on it again, and how to connect:%n"
                + "  ./winnow hbase '%s' --port 2181%n"
                + "  hbase.zookeeper.quorum=127.0.0.1, hbase.zookeeper.property.clientPort=2181,"
                + " tables %s%n",
            keep,
            keep,
            String.join(
                ", ",
                QuickstartTables.KINDS.stream()
                    .map(kind -> QuickstartTables.table(kind).getNameAsString())
                    .toList()));
      }
      long lost = Math.round(results.sum(QuickstartRun.BENCHMARK, QuickstartRun.ROWS_LOST));
      if (lost != 0) {
        err.println("winnow quickstart: " + lost + " ROWS WERE LOST");
        return ROWS_LOST;
      }
      return DONE;
    } catch (RuntimeException e) {
      throw new IOException(e.toString(), e);
    }
  }

  /**
   * Returns the directory for HBase's data: the user's, or one that is deleted when this JVM ends.
   */
  private Path directory() throws IOException {
    if (keep == null) {
      return ScratchDirectory.create(null, "winnow-quickstart-");
    }
    if (Files.exists(keep)) {
      if (!Files.isDirectory(keep)) {
        throw new IOException(keep + " is taken: not a directory");
      }
      if (ScratchDirectory.hasEntries(keep)) {
        throw new IOException("the directory " + keep + " is taken: not empty");
      }
    }
    return keep;
  }

  private Results runIn(Path directory, String command) throws IOException, InterruptedException {
    err.printf("%,d rows%s%n", keys.size(), leftOut());
    StandaloneHBase.Builder builder =
        StandaloneHBase.builder(directory)
            .launchersAgent()
            .zooKeeperPort(port)
            // Compacted files are archived at once, so that only live files are measured.
            .property("hbase.hfile.compaction.discharger.interval", "1000")
            // HBase compacts only on request.
            .property("hbase.hstore.compaction.min", "100");
    // HBase's client makes a directory for itself, which must not stay in /tmp.
    System.setProperty("hbase.tmp.dir", directory.resolve("tmp").toString());
    if (keep == null) {
      builder.throwaway();
    }
    if (ui) {
      builder.ui();
    }
    Progress starting = Progress.counting(err, "Starting HBase in " + directory, "", 0);
    StandaloneHBase hbase = builder.start();
    starting.close();
    Thread watcher = watch(hbase);
    try (Connection connection = ConnectionFactory.createConnection(hbase.configuration())) {
      QuickstartTables tables = new QuickstartTables(hbase, connection, keys, err);
      if (ui) {
        out.println("HBase's pages, with Winnow's: " + hbase.pages());
      }
      Results results = new QuickstartRun(tables, keys, err).measure(command);
      out.print(text(results));
      if (json != null) {
        Files.writeString(json, results.json());
      }
      if (ui) {
        out.println("\nHBase's pages, with Winnow's: " + hbase.pages() + " (Ctrl-C ends it)");
        hbase.waitFor();
      }
      return results;
    } catch (IOException | InterruptedException | RuntimeException e) {
      if (hbase.isLost()) {
        throw new IOException("HBase ended while it was being used\n" + hbase.tail(), e);
      }
      throw e;
    } finally {
      end(watcher);
      if (keep == null) {
        hbase.kill();
      } else {
        Progress stopping = Progress.counting(err, "Stopping HBase", "", 0);
        hbase.close();
        stopping.close();
      }
    }
  }

  /** Returns the results as text for people: the conclusion, notes, and the table. */
  static String text(Results results) {
    PageTemplate page = new PageTemplate(Quickstart.class, "quickstart.ftl", results, Map.of());
    return page.markdown() + page.text();
  }

  /**
   * Starts a thread that interrupts the calling one when HBase is lost, because HBase's client
   * would try again for many minutes.
   */
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
   * Stops the thread that watches HBase, before HBase is shut down, so that the shutdown does not
   * count as a loss. The watcher may still interrupt this thread once more at this moment; the
   * interrupt is cleared, because it must not keep this thread from ending HBase.
   */
  private static void end(Thread watcher) {
    watcher.interrupt();
    while (watcher.isAlive()) {
      try {
        watcher.join();
      } catch (InterruptedException e) {
        // by the watcher, whose finding is reported already
      }
    }
    Thread.interrupted();
  }

  private String leftOut() {
    List<String> counts = new ArrayList<>();
    if (keys.duplicates > 0) {
      counts.add(String.format(Locale.ROOT, "%,d repeated", keys.duplicates));
    }
    if (keys.emptyLines > 0) {
      counts.add(String.format(Locale.ROOT, "%,d empty", keys.emptyLines));
    }
    return counts.isEmpty() ? "" : " (lines left out: " + String.join(", ", counts) + ")";
  }
}
