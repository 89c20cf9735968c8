package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.command.Help;
import io.winnow.hbase.report.Machine;
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
import org.openjdk.jmh.runner.RunnerException;

/**
 * What {@code ./winnow bench} runs: everything, or a part, with progress, then tables, then plots;
 * or the page in {@code docs/} from earlier results.
 */
public final class Bench {
  /** What HBase's own start script opens, as far as store files care. */
  static final String OPEN_NIO = "--add-opens=java.base/java.nio=ALL-UNNAMED";

  static final String OPEN_LANG = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  /** The bytes that a benchmark's keys may take. */
  static final int MAX_SLAB = 400_000_000;

  static final List<String> PARTS =
      List.of(
          Plan.LINDORM,
          Ask.NAME,
          Space.NAME,
          Plan.PEERS,
          Plan.KERNELS,
          Rates.NAME,
          WritePath.NAME,
          Quotients.NAME);

  private static final int EXIT_FAILED = 1;
  private static final int EXIT_USAGE = 64;

  private static final String USAGE = Help.of("bench") + "\n";

  private Effort effort = Effort.FULL;
  private String only = "";
  private boolean report;
  private String reportFile = "";
  private final Path home = Path.of(System.getProperty("winnow.home", ""));

  private Bench() {}

  /** {@code n} keys, or fewer where they are long. */
  static int keysThatFit(int n, int keyLength) {
    return Math.min(n, MAX_SLAB / keyLength);
  }

  public static void main(String[] arguments) {
    QuietEnd.install();
    System.exit(run(System.out, System.err, arguments)); // HBase leaves threads behind
  }

  /** What the command returns to the shell. */
  static int run(PrintStream out, PrintStream err, String... arguments) {
    Bench bench = new Bench();
    String wrong = bench.parse(arguments);
    if (wrong != null) {
      boolean asked = wrong.isEmpty();
      (asked ? out : err).print(asked ? USAGE : "winnow bench: " + wrong + "\n" + USAGE);
      return asked ? 0 : EXIT_USAGE;
    }
    try {
      if (bench.report) {
        bench.writeReport(out);
      } else {
        bench.run(out, String.join(" ", arguments));
      }
      return 0;
    } catch (IOException | IllegalArgumentException e) {
      err.println("winnow bench: " + UserFiles.sentence(e));
    } catch (RunnerException e) {
      err.println("winnow bench: a benchmark failed");
      e.printStackTrace(err);
    }
    return EXIT_FAILED;
  }

  /** Null, or what is wrong; nothing is if that is empty, and help is wanted. */
  private String parse(String[] arguments) {
    for (int i = 0; i < arguments.length; i++) {
      String argument = arguments[i];
      switch (argument) {
        case "--quick" -> effort = Effort.QUICK;
        case "--full" -> effort = Effort.FULL;
        case "--report" -> report = true;
        case "--only" -> {
          if (++i == arguments.length || !PARTS.contains(arguments[i])) {
            return "--only must be followed by one of " + String.join(", ", PARTS);
          }
          only = arguments[i];
        }
        case "--help", "-h" -> {
          return "";
        }
        default -> {
          if (!argument.startsWith("--report=")) {
            return "there is no option " + argument;
          }
          report = true;
          reportFile = argument.substring("--report=".length());
        }
      }
    }
    return null;
  }

  private boolean wants(String part) {
    return only.isEmpty() || only.equals(part);
  }

  private void run(PrintStream out, String arguments) throws IOException, RunnerException {
    String command = ("./winnow bench " + arguments).strip();
    Results results =
        new Results(Machine.setting(System.getProperty("winnow.commit", "unknown"), command));
    List<Plan.Heat> heats = new ArrayList<>(Plan.of(effort));
    heats.removeIf(heat -> !wants(heat.part()));
    double total = heats.stream().mapToDouble(heat -> JmhRuns.weight(effort, heat)).sum();
    total += wants(Space.NAME) ? Space.weight(effort) : 0;
    total += wants(Rates.NAME) ? Rates.weight(effort) : 0;
    total += wants(WritePath.NAME) ? WritePath.weight(effort) + ServerWrites.weight(effort) : 0;
    total += wants(Ask.NAME) ? Ask.weight(effort) : 0;
    total += wants(Quotients.NAME) ? Quotients.weight(effort) : 0;
    Progress progress = new Progress(out, total);
    out.printf("About %s minutes. %s%n", Progress.clock(total), results.setting().machine());
    JmhRuns runs = new JmhRuns(effort, results, progress);
    for (Plan.Heat heat : heats) {
      runs.run(heat);
    }
    if (wants(WritePath.NAME)) {
      new WritePath(effort, results, progress).run();
      new ServerWrites(effort, results, progress)
          .run(home.resolve("hbase-integration").resolve("target").toAbsolutePath());
    }
    if (wants(Ask.NAME)) {
      new Ask(effort, results, progress).run();
    }
    if (wants(Quotients.NAME)) {
      new Quotients(effort, results, progress).run();
    }
    if (wants(Space.NAME)) {
      new Space(effort, results, progress).run();
    }
    if (wants(Rates.NAME)) {
      new Rates(effort, results, progress).run();
    }
    Results whole = results.lasting(Math.round(progress.seconds()));
    Path file =
        resultFiles()
            .write(
                whole,
                (effort == Effort.QUICK ? "_quick" : "") + (only.isEmpty() ? "" : "_" + only));
    PageTemplate made = page(whole, List.of());
    out.print(made.text());
    Path plots = home.resolve("jmh-bench").resolve("target").resolve("plots");
    made.writePlots(plots);
    out.printf("%nresults: %s%nplots:   %s%n", home.relativize(file), home.relativize(plots));
  }

  /** The tables and plots of a run: for a terminal, and as {@code docs/benchmarks.md}. */
  static PageTemplate page(Results results, List<String> files) {
    return PageTemplate.of(Bench.class, "benchmarks.ftl", results, Map.of("files", files));
  }

  private ResultFiles resultFiles() {
    return ResultFiles.in(home.resolve("jmh-bench").resolve("results"), "");
  }

  /** From the newest full run, and parts that ran again later; or from one file alone. */
  private void writeReport(PrintStream out) throws IOException {
    ResultFiles files = resultFiles();
    Path file =
        reportFile.isEmpty() ? files.newest("").orElseThrow(Bench::noResults) : Path.of(reportFile);
    Results results = ResultFiles.read(file);
    List<String> names = new ArrayList<>(List.of(file.getFileName().toString()));
    for (String part : PARTS) {
      Optional<Path> run = reportFile.isEmpty() ? files.newest("_" + part) : Optional.empty();
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
    made.writePlots(docs.resolve("plots"));
    Files.writeString(docs.resolve("benchmarks.md"), made.markdown());
    out.printf("docs/benchmarks.md, from %s%n", String.join(", ", names));
  }

  private static IOException noResults() {
    return new IOException("no full results in jmh-bench/results: run ./winnow bench first");
  }
}
