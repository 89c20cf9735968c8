package io.winnow.bench.drive;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/**
 * The common part of the commands that measure structures on a drive, from their options to their
 * results.
 */
public abstract class DriveCommand extends Program {
  @Option(names = "--quick")
  protected boolean quick;

  @Option(names = "--dir")
  private Path directory;

  @Option(names = "--only", split = ",")
  private Set<String> only;

  @Option(names = "--json")
  protected Path json;

  /** The results file from which {@code --report} makes pages; empty means the newest. */
  @Option(names = "--report", arity = "0..1", fallbackValue = "")
  private String report;

  /** The directory of the checkout of Winnow. */
  protected final Path home;

  private final String name;
  private final Set<String> parts;

  /**
   * Makes the command {@code ./winnow NAME bench} with the parts that a whole run has.
   *
   * @param parts the parts of a whole run
   */
  protected DriveCommand(String name, List<String> parts, Path home) {
    this.name = name;
    this.parts = Set.copyOf(parts);
    this.home = home;
  }

  @Override
  protected void check() {
    if (!parts.containsAll(parts())) {
      throw new IllegalArgumentException(
          "--only "
              + String.join(",", only)
              + " is not some of "
              + parts.stream().sorted().collect(Collectors.joining(", "))
              + ", with commas");
    }
  }

  /** Returns the names of those parts of the benchmark that the user selected, or of all. */
  public final Set<String> parts() {
    return only == null ? parts : only;
  }

  public final boolean runs(String part) {
    return parts().contains(part);
  }

  protected final boolean isWhole() {
    return parts().equals(parts);
  }

  /** Returns whether the command only makes pages, from the results of an earlier run. */
  protected final boolean isReport() {
    return report != null;
  }

  /**
   * Returns the results file from which the pages are made: the one that the user named, or else
   * the newest.
   */
  protected final Path reported() throws IOException {
    return report.isEmpty() ? newest() : Path.of(report);
  }

  /** A function that measures structures in a directory and returns the command's exit code. */
  protected interface Measurement {
    int run(Path directory) throws IOException;
  }

  /**
   * Runs a measurement of structures on a drive in a new directory, which is deleted afterwards.
   *
   * @param neededBytes space that it needs on the drive
   * @param smaller advice for the user on how to need less
   * @throws IOException with a message for the user, if there is too little space
   */
  protected final int inScratch(double neededBytes, String smaller, Measurement work)
      throws IOException {
    Path parent =
        directory != null
            ? directory
            : home.toAbsolutePath().resolve("jmh-bench").resolve("target");
    Path scratch = ScratchDirectory.create(parent, name + "-bench-");
    try {
      double room = Files.getFileStore(parent).getUsableSpace();
      if (room < neededBytes) {
        throw new IOException(
            parent
                + " has room for "
                + Table.number(room / 1e9, 1)
                + " GB, and this takes up to "
                + Table.number(neededBytes / 1e9, 1)
                + " GB: choose another --dir, or "
                + smaller);
      }
      return work.run(scratch);
    } finally {
      ScratchDirectory.delete(scratch);
    }
  }

  /** Returns results that have no samples yet, with the machine and the command of this run. */
  protected final Results results() {
    return new Results(Machine.setting(commandLine()));
  }

  /**
   * Prints expected time, machine and kind of I/O of a run, and returns a display of its progress.
   */
  protected final Progress begin(Results results, double seconds, boolean direct) {
    out.printf(
        "About %s minutes. %s. I/O: %s.%n",
        Progress.clock(seconds),
        results.setting().machine(),
        direct
            ? "direct, past the page cache"
            : "buffered, since this file system has no direct I/O: figures are those of memory");
    return new Progress(out, seconds);
  }

  /** Returns the directory into which the plots of a run are written. */
  protected final Path plots() {
    return home.resolve("jmh-bench").resolve("target").resolve("plots");
  }

  /**
   * Prints the paths of a run's results file and plots.
   *
   * @return the exit code
   */
  protected final int end(Path file, boolean lost) {
    out.printf("%nresults: %s%nplots:   %s%n", shown(file), shown(plots()));
    if (lost) {
      out.println("KEYS WERE LOST: this must not be. Please report it with the results.");
      return 2;
    }
    return 0;
  }

  private Path shown(Path file) {
    return file.startsWith(home) ? home.relativize(file) : file;
  }

  /** Returns the result files that the command has written in the checkout of Winnow. */
  protected final ResultFiles files() {
    return ResultFiles.in(home.resolve("jmh-bench").resolve("results"), name + "_");
  }

  /** Returns the newest result file of a run with default options. */
  protected final Path newest() throws IOException {
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
