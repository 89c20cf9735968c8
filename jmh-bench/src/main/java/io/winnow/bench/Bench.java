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
import java.util.ArrayList;
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
  /** Maximum number of bytes that all keys of a benchmark take together. */
  static final int MAX_SLAB = 400_000_000;

  static final List<String> PARTS =
      List.of(
          HeatPlan.LINDORM,
          QueryBench.NAME,
          Space.NAME,
          HeatPlan.PEERS,
          HeatPlan.KERNELS,
          ChunkRates.NAME,
          WritePath.NAME,
          Quotients.NAME);

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

  /**
   * Returns the number of keys that a benchmark uses: the wanted number, or fewer if they would
   * take more than {@link #MAX_SLAB} bytes.
   */
  static int keysThatFit(int n, int keyLength) {
    return Math.min(n, MAX_SLAB / keyLength);
  }

  public static void main(String[] arguments) {
    QuietEnd.install();
    System.exit(new Bench().run(System.out, System.err, arguments)); // HBase leaves threads behind
  }

  @Override
  protected void check() {
    exclude("quick", "full");
    if (has("only") && !PARTS.contains(only)) {
      throw new IllegalArgumentException(
          "--only must be followed by one of " + String.join(", ", PARTS));
    }
    effort = quick ? Effort.QUICK : Effort.FULL;
  }

  @Override
  protected int work() throws IOException {
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

  private boolean wants(String part) {
    return only.isEmpty() || only.equals(part);
  }

  /** A function that measures one part of a run of the benchmarks. */
  private interface Work {
    void run(Results results, Progress progress) throws IOException, RunnerException;
  }

  /**
   * A part of the benchmarks that can be run alone, such as the queries of HBase's filters. An
   * interrupted run keeps whole parts.
   */
  private record Part(String name, double weight, Work work) {}

  private List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    for (String name : List.of(HeatPlan.LINDORM, HeatPlan.PEERS, HeatPlan.KERNELS)) {
      List<HeatPlan.Heat> heats =
          HeatPlan.of(effort).stream().filter(heat -> heat.part().equals(name)).toList();
      double weight = heats.stream().mapToDouble(heat -> JmhRuns.weight(effort, heat)).sum();
      parts.add(
          new Part(
              name,
              weight,
              (results, progress) -> {
                JmhRuns runs = new JmhRuns(effort, results, progress);
                for (HeatPlan.Heat heat : heats) {
                  runs.run(heat);
                }
              }));
    }
    parts.add(
        new Part(
            WritePath.NAME,
            WritePath.weight(effort) + ServerWrites.weight(effort),
            (results, progress) -> {
              new WritePath(effort, results, progress).run();
              new ServerWrites(effort, results, progress)
                  .run(home.resolve("hbase-integration").resolve("target").toAbsolutePath());
            }));
    parts.add(
        new Part(
            QueryBench.NAME,
            QueryBench.weight(effort),
            (results, progress) -> new QueryBench(effort, results, progress).run()));
    parts.add(
        new Part(
            Quotients.NAME,
            Quotients.weight(effort),
            (results, progress) -> new Quotients(effort, results, progress).run()));
    parts.add(
        new Part(
            Space.NAME,
            Space.weight(effort),
            (results, progress) -> new Space(effort, results, progress).run()));
    parts.add(
        new Part(
            ChunkRates.NAME,
            ChunkRates.weight(effort),
            (results, progress) -> new ChunkRates(effort, results, progress).run()));
    parts.removeIf(part -> !wants(part.name()));
    return parts;
  }

  private void measure() throws IOException, RunnerException {
    Results now = new Results(Machine.setting(commandLine().replace(" --resume", "")));
    Unfinished unfinished = Unfinished.in(home.resolve("jmh-bench").resolve("target"), variant());
    Results results = resume ? unfinished.read(now) : now;
    long before = results.setting().seconds();
    List<Part> parts = parts();
    parts.removeIf(part -> results.hasCases(FINISHED, Map.of("part", part.name())));
    double total = parts.stream().mapToDouble(Part::weight).sum();
    Progress progress = new Progress(out, total);
    out.printf("About %s minutes. %s%n", Progress.clock(total), results.setting().machine());
    for (Part part : parts) {
      double start = progress.seconds();
      part.work().run(results, progress);
      results.add(FINISHED, Map.of("part", part.name()), "seconds", progress.seconds() - start);
      unfinished.write(results, before + Math.round(progress.seconds()));
    }
    Results whole = results.withSeconds(commandLine(), before + Math.round(progress.seconds()));
    Path file = resultFiles().write(whole, variant());
    unfinished.delete();
    PageTemplate made = page(whole, List.of());
    out.print(made.text());
    Path plots = home.resolve("jmh-bench").resolve("target").resolve("plots");
    made.writePlots(plots);
    out.printf("%nresults: %s%nplots:   %s%n", home.relativize(file), home.relativize(plots));
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
    return PageTemplate.of(Bench.class, "benchmarks.ftl", results, Map.of("files", files));
  }

  private ResultFiles resultFiles() {
    return ResultFiles.in(home.resolve("jmh-bench").resolve("results"), "");
  }

  private void writeReport() throws IOException {
    ResultFiles files = resultFiles();
    Path file = report.isEmpty() ? files.newest("").orElseThrow(Bench::noResults) : Path.of(report);
    List<String> parts =
        report.isEmpty() ? PARTS.stream().map(part -> "_" + part).toList() : List.of();
    ResultFiles.Whole whole = files.whole(file, parts);
    page(whole.results(), whole.files()).write(home.resolve("docs"), "benchmarks");
    out.printf("docs/benchmarks.md, from %s%n", String.join(", ", whole.files()));
  }

  private static IOException noResults() {
    return new IOException("no full results in jmh-bench/results: run ./winnow bench first");
  }
}
