package io.winnow.ycsb;

import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Page;
import io.winnow.hbase.report.Progress;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ClusterCommand;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What {@code ./winnow ycsb} runs: stock Bloom, ribbon and bumped-ribbon tables side by side in a
 * real HBase; or the page in {@code docs/} from earlier results.
 */
public final class Ycsb {
  private static final int EXIT_FAILED = 1;
  private static final int EXIT_WRONG_READ = 2;
  private static final int EXIT_USAGE = 64;

  /** What the name of a sweep's results ends with. */
  private static final String SWEEP = "_sweep";

  /** What the name of the results of stores of several files ends with. */
  private static final String STORES = "_stores";

  private final YcsbOptions options;
  private final PrintStream out;
  private final Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();

  private Ycsb(YcsbOptions options, PrintStream out) {
    this.options = options;
    this.out = out;
  }

  public static void main(String[] args) {
    System.exit(run(System.out, args));
  }

  /** What the command returns to the shell. */
  static int run(PrintStream out, String... args) {
    YcsbOptions options;
    try {
      options = YcsbOptions.parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("winnow ycsb: " + e.getMessage() + "\n" + YcsbOptions.USAGE);
      return EXIT_USAGE;
    }
    if (options.help()) {
      out.println(YcsbOptions.USAGE);
      return 0;
    }
    try {
      Ycsb ycsb = new Ycsb(options, out);
      if (options.report()) {
        ycsb.report();
      } else {
        ycsb.measure(command(args));
      }
      return 0;
    } catch (WrongReadException e) {
      System.err.println("winnow ycsb: A READ CAME BACK WRONG: " + e.getMessage());
      return EXIT_WRONG_READ;
    } catch (InterruptedException e) {
      System.err.println("winnow ycsb: interrupted");
      return EXIT_FAILED;
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("winnow ycsb: " + e.getMessage());
      return EXIT_FAILED;
    }
  }

  /** As it is told in the results: without names of hosts and directories. */
  static String command(String... args) {
    StringBuilder command = new StringBuilder("./winnow ycsb");
    for (int i = 0; i < args.length; i++) {
      String name = args[i].split("=", 2)[0];
      if (List.of("--dir", "--staging", "--quorum").contains(name)) {
        i += args[i].equals(name) ? 1 : 0;
        command.append(name.equals("--quorum") ? " --quorum HOST" : "");
      } else {
        command.append(' ').append(args[i]);
      }
    }
    return command.toString();
  }

  private void measure(String command) throws IOException, InterruptedException {
    Results results =
        new Results(Machine.setting(System.getProperty("winnow.commit", "unknown"), command));
    double expected =
        options.stores()
            ? StoreComparison.expectedSeconds(options)
            : Comparison.expectedSeconds(options);
    out.printf("About %s minutes. %s%n", Progress.clock(expected), results.setting().machine());
    Progress progress = new Progress(out, expected);
    try (Deployment deployment = deployment()) {
      if (options.stores()) {
        StoreComparison.run(options, deployment, results, progress, out);
      } else {
        Comparison.run(options, deployment, results, progress, out);
      }
    }
    Results whole = results.lasting(Math.round(progress.seconds()));
    Path file = resultsDirectory().resolve(fileName(whole.setting()));
    Files.createDirectories(file.getParent());
    Files.writeString(file, whole.json());
    Page page = YcsbReport.page(whole);
    out.print(page.text());
    Path plots = home.resolve("ycsb-profiles").resolve("target").resolve("plots");
    page.writePlots(plots);
    out.printf("%nresults: %s%nplots:   %s%n", home.relativize(file), home.relativize(plots));
  }

  private Deployment deployment() throws IOException, InterruptedException {
    if (options.where().equals(YcsbOptions.QUORUM)) {
      return QuorumDeployment.connect(options.quorum(), options.staging());
    }
    if (options.where().equals(YcsbOptions.CLUSTER)) {
      return ClusterDeployment.take(
          ClusterCommand.defaultDirectory(), message -> out.println("  " + message));
    }
    return StandaloneDeployment.start(
        ScratchDirectory.create(options.directory(), "winnow-ycsb-"),
        Path.of(System.getProperty("winnow.agent.jar")),
        message -> out.println("  " + message));
  }

  // ==== results and the page

  private Path resultsDirectory() {
    return home.resolve("ycsb-profiles").resolve("results");
  }

  /** Date, machine and commit; and what it is if it is not a default run. */
  private String fileName(Results.Setting setting) {
    return String.join("_", setting.date(), Machine.slug(setting.machine()), setting.commit())
        + (options.sweep()
            ? SWEEP
            : options.stores() ? STORES : options.isDefault() ? "" : "_custom")
        + ".json";
  }

  private void report() throws IOException {
    Path file =
        options.reportFile() == null
            ? newest("")
                .orElseThrow(
                    () ->
                        new IOException(
                            "no results in ycsb-profiles/results: run ./winnow ycsb first"))
            : options.reportFile();
    YcsbReport.Source run = new YcsbReport.Source(read(file), name(file)).readable("./winnow ycsb");
    YcsbReport.Source sweep = newest(SWEEP, run, "./winnow ycsb --sweep");
    YcsbReport.Source stores = newest(STORES, run, "./winnow ycsb --stores");
    Path docs = home.resolve("docs");
    YcsbReport.page(run, sweep, stores).writePlots(docs.resolve("plots"));
    Files.writeString(docs.resolve("ycsb.md"), YcsbReport.markdown(run, sweep, stores));
    out.printf(
        "docs/ycsb.md, from %s%s%s%n",
        name(file),
        sweep.file().isEmpty() ? ", without a sweep" : " and " + sweep.file(),
        stores.file().isEmpty() ? ", without --stores" : " and " + stores.file());
  }

  /** The newest results of a kind; nameless those of the run if there are none that can be read. */
  private YcsbReport.Source newest(String kind, YcsbReport.Source run, String command)
      throws IOException {
    Optional<Path> file = newest(kind);
    if (file.isPresent()) {
      try {
        return new YcsbReport.Source(read(file.get()), name(file.get())).readable(command);
      } catch (IOException e) {
        out.println(e.getMessage());
      }
    }
    return new YcsbReport.Source(run.results(), "");
  }

  private static Results read(Path file) throws IOException {
    return Results.ofJson(Files.readString(file));
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }

  /** The newest results of a default run, or of another kind of run. */
  private Optional<Path> newest(String kind) throws IOException {
    Files.createDirectories(resultsDirectory());
    try (Stream<Path> files = Files.list(resultsDirectory())) {
      return files
          .filter(file -> name(file).matches("[^_]+_[^_]+_[^_]+" + kind + "\\.json"))
          .max(Comparator.comparing(Ycsb::modified));
    }
  }

  /** By date first; of one day's, the one written last. */
  private static String modified(Path file) {
    return name(file).split("_", 2)[0] + " " + String.format("%020d", file.toFile().lastModified());
  }
}
