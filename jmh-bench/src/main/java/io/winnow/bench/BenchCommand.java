package io.winnow.bench;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Unfinished;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The common part of the commands that run benchmarks: it runs the parts, prints their tables and
 * writes results and plots; or makes the page in {@code docs/} from earlier results.
 */
public abstract class BenchCommand extends Program {
  /** Name of the benchmark in the results that has the time of each finished part of the run. */
  private static final String FINISHED = "finished";

  private static final int KEYS_WERE_LOST = 2;

  @Option(names = "--quick")
  protected boolean quick;

  @Option(names = "--only", split = ",")
  private Set<String> only;

  @Option(names = "--json")
  private Path json;

  /** The option to resume an interrupted run with the results that it has. */
  @Option(names = "--resume")
  private boolean resume;

  /** The results file from which {@code --report} makes the page; empty means the newest. */
  @Option(names = "--report", arity = "0..1", fallbackValue = "")
  private String report;

  /** The directory of the checkout of Winnow. */
  protected final Path home;

  private final String page;
  private final String prefix;
  private final List<String> names;

  /**
   * Makes a command that runs benchmarks.
   *
   * @param page the name of its page in {@code docs/} and of the page's template
   * @param prefix the prefix of the names of its results files
   * @param names the names of the parts that {@code --only} selects
   */
  protected BenchCommand(Path home, String page, String prefix, String... names) {
    this.home = home;
    this.page = page;
    this.prefix = prefix;
    this.names = List.of(names);
  }

  /** Returns the directory of the checkout, which the launcher names. */
  protected static Path home() {
    return Path.of(System.getProperty("winnow.home", ""));
  }

  @Override
  protected void check() {
    if (only != null && !names.containsAll(only)) {
      throw new IllegalArgumentException(
          "--only %s is not some of %s, with commas"
              .formatted(String.join(",", only), String.join(", ", names)));
    }
  }

  /** Returns the names of those parts that the user selected, or of all, in their order. */
  public List<String> parts() {
    return names.stream().filter(part -> only == null || only.contains(part)).toList();
  }

  /** Returns the end of the name of the results of a run of some parts; empty for all parts. */
  protected final String partsSuffix() {
    return parts().containsAll(names) ? "" : "_" + String.join("-", parts());
  }

  /** Returns the part of a run that has a name; null if it only belongs to others. */
  protected abstract Part part(String name, Run run);

  /** Adds the settings of the run to its results. */
  protected void setUp(Run run) {}

  /** Returns words about the run that follow the name of the machine. */
  protected String conditions() {
    return "";
  }

  /** Returns the suffix of the results file's name; empty for a run with default options. */
  public abstract String variant();

  /** Returns the number of wrong answers of all structures in a run: lost keys, and the like. */
  protected double lost(Results results) {
    return 0;
  }

  @Override
  protected final int work() throws IOException, InterruptedException {
    if (report != null) {
      return writeReport();
    }
    UserFiles.requireWritable(json);
    return measure();
  }

  /** Runs the parts, and reports and writes their figures. Returns the exit code. */
  protected int measure() throws IOException, InterruptedException {
    Path target = home.resolve("jmh-bench/target");
    Unfinished unfinished = new Unfinished(target, "_" + page + variant());
    Results now = new Results(Machine.setting(commandLine().replace(" --resume", "")));
    Run run = new Run(resume ? unfinished.read(now) : now);
    if (!resume) {
      setUp(run);
    }
    Map<String, Part> parts = new LinkedHashMap<>();
    for (String name : parts()) {
      Part part = part(name, run);
      if (part != null && !run.results.hasCases(FINISHED, Map.of("part", name))) {
        parts.put(name, part);
      }
    }
    double expected = parts.values().stream().mapToDouble(Part::weight).sum();
    out.printf(
        "About %s minutes. %s.%s%n",
        Progress.clock(expected), run.results.setting().machine(), conditions());
    run.begin(out, expected);
    long before = run.results.setting().seconds();
    for (Map.Entry<String, Part> part : parts.entrySet()) {
      double start = run.progress.seconds();
      run.progress.part(0, part.getKey());
      part.getValue().measure();
      double seconds = run.progress.seconds() - start;
      run.samples(FINISHED, "part", part.getKey()).add("seconds", seconds);
      unfinished.write(run.results, before + run.seconds());
    }
    run.progress.part(0, "tables and plots");
    Results whole = run.results.withSeconds(commandLine(), before + run.seconds());
    Path file =
        json != null ? Files.writeString(json, whole.json()) : files().write(whole, variant());
    unfinished.delete();
    page(whole, "").publish(out, target.resolve("plots"));
    out.println("results: " + file);
    if (lost(whole) > 0) {
      out.println("KEYS WERE LOST: this must not be. Please report it with the results.");
      return KEYS_WERE_LOST;
    }
    return DONE;
  }

  /** Returns the result files that the command has written in the checkout of Winnow. */
  private ResultFiles files() {
    return new ResultFiles(home.resolve("jmh-bench/results"), prefix);
  }

  /**
   * Returns the tables and plots of a run, for a terminal and as a page in {@code docs/}.
   *
   * @param file the name of the results file
   */
  public final PageTemplate page(Results results, String file) {
    return new PageTemplate(
        getClass(), page + ".ftl", results, Map.of("resultsFile", file, "lost", lost(results)));
  }

  /** Writes the page from the newest run with default options, or from the named results file. */
  private int writeReport() throws IOException {
    Path file =
        report.isEmpty() ? files().newest("").orElseThrow(this::noResults) : Path.of(report);
    String name = file.getFileName().toString();
    Path docs = Files.createDirectories(home.resolve("docs"));
    page(ResultFiles.read(file), name).write(docs, page);
    out.printf("docs/%s.md, from %s%n", page, name);
    return DONE;
  }

  private IOException noResults() {
    String command = getClass().getAnnotation(Command.class).name();
    return new IOException(
        "no results of a run with defaults in jmh-bench/results: run ./" + command + " first");
  }
}
