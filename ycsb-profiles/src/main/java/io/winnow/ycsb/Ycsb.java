package io.winnow.ycsb;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ClusterCommand;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

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
    QuietEnd.install();
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
      System.err.println("winnow ycsb: " + UserFiles.sentence(e));
      return EXIT_FAILED;
    }
  }

  /** As it is told in the results: without names of hosts and directories. */
  static String command(String... args) {
    StringBuilder command = new StringBuilder("./winnow ycsb");
    for (int i = 0; i < args.length; i++) {
      String name = args[i].split("=", 2)[0];
      if (name.equals("--dir")) {
        i += args[i].equals(name) ? 1 : 0;
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
    try (Deployment deployment = deployment();
        Workbench bench = Workbench.open(options, deployment, results, progress, out)) {
      if (options.stores()) {
        StoreComparison.run(bench);
      } else {
        Comparison.run(bench);
      }
    }
    Results whole = results.lasting(Math.round(progress.seconds()));
    Path file = resultFiles().write(whole, variant());
    PageTemplate page = YcsbReport.page(whole);
    out.print(page.text());
    Path plots = home.resolve("ycsb-profiles").resolve("target").resolve("plots");
    page.writePlots(plots);
    out.printf("%nresults: %s%nplots:   %s%n", home.relativize(file), home.relativize(plots));
  }

  private Deployment deployment() throws IOException, InterruptedException {
    if (options.cluster()) {
      return ClusterDeployment.take(
          ClusterCommand.defaultDirectory(), message -> out.println("  " + message));
    }
    return StandaloneDeployment.start(
        ScratchDirectory.create(options.directory(), "winnow-ycsb-"),
        Path.of(System.getProperty("winnow.agent.jar")),
        message -> out.println("  " + message));
  }

  // ==== results and the page

  private ResultFiles resultFiles() {
    return ResultFiles.in(home.resolve("ycsb-profiles").resolve("results"), "");
  }

  /** How the name of the results ends: what kind of run it is, if it is not a default run. */
  private String variant() {
    return (options.sweep() ? SWEEP : options.stores() ? STORES : "")
        + (options.isDefault() ? "" : "_custom");
  }

  private void report() throws IOException {
    Path file =
        options.reportFile() == null
            ? resultFiles()
                .newest("")
                .orElseThrow(
                    () ->
                        new IOException(
                            "no results in ycsb-profiles/results: run ./winnow ycsb first"))
            : options.reportFile();
    YcsbReport.Source run =
        new YcsbReport.Source(ResultFiles.read(file), name(file)).readable("./winnow ycsb");
    YcsbReport.Source sweep = newest(SWEEP, run, "./winnow ycsb --sweep");
    YcsbReport.Source stores = newest(STORES, run, "./winnow ycsb --stores");
    Path docs = home.resolve("docs");
    PageTemplate page = YcsbReport.page(run, sweep, stores);
    page.writePlots(docs.resolve("plots"));
    Files.writeString(docs.resolve("ycsb.md"), page.markdown());
    out.printf(
        "docs/ycsb.md, from %s%s%s%n",
        name(file),
        sweep.file().isEmpty() ? ", without a sweep" : " and " + sweep.file(),
        stores.file().isEmpty() ? ", without --stores" : " and " + stores.file());
  }

  /** The newest results of a kind; nameless those of the run if there are none that can be read. */
  private YcsbReport.Source newest(String kind, YcsbReport.Source run, String command)
      throws IOException {
    Optional<Path> file = resultFiles().newest(kind);
    if (file.isPresent()) {
      try {
        return new YcsbReport.Source(ResultFiles.read(file.get()), name(file.get()))
            .readable(command);
      } catch (IOException e) {
        out.println(e.getMessage());
      }
    }
    return new YcsbReport.Source(run.results(), "");
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }
}
