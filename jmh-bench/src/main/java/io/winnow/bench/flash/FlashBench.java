package io.winnow.bench.flash;

import io.winnow.bench.cascade.DriveCommand;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What {@code ./winnow flash bench} runs: sets and maps on flash side by side on this drive; or the
 * page in {@code docs/} from earlier results.
 */
public final class FlashBench {
  /** What the largest of them takes on the drive, at scale 1; and of the file for the drive. */
  private static final double MOST_BYTES = 3e9;

  private static final long DRIVE_BYTES = 1L << 30;

  private final FlashBenchOptions options;
  private final DriveCommand command;
  private final Path home;
  private final PrintStream out;

  private FlashBench(FlashBenchOptions options, DriveCommand command, Path home, PrintStream out) {
    this.options = options;
    this.command = command;
    this.home = home;
    this.out = out;
  }

  public static void main(String[] arguments) {
    QuietEnd.install();
    System.exit(run(arguments, Path.of(System.getProperty("winnow.home", "")), System.out));
  }

  /** The exit code. */
  static int run(String[] arguments, Path home, PrintStream out) {
    DriveCommand command = DriveCommand.of("flash", home, out);
    return command.run(
        arguments,
        FlashBenchOptions::parse,
        FlashBenchOptions::help,
        FlashBenchOptions.USAGE,
        options -> new FlashBench(options, command, home, out).run(arguments));
  }

  private int run(String[] arguments) throws IOException {
    if (options.report()) {
      return writeReport();
    }
    UserFiles.requireWritable(options.json());
    double needed = options.quick() ? 0 : MOST_BYTES * Math.max(1, options.scale());
    return command.inScratch(
        options.directory(),
        needed,
        "a smaller --scale",
        directory -> measure(command.results(arguments), directory));
  }

  private int measure(Results results, Path directory) throws IOException {
    boolean direct = Peer.hasDirectIo(directory);
    Metrics.setup(results, "direct", direct ? 1 : 0);
    setUp(results);
    double total =
        options.seconds()
            + BufferedRuns.weight(options)
            + WaitRuns.weight(options)
            + SetRuns.weight(options)
            + MapRuns.weight(options);
    Progress progress = command.begin(results, total, direct);
    Drive.measure(
        directory.resolve("drive"),
        Math.round(DRIVE_BYTES * Math.min(1, options.scale())),
        options.seconds() / 4,
        results);
    progress.step(
        options.seconds(),
        "drive",
        Table.number(results.median(Metrics.SETUP, Drive.READS_1), 0)
            + " page reads/s one at a time, "
            + Table.number(results.median(Metrics.SETUP, Drive.READS_16), 0)
            + " at depth 16");
    new BufferedRuns(options, directory, results, progress).run();
    new WaitRuns(options, directory, results, progress).run();
    new SetRuns(options, directory, results, progress).run();
    new MapRuns(options, directory, results, progress).run();
    return tell(results.lasting(Math.round(progress.seconds())));
  }

  private void setUp(Results results) {
    Metrics.setup(results, "scale", options.scale());
    Metrics.setup(results, "buildKeys", options.buildKeys());
    Metrics.setup(results, "memoryBytes", options.memoryBytes());
    Metrics.setup(results, "mapEntries", options.mapEntries());
    Metrics.setup(results, "peerKeys", options.peerKeys());
  }

  private int tell(Results results) throws IOException {
    Path file = command.files().write(results, variant());
    if (options.json() != null) {
      Files.writeString(options.json(), RunsDocument.of(results).json());
    }
    PageTemplate made = page(results, "");
    out.print(made.text());
    made.writePlots(command.plots());
    Files.writeString(command.plots().resolve("flash-runs.csv"), RunsDocument.of(results).csv());
    return command.end(file, lost(results) > 0);
  }

  /** The tables and plots of a run: for a terminal, and as {@code docs/flash-bench.md}. */
  static PageTemplate page(Results results, String file) {
    return PageTemplate.of(
        FlashBench.class,
        "flash-bench.ftl",
        results,
        Map.of("resultsFile", file, "lost", lost(results)));
  }

  /** Keys that were not found, and wrong values, in all runs. */
  static double lost(Results results) {
    double lost = 0;
    for (String structure : results.values(Metrics.RUN, Metrics.STRUCTURE)) {
      for (String workload : results.values(Metrics.RUN, Metrics.WORKLOAD)) {
        Object[] at = {Metrics.STRUCTURE, structure, Metrics.WORKLOAD, workload};
        lost += results.median(Metrics.RUN, Metrics.LOST, at).orElse(0);
      }
    }
    return lost;
  }

  private String variant() {
    if (options.quick()) {
      return "_quick";
    }
    return options.isDefault() ? "" : "_scale-" + options.scale();
  }

  private int writeReport() throws IOException {
    Path file = options.reportFile() != null ? options.reportFile() : command.newest();
    Results results = ResultFiles.read(file);
    PageTemplate made = page(results, file.getFileName().toString());
    Path docs = home.resolve("docs");
    Path plots = docs.resolve("plots");
    made.writePlots(plots);
    Files.writeString(plots.resolve("flash-runs.csv"), RunsDocument.of(results).csv());
    Files.writeString(docs.resolve("flash-bench.md"), made.markdown());
    out.printf("docs/flash-bench.md, from %s%n", file.getFileName());
    return 0;
  }
}
