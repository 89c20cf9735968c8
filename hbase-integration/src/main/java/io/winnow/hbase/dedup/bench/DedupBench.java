package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import io.winnow.hbase.standalone.StandaloneHBase;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/** What {@code ./winnow dedup bench} runs. */
public final class DedupBench {
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_WRONG_ROWS = 2;
  private static final int EXIT_USAGE = 64;

  private final BenchOptions options;
  private final Path home;
  private final Path scratch;
  private final PrintStream err;

  private DedupBench(BenchOptions options, Path home, Path scratch, PrintStream err) {
    this.options = options;
    this.home = home;
    this.scratch = scratch;
    this.err = err;
  }

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(run(System.out, System.err, args));
  }

  /** What the command returns to the shell. */
  static int run(PrintStream out, PrintStream err, String... args) {
    BenchOptions options;
    try {
      options = BenchOptions.parse(args);
    } catch (IllegalArgumentException e) {
      err.println("winnow dedup bench: " + e.getMessage() + "\n" + BenchOptions.USAGE);
      return EXIT_USAGE;
    }
    if (options.help()) {
      out.println(BenchOptions.USAGE);
      return 0;
    }
    Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();
    try {
      if (options.report()) {
        DedupPage.renew(home);
        return 0;
      }
      UserFiles.requireWritable(options.json());
      Path scratch = ScratchDirectory.create(options.directory(), "winnow-dedup-");
      return new DedupBench(options, home, scratch, err).measure(out, BenchOptions.command(args));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return EXIT_FAILED;
    } catch (IOException e) {
      err.println("winnow dedup bench: " + UserFiles.sentence(e));
      return EXIT_FAILED;
    }
  }

  private int measure(PrintStream out, String command) throws IOException, InterruptedException {
    Results results =
        new Results(Machine.setting(System.getProperty("winnow.commit", "unknown"), command));
    long memoryEntries = SetSize.memoryEntries(options, scratch);
    List<SetSize> sets = List.of(SetSize.fits(memoryEntries), SetSize.tenTimes(memoryEntries));
    Progress progress = new Progress(err, sets.stream().mapToDouble(this::weight).sum());
    long wrong = 0;
    try (StandaloneHBase hbase =
        StandaloneHBase.builder(scratch.resolve("hbase")).heap("2g").throwaway().start()) {
      Configuration client = hbase.configuration();
      client.setBoolean(Calls.ENABLED, true);
      try (Connection connection = ConnectionFactory.createConnection(client)) {
        for (int i = 0; i < sets.size(); i++) {
          wrong +=
              new SetRun(options, hbase, connection, sets.get(i), results, progress)
                  .run(scratch.resolve("filter-" + i));
        }
      } finally {
        hbase.kill(); // nobody wants its data
      }
    }
    Results done = results.lasting(Math.round(progress.seconds()));
    publish(out, done);
    if (wrong > 0) {
      out.println(wrong + " ROWS WERE LOST OR DOUBLED: this must not be. Please report it.");
      return EXIT_WRONG_ROWS;
    }
    return 0;
  }

  private double weight(SetSize set) {
    double sweep =
        SetRun.SWEEP.size() * SetRun.weight(3, options.sweepRounds(), options.rows() / 2);
    return set.loadWeight(options)
        + SetRun.weight(
            Way.values().length, SetRun.warmUps(options) + options.rounds(), options.rows())
        + sweep;
  }

  private void publish(PrintStream out, Results results) throws IOException {
    Page page = DedupReport.page(results);
    out.print(page.text());
    Path target = home.resolve("hbase-integration").resolve("target");
    Path plots = options.plots() != null ? options.plots() : target.resolve("dedup");
    page.writePlots(plots);
    out.println("\nplots: " + plots);
    if (options.json() != null) {
      Files.writeString(options.json(), results.json());
    } else if (!options.quick()) {
      out.println(
          "results: "
              + ResultFiles.in(DedupPage.results(home), "").write(results, DedupPage.OF_DEDUP));
    }
  }
}
