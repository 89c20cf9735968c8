package io.winnow.bench.cascade;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code ./winnow cascade bench} runs: figures 3 and 4 of Bender et al., "Don't Thrash: How to
 * Cache Your Hash on Flash", HotStorage 2011, on this drive; or the page in {@code docs/} from
 * earlier results.
 */
public final class CascadeBench {
  private static final String PREFIX = "cascade_";

  /** Parts whose figures may be of a later run, since no other part has figures of that kind. */
  private static final List<String> OWN_BENCHMARKS =
      List.of(CascadeBenchOptions.MIX, CascadeBenchOptions.COMMIT, CascadeBenchOptions.BESIDE);

  private final CascadeBenchOptions options;
  private final Path home;
  private final PrintStream out;

  private CascadeBench(CascadeBenchOptions options, Path home, PrintStream out) {
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
    CascadeBenchOptions options;
    try {
      options = CascadeBenchOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.print(
          "winnow cascade bench: " + e.getMessage() + "\n" + CascadeBenchOptions.USAGE);
      return 64;
    }
    if (options.help()) {
      out.print(CascadeBenchOptions.USAGE);
      return 0;
    }
    CascadeBench bench = new CascadeBench(options, home, out);
    try {
      if (options.report()) {
        bench.writeReport();
        return 0;
      }
      return bench.measure(String.join(" ", arguments));
    } catch (IOException e) {
      System.err.println("winnow cascade bench: " + UserFiles.sentence(e));
      return 1;
    }
  }

  private int measure(String arguments) throws IOException {
    Path parent =
        options.directory() != null
            ? options.directory()
            : home.toAbsolutePath().resolve("jmh-bench").resolve("target");
    Path directory = ScratchDirectory.create(parent, "cascade-bench-");
    try {
      checkRoom(parent);
      return measure(arguments, directory);
    } finally {
      ScratchDirectory.delete(directory);
    }
  }

  private int measure(String arguments, Path directory) throws IOException {
    String command = ("./winnow cascade bench " + arguments).strip();
    Results results =
        new Results(Machine.setting(System.getProperty("winnow.commit", "unknown"), command));
    Path probe = directory.resolve("mode");
    String mode = FlashBlooms.mode(probe).toString();
    Files.delete(probe);
    Map<String, String> setup = Map.of("io", mode);
    results.add(Metrics.SETUP, setup, "keys", options.keys());
    results.add(Metrics.SETUP, setup, "memoryBytes", options.memoryBytes());
    results.add(Metrics.SETUP, setup, "rate", options.rate());
    results.add(Metrics.SETUP, setup, "fanOut", options.fanOut());
    results.add(Metrics.SETUP, setup, "batch", options.batch());
    double total =
        MixRuns.weight(options)
            + CommitRuns.weight(options)
            + CascadeRuns.weight(options)
            + BloomRuns.weight(options)
            + BesideRuns.weight(options);
    Progress progress = new Progress(out, total);
    out.printf(
        "About %s minutes. %s. I/O: %s.%n",
        Progress.clock(total),
        results.setting().machine(),
        mode.equals("DIRECT")
            ? "direct, past the page cache"
            : "buffered, since this file system has no direct I/O: figures are those of memory");
    new MixRuns(options, directory, results, progress).run();
    new CommitRuns(options, directory, results, progress).run();
    new CascadeRuns(options, directory, results, progress).run();
    new BloomRuns(options, directory, results, progress).run();
    new BesideRuns(options, directory, results, progress).run();
    Results whole = results.lasting(Math.round(progress.seconds()));
    Path file = write(whole);
    CascadeReport made = CascadeReport.of(whole);
    out.print(made.text());
    Path plots = home.resolve("jmh-bench").resolve("target").resolve("plots");
    made.writePlots(plots);
    out.printf("%nresults: %s%nplots:   %s%n", shown(file), shown(plots));
    if (CascadeReport.lost(whole) > 0) {
      out.println("KEYS WERE LOST: this must not be. Please report it with the results.");
      return 2;
    }
    return 0;
  }

  private Path write(Results results) throws IOException {
    if (options.json() == null) {
      return resultFiles().write(results, options.variant());
    }
    Files.createDirectories(options.json().getParent());
    return Files.writeString(options.json(), results.json());
  }

  private Path shown(Path file) {
    return file.startsWith(home) ? home.relativize(file) : file;
  }

  /** What the largest filter takes, while it is merged; with some room to spare. */
  private void checkRoom(Path parent) throws IOException {
    double bitsPerKey = 4 - Math.log(options.rate()) / Math.log(2);
    double needed = 2.5 * options.keys() * bitsPerKey / 8;
    double room = Files.getFileStore(parent).getUsableSpace();
    if (room < needed) {
      throw new IOException(
          parent
              + " has room for "
              + Table.number(room / 1e9, 1)
              + " GB, and this takes up to "
              + Table.number(needed / 1e9, 1)
              + " GB: choose another --dir, or fewer --keys");
    }
  }

  private ResultFiles resultFiles() {
    return ResultFiles.in(home.resolve("jmh-bench").resolve("results"), PREFIX);
  }

  /** From the newest run with defaults, and parts that ran again later; or from one file alone. */
  private void writeReport() throws IOException {
    Path file = options.reportFile() != null ? options.reportFile() : newest();
    Results results = ResultFiles.read(file);
    List<String> names = new ArrayList<>(List.of(file.getFileName().toString()));
    for (String part : OWN_BENCHMARKS) {
      Optional<Path> run =
          options.reportFile() != null ? Optional.empty() : resultFiles().newest("_" + part);
      if (run.isPresent()) {
        Results again = ResultFiles.read(run.get());
        if (again.setting().date().compareTo(results.setting().date()) >= 0) {
          results.replaceBy(again);
          names.add(run.get().getFileName().toString());
        }
      }
    }
    CascadeReport made = CascadeReport.of(results);
    Path docs = home.resolve("docs");
    Files.createDirectories(docs);
    made.writePlots(docs.resolve("plots"));
    Files.writeString(docs.resolve("cascade-bench.md"), made.markdown(names));
    out.printf("docs/cascade-bench.md, from %s%n", String.join(", ", names));
  }

  private Path newest() throws IOException {
    return resultFiles()
        .newest("")
        .orElseThrow(
            () ->
                new IOException(
                    "no results of a run with defaults in jmh-bench/results:"
                        + " run ./winnow cascade bench first"));
  }
}
