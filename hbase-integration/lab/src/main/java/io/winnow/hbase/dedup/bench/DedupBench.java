package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.contest.Measuring;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
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
public final class DedupBench extends Measuring {
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

  public static void main(String[] args) {
    main(DedupBench::new, args);
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
  protected void renew() throws IOException {
    DedupPage.renew(home);
  }

  @Override
  protected int measure() throws IOException, InterruptedException {
    Path scratch = ScratchDirectory.create(directory, "winnow-dedup-");
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
            .progress(message -> progress.step(0, "HBase", message))
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
    int code = publish(DedupPage.of(done, ""), "dedup", done.json(), wrong);
    if (json == null && !quick) {
      out.println("results: " + DedupPage.results(home).write(done, DedupPage.OF_DEDUP));
    }
    return code;
  }
}
