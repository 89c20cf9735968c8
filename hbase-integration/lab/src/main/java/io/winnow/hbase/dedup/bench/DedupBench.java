package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow dedup bench}: compares ways to write rows to HBase so that each row
 * is stored once.
 */
@Command(name = "winnow dedup bench")
public final class DedupBench extends Program {
  private static final int WRONG_ROWS = 2;
  private static final long MEBIBYTE = 1 << 20;

  /** Approximate seconds until a standalone HBase serves its tables. */
  private static final double START_SECONDS = 12;

  @Option(names = "--memory")
  private String memorySize;

  /** Memory of the de-duplicator's filter, in bytes. */
  long memory;

  /** Number of rows that one request to the table or to the de-duplicator writes. */
  @Option(names = "--batch")
  @Range(min = 1, max = 100_000)
  int batch = 1000;

  /** Number of threads that write rows to HBase at the same time. */
  @Option(names = "--threads")
  @Range(min = 1, max = 64)
  int threads = 2;

  /**
   * Number of rows that each way of writing writes in one turn with 90 % new rows; in turns with
   * other shares of new rows it is half of this.
   */
  @Option(names = "--rows")
  @Range(min = 100, max = 1_000_000)
  Integer rows;

  /**
   * Number of rounds with 90 % new rows, in each of which every compared way of writing has one
   * turn.
   */
  @Option(names = "--rounds")
  @Range(min = 1, max = 1000)
  Integer rounds;

  /**
   * Number of rounds with each share of repeated rows other than 10 %; 0 to leave these shares out.
   */
  @Option(names = "--sweep-rounds")
  @Range(min = 0, max = 1000)
  Integer sweepRounds;

  @Option(names = "--quick")
  boolean quick;

  @Option(names = "--dir")
  private Path directory;

  @Option(names = "--json")
  private Path json;

  @Option(names = "--plots")
  private Path plots;

  @Option(names = "--report")
  private boolean report;

  private final Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();
  private Path scratch;

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(new DedupBench().run(System.out, System.err, args));
  }

  @Override
  protected void check() {
    rows = rows != null ? rows : quick ? 2000 : 10_000;
    rounds = rounds != null ? rounds : quick ? 2 : 12;
    sweepRounds = sweepRounds != null ? sweepRounds : quick ? 0 : 6;
    String size = memorySize != null ? memorySize : quick ? "0.5M" : "4M";
    String number = size.toUpperCase(Locale.ROOT).replaceFirst("M$", "");
    memory = (long) (number("memory", number, 0.5, 1024) * MEBIBYTE);
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    if (report) {
      DedupPage.renew(home);
      return DONE;
    }
    UserFiles.requireWritable(json);
    scratch = ScratchDirectory.create(directory, "winnow-dedup-");
    return measure();
  }

  /** Starts a line of progress for rows that are loaded. */
  Progress loading() {
    return Progress.counting(err, "rows loaded");
  }

  private int measure() throws IOException, InterruptedException {
    Results results = new Results(Machine.setting(commandLine()));
    List<SetRun> sets = SetRun.all(this, scratch);
    double seconds = sets.stream().mapToDouble(SetRun::seconds).sum();
    Progress progress = new Progress(err, START_SECONDS + seconds);
    Contest contest = new Contest(results, progress);
    long wrong = 0;
    try (StandaloneHBase hbase =
        StandaloneHBase.builder(scratch.resolve("hbase"))
            .heap("2g")
            .throwaway()
            .progress(message -> err.println("  " + message))
            .start()) {
      progress.step(START_SECONDS, "HBase", "started");
      Configuration client = hbase.configuration();
      client.setBoolean(Calls.ENABLED, true);
      try (Connection connection = ConnectionFactory.createConnection(client)) {
        for (int i = 0; i < sets.size(); i++) {
          wrong += sets.get(i).run(hbase, connection, contest, scratch.resolve("filter-" + i));
        }
      } finally {
        hbase.kill(); // its data is not needed
      }
    }
    Results done = results.withSeconds(Math.round(progress.seconds()));
    publish(done);
    if (wrong > 0) {
      out.println(wrong + " ROWS WERE LOST OR DOUBLED: this must not be. Please report it.");
      return WRONG_ROWS;
    }
    return DONE;
  }

  private void publish(Results results) throws IOException {
    Path shown = plots != null ? plots : home.resolve("hbase-integration/target/dedup");
    DedupPage.of(results, "").publish(out, shown);
    if (json != null) {
      Files.writeString(json, results.json());
    } else if (!quick) {
      out.println("results: " + DedupPage.results(home).write(results, DedupPage.OF_DEDUP));
    }
  }
}
