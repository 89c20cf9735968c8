package io.winnow.bench.drive;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/**
 * The common part of the commands that measure structures on a drive: it runs the cases, prints
 * their tables and writes results and plots; or makes the page in {@code docs/} from earlier
 * results.
 */
abstract class DriveCommand extends Program {
  @Option(names = "--quick")
  boolean quick;

  @Option(names = "--dir")
  private Path directory;

  @Option(names = "--only", split = ",")
  private Set<String> only;

  @Option(names = "--json")
  private Path json;

  /** The results file from which {@code --report} makes pages; empty means the newest. */
  @Option(names = "--report", arity = "0..1", fallbackValue = "")
  private String report;

  /** The directory of the checkout of Winnow. */
  private final Path home;

  private final String name;
  private final List<String> parts;
  private final String smaller;

  /**
   * Makes the command {@code ./winnow NAME bench}.
   *
   * @param parts the parts of a whole run
   * @param smaller advice for the user on how to need less space
   */
  DriveCommand(String name, List<String> parts, String smaller, Path home) {
    this.name = name;
    this.parts = parts;
    this.smaller = smaller;
    this.home = home;
  }

  /** Returns the directory of the checkout, which the launcher names. */
  static Path home() {
    return Path.of(System.getProperty("winnow.home", ""));
  }

  /** Runs a command, and ends the process with its exit code. */
  static void main(DriveCommand command, String... arguments) {
    System.exit(command.run(System.out, System.err, arguments));
  }

  @Override
  protected void check() {
    if (only != null && !parts.containsAll(only)) {
      throw new IllegalArgumentException(
          "--only "
              + String.join(",", only)
              + " is not some of "
              + parts.stream().sorted().collect(Collectors.joining(", "))
              + ", with commas");
    }
  }

  /** Returns the names of those parts of the bench that the user selected, or of all. */
  final List<String> parts() {
    return parts.stream().filter(part -> only == null || only.contains(part)).toList();
  }

  final boolean runs(String part) {
    return parts().contains(part);
  }

  final boolean isWhole() {
    return parts().equals(parts);
  }

  /** Returns the case that a part consists of; null if it only belongs to others. */
  abstract DriveCase of(String part);

  /** Returns the cases of the selected parts, in their order. */
  List<DriveCase> cases() {
    return parts().stream().map(this::of).filter(Objects::nonNull).toList();
  }

  /** Adds the settings of the run to its results. */
  abstract void setUp(Run run);

  /** Returns the space in bytes that the run takes on the drive, with some room to spare. */
  abstract double neededBytes();

  /** Returns the suffix of the results file's name; empty for a run with default options. */
  abstract String variant();

  /** Returns the number of wrong answers of all structures in a run: lost keys, and the like. */
  abstract double lost(Results results);

  @Override
  protected final int work() throws IOException, InterruptedException {
    if (report != null) {
      return writeReport();
    }
    UserFiles.requireWritable(json);
    Path parent = directory != null ? directory : home.toAbsolutePath().resolve("jmh-bench/target");
    Path scratch = ScratchDirectory.create(parent, name + "-bench-");
    try {
      double room = Files.getFileStore(parent).getUsableSpace();
      if (room < neededBytes()) {
        throw new IOException(
            "%s has room for %s, and this takes up to %s: choose another --dir, or %s"
                .formatted(parent, Table.size(room), Table.size(neededBytes()), smaller));
      }
      return measure(scratch);
    } finally {
      ScratchDirectory.delete(scratch);
    }
  }

  private int measure(Path scratch) throws IOException, InterruptedException {
    Results results = new Results(Machine.setting(commandLine()));
    boolean direct = Drive.isDirect(scratch);
    double seconds = cases().stream().mapToDouble(DriveCase::weight).sum();
    out.printf(
        "About %s minutes. %s. I/O: %s.%n",
        Progress.clock(seconds),
        results.setting().machine(),
        direct
            ? "direct, past the page cache"
            : "buffered, since this file system has no direct I/O: figures are those of memory");
    Progress progress = new Progress(out, seconds);
    Run run = new Run(scratch, direct, results, progress);
    setUp(run);
    for (DriveCase one : cases()) {
      one.run(run);
    }
    Results whole = results.withSeconds(Math.round(progress.seconds()));
    Path file =
        json != null ? Files.writeString(json, whole.json()) : files().write(whole, variant());
    page(whole, "").publish(out, home.resolve("jmh-bench/target/plots"));
    out.println("results: " + file);
    if (lost(whole) > 0) {
      out.println("KEYS WERE LOST: this must not be. Please report it with the results.");
      return 2;
    }
    return DONE;
  }

  /** Returns the result files that the command has written in the checkout of Winnow. */
  private ResultFiles files() {
    return new ResultFiles(home.resolve("jmh-bench/results"), name + "_");
  }

  /** Returns the tables and plots of a run, for a terminal and as a page in {@code docs/}. */
  final PageTemplate page(Results results, String file) {
    return new PageTemplate(
        DriveCommand.class,
        name + "-bench.ftl",
        results,
        Map.of("resultsFile", file, "lost", lost(results)));
  }

  /** Writes the page from the newest run with default options, or from the named results file. */
  private int writeReport() throws IOException {
    Path file = report.isEmpty() ? newest() : Path.of(report);
    Path docs = Files.createDirectories(home.resolve("docs"));
    page(ResultFiles.read(file), file.getFileName().toString()).write(docs, name + "-bench");
    out.printf("docs/%s-bench.md, from %s%n", name, file.getFileName());
    return DONE;
  }

  private Path newest() throws IOException {
    return files()
        .newest("")
        .orElseThrow(
            () ->
                new IOException(
                    "no results of a run with defaults in jmh-bench/results: run ./winnow "
                        + name
                        + " bench first"));
  }
}
