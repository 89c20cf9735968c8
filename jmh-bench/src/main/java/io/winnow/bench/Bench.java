package io.winnow.bench;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Unfinished;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow bench}: runs all benchmarks or a part, prints tables and writes
 * plots; or writes {@code docs/benchmarks.md} from earlier results.
 */
@Command(name = "winnow bench")
public final class Bench extends Program {
  /** A function that makes one part of a run. */
  private interface Maker {
    Part make(Effort effort, Results results, Progress progress);
  }

  /** The parts of a run by name, in their order. */
  private static final Map<String, Maker> PARTS = new LinkedHashMap<>();

  static {
    for (String part : List.of(HeatPlan.LINDORM, HeatPlan.PEERS, HeatPlan.KERNELS)) {
      PARTS.put(part, (effort, results, progress) -> new JmhRuns(part, effort, results, progress));
    }
    PARTS.put(WritePath.NAME, WritePath::new);
    PARTS.put(QueryBench.NAME, QueryBench::new);
    PARTS.put(Quotients.NAME, Quotients::new);
    PARTS.put(Space.NAME, Space::new);
    PARTS.put(ChunkRates.NAME, ChunkRates::new);
  }

  /** Name of the benchmark in the results that has the time of each finished part of the run. */
  private static final String FINISHED = "finished";

  @Option(names = "--quick")
  private boolean quick;

  /** The option for a full run, which is the default and needs no option. */
  @Option(names = "--full")
  private boolean full;

  @Option(names = "--only")
  private String only = "";

  /** The option to resume an interrupted run with the results that it has. */
  @Option(names = "--resume")
  private boolean resume;

  /** The results file from which {@code --report} makes the page; empty means the newest. */
  @Option(names = "--report", arity = "0..1", fallbackValue = "")
  private String report;

  private final Path home = Path.of(System.getProperty("winnow.home", ""));
  private Effort effort;

  public static void main(String[] arguments) {
    QuietEnd.install();
    System.exit(new Bench().run(System.out, System.err, arguments)); // HBase leaves threads behind
  }

  @Override
  protected void check() {
    exclude("quick", "full");
    if (has("only") && !PARTS.containsKey(only)) {
      throw new IllegalArgumentException(
          "--only must be followed by one of " + String.join(", ", PARTS.keySet()));
    }
    effort = quick ? Effort.QUICK : Effort.FULL;
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    try {
      if (report != null) {
        writeReport();
      } else {
        measure();
      }
      return DONE;
    } catch (RunnerException e) {
      err.println("winnow bench: a benchmark failed");
      e.printStackTrace(err);
      return FAILED;
    }
  }

  private void measure() throws IOException, InterruptedException, RunnerException {
    Results now = new Results(Machine.setting(commandLine().replace(" --resume", "")));
    Path target = home.resolve("jmh-bench").resolve("target");
    Unfinished unfinished = new Unfinished(target, variant());
    Results results = resume ? unfinished.read(now) : now;
    long before = results.setting().seconds();
    Progress progress = new Progress(out, 0);
    Map<String, Part> parts = new LinkedHashMap<>();
    PARTS.forEach(
        (name, maker) -> {
          if ((only.isEmpty() || only.equals(name))
              && !results.hasCases(FINISHED, Map.of("part", name))) {
            parts.put(name, maker.make(effort, results, progress));
          }
        });
    double total = parts.values().stream().mapToDouble(Part::weight).sum();
    progress.expect(Math.round(total));
    out.printf("About %s minutes. %s%n", Progress.clock(total), results.setting().machine());
    for (Map.Entry<String, Part> part : parts.entrySet()) {
      double start = progress.seconds();
      part.getValue().run();
      Map<String, String> at = Map.of("part", part.getKey());
      results.add(FINISHED, at, "seconds", progress.seconds() - start);
      unfinished.write(results, before + Math.round(progress.seconds()));
    }
    Results whole = results.withSeconds(commandLine(), before + Math.round(progress.seconds()));
    Path file = resultFiles().write(whole, variant());
    unfinished.delete();
    page(whole, List.of()).publish(out, target.resolve("plots"));
    out.println("results: " + file);
  }

  /**
   * Returns the suffix of the results file's name, which is empty for a full run of all benchmarks.
   */
  private String variant() {
    return (effort == Effort.QUICK ? "_quick" : "") + (only.isEmpty() ? "" : "_" + only);
  }

  /**
   * Returns the tables and plots of a run of the benchmarks, for a terminal and as {@code
   * docs/benchmarks.md}.
   */
  static PageTemplate page(Results results, List<String> files) {
    return new PageTemplate(Bench.class, "benchmarks.ftl", results, Map.of("files", files));
  }

  private ResultFiles resultFiles() {
    return new ResultFiles(home.resolve("jmh-bench").resolve("results"));
  }

  private void writeReport() throws IOException {
    ResultFiles files = resultFiles();
    Path file = report.isEmpty() ? files.newest("").orElseThrow(Bench::noResults) : Path.of(report);
    List<String> parts =
        report.isEmpty() ? PARTS.keySet().stream().map(part -> "_" + part).toList() : List.of();
    ResultFiles.Whole whole = files.whole(file, parts);
    page(whole.results(), whole.files()).write(home.resolve("docs"), "benchmarks");
    out.printf("docs/benchmarks.md, from %s%n", String.join(", ", whole.files()));
  }

  private static IOException noResults() {
    return new IOException("no full results in jmh-bench/results: run ./winnow bench first");
  }
}
