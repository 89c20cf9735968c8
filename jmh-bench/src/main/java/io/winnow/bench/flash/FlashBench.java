package io.winnow.bench.flash;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What {@code ./winnow flash bench} runs: sets and maps on flash side by side on this drive; or the
 * page in {@code docs/} from earlier results.
 */
public final class FlashBench {
  private static final String PREFIX = "flash_";

  /** What the largest of them takes on the drive, at scale 1; and of the file for the drive. */
  private static final double MOST_BYTES = 3e9;

  private static final long DRIVE_BYTES = 1L << 30;

  private final FlashBenchOptions options;
  private final Path home;
  private final PrintStream out;

  private FlashBench(FlashBenchOptions options, Path home, PrintStream out) {
    this.options = options;
    this.home = home;
    this.out = out;
  }

  public static void main(String[] arguments) {
    QuietEnd.install();
    System.exit(run(arguments, Path.of(System.getProperty("winnow.home", "")), System.out));
  }

  /** The exit code. */
  static int run(String[] arguments, Path home, PrintStream out) {
    FlashBenchOptions options;
    try {
      options = FlashBenchOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.print("winnow flash bench: " + e.getMessage() + "\n" + FlashBenchOptions.USAGE);
      return 64;
    }
    if (options.help()) {
      out.print(FlashBenchOptions.USAGE);
      return 0;
    }
    FlashBench bench = new FlashBench(options, home, out);
    try {
      if (options.report()) {
        bench.writeReport();
        return 0;
      }
      return bench.measure(String.join(" ", arguments));
    } catch (IOException e) {
      System.err.println("winnow flash bench: " + UserFiles.sentence(e));
      return 1;
    }
  }

  private int measure(String arguments) throws IOException {
    UserFiles.requireWritable(options.json());
    Path parent =
        options.directory() != null
            ? options.directory()
            : home.toAbsolutePath().resolve("jmh-bench").resolve("target");
    Path directory = ScratchDirectory.create(parent, "flash-bench-");
    try {
      checkRoom(parent);
      return measure(arguments, directory);
    } finally {
      ScratchDirectory.delete(directory);
    }
  }

  private int measure(String arguments, Path directory) throws IOException {
    String command = ("./winnow flash bench " + arguments).strip();
    Results results =
        new Results(Machine.setting(System.getProperty("winnow.commit", "unknown"), command));
    boolean direct = Peer.hasDirectIo(directory);
    Metrics.setup(results, "direct", direct ? 1 : 0);
    setUp(results);
    double total =
        options.seconds()
            + BufferedRuns.weight(options)
            + WaitRuns.weight(options)
            + SetRuns.weight(options)
            + MapRuns.weight(options);
    Progress progress = new Progress(out, total);
    out.printf(
        "About %s minutes. %s. I/O: %s.%n",
        Progress.clock(total),
        results.setting().machine(),
        direct
            ? "direct, past the page cache"
            : "buffered, since this file system has no direct I/O: figures are those of memory");
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
    Path file = resultFiles().write(results, variant());
    if (options.json() != null) {
      Files.writeString(options.json(), RunsDocument.of(results).json());
    }
    FlashReport made = FlashReport.of(results);
    out.print(made.text());
    Path plots = home.resolve("jmh-bench").resolve("target").resolve("plots");
    made.writePlots(plots);
    out.printf("%nresults: %s%nplots:   %s%n", home.relativize(file), home.relativize(plots));
    if (new Figures(results).lost() > 0) {
      out.println("KEYS WERE LOST: this must not be. Please report it with the results.");
      return 2;
    }
    return 0;
  }

  private String variant() {
    if (options.quick()) {
      return "_quick";
    }
    return options.isDefault() ? "" : "_scale-" + options.scale();
  }

  private void checkRoom(Path parent) throws IOException {
    double needed = MOST_BYTES * Math.max(1, options.scale());
    double room = Files.getFileStore(parent).getUsableSpace();
    if (!options.quick() && room < needed) {
      throw new IOException(
          parent
              + " has room for "
              + Table.number(room / 1e9, 1)
              + " GB, and this takes up to "
              + Table.number(needed / 1e9, 1)
              + " GB: choose another --dir, or a smaller --scale");
    }
  }

  private ResultFiles resultFiles() {
    return ResultFiles.in(home.resolve("jmh-bench").resolve("results"), PREFIX);
  }

  private void writeReport() throws IOException {
    Path file = options.reportFile() != null ? options.reportFile() : newest();
    FlashReport made = FlashReport.of(ResultFiles.read(file));
    Path docs = home.resolve("docs");
    Files.createDirectories(docs);
    made.writePlots(docs.resolve("plots"));
    Files.writeString(docs.resolve("flash-bench.md"), made.markdown(file.getFileName().toString()));
    out.printf("docs/flash-bench.md, from %s%n", file.getFileName());
  }

  private Path newest() throws IOException {
    return resultFiles()
        .newest("")
        .orElseThrow(
            () ->
                new IOException(
                    "no results of a run with defaults in jmh-bench/results:"
                        + " run ./winnow flash bench first"));
  }
}
