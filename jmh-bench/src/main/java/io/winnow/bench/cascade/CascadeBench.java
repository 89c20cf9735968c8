package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
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
  /** Parts whose figures may be of a later run, since no other part has figures of that kind. */
  private static final List<String> OWN_BENCHMARKS = List.of(CascadeBenchOptions.MIX);

  private final CascadeBenchOptions options;
  private final DriveCommand command;
  private final Path home;
  private final PrintStream out;

  private CascadeBench(
      CascadeBenchOptions options, DriveCommand command, Path home, PrintStream out) {
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
    DriveCommand command = DriveCommand.of("cascade", home, out);
    return command.run(
        arguments,
        CascadeBenchOptions::parse,
        CascadeBenchOptions::help,
        CascadeBenchOptions.USAGE,
        options -> new CascadeBench(options, command, home, out).run(arguments));
  }

  private int run(String[] arguments) throws IOException {
    if (options.report()) {
      return writeReport();
    }
    return command.inScratch(
        options.directory(),
        neededBytes(),
        "fewer --keys",
        directory -> measure(command.results(arguments), directory));
  }

  private int measure(Results results, Path directory) throws IOException {
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
        MixRuns.weight(options) + CascadeRuns.weight(options) + BloomRuns.weight(options);
    Progress progress = command.begin(results, total, mode.equals("DIRECT"));
    new MixRuns(options, directory, results, progress).run();
    new CascadeRuns(options, directory, results, progress).run();
    new BloomRuns(options, directory, results, progress).run();
    Results whole = results.lasting(Math.round(progress.seconds()));
    Path file = write(whole);
    PageTemplate made = page(whole, List.of());
    out.print(made.text());
    made.writePlots(command.plots());
    return command.end(file, lost(whole) > 0);
  }

  /** The tables and plots of a run: for a terminal, and as {@code docs/cascade-bench.md}. */
  static PageTemplate page(Results results, List<String> files) {
    return PageTemplate.of(
        CascadeBench.class,
        "cascade-bench.ftl",
        results,
        Map.of("files", files, "lost", lost(results)));
  }

  /**
   * How many keys that were inserted were answered with "absent", in the whole run; and how many
   * repeats were taken for new.
   */
  static long lost(Results results) {
    double lost = 0;
    for (String filter : results.values(Metrics.LOOKUP, Metrics.FILTER)) {
      for (String work : List.of(Metrics.PRESENT, Metrics.LEFT)) {
        Object[] at = {Metrics.FILTER, filter, Metrics.WORK, work};
        lost +=
            results.median(Metrics.LOOKUP, "operations", at).orElse(0)
                - results.median(Metrics.LOOKUP, "positives", at).orElse(0);
      }
    }
    for (String filter : results.values(Metrics.MIX, Metrics.FILTER)) {
      for (Work work : Work.ALL) {
        lost += work.median(results, filter, "missed").orElse(0);
      }
    }
    return (long) lost;
  }

  private Path write(Results results) throws IOException {
    if (options.json() == null) {
      return command.files().write(results, options.variant());
    }
    Files.createDirectories(options.json().getParent());
    return Files.writeString(options.json(), results.json());
  }

  /** What the largest filter takes, while it is merged; with some room to spare. */
  private double neededBytes() {
    double bitsPerKey = 4 - Math.log(options.rate()) / Math.log(2);
    return 2.5 * options.keys() * bitsPerKey / 8;
  }

  /** From the newest run with defaults, and parts that ran again later; or from one file alone. */
  private int writeReport() throws IOException {
    Path file = options.reportFile() != null ? options.reportFile() : command.newest();
    Results results = ResultFiles.read(file);
    List<String> names = new ArrayList<>(List.of(file.getFileName().toString()));
    for (String part : OWN_BENCHMARKS) {
      Optional<Path> run =
          options.reportFile() != null ? Optional.empty() : command.files().newest("_" + part);
      if (run.isPresent()) {
        Results again = ResultFiles.read(run.get());
        if (again.setting().date().compareTo(results.setting().date()) >= 0) {
          results.replaceBy(again);
          names.add(run.get().getFileName().toString());
        }
      }
    }
    PageTemplate made = page(results, names);
    Path docs = home.resolve("docs");
    Files.createDirectories(docs);
    made.writePlots(docs.resolve("plots"));
    Files.writeString(docs.resolve("cascade-bench.md"), made.markdown());
    out.printf("docs/cascade-bench.md, from %s%n", String.join(", ", names));
    return 0;
  }
}
