package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Progress;
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
import java.util.function.Function;
import java.util.function.Predicate;

/** What the benches on a drive have in common, from their command line to their results. */
public final class DriveCommand {
  private final String name;
  private final Path home;
  private final PrintStream out;

  private DriveCommand(String name, Path home, PrintStream out) {
    this.name = name;
    this.home = home;
    this.out = out;
  }

  /** Of {@code ./winnow NAME bench}. */
  public static DriveCommand of(String name, Path home, PrintStream out) {
    return new DriveCommand(name, home, out);
  }

  /** What is done, with options or in a directory; it gives the exit code. */
  public interface Work<T> {
    int run(T with) throws IOException;
  }

  /**
   * Reads the command line and does what it says, or says what is wrong.
   *
   * @return the exit code
   */
  public <T> int run(
      String[] arguments,
      Function<String[], T> parse,
      Predicate<T> asksForHelp,
      String usage,
      Work<T> work) {
    T options;
    try {
      options = parse.apply(arguments);
    } catch (IllegalArgumentException e) {
      System.err.print("winnow " + name + " bench: " + e.getMessage() + "\n" + usage);
      return 64;
    }
    if (asksForHelp.test(options)) {
      out.print(usage);
      return 0;
    }
    try {
      return work.run(options);
    } catch (IOException e) {
      System.err.println("winnow " + name + " bench: " + UserFiles.sentence(e));
      return 1;
    }
  }

  /**
   * Works in a new directory, which is deleted afterwards.
   *
   * @param given where the user wants it, or null
   * @param neededBytes of the drive
   * @param smaller how the user can have less of that
   */
  public int inScratch(Path given, double neededBytes, String smaller, Work<Path> work)
      throws IOException {
    Path parent =
        given != null ? given : home.toAbsolutePath().resolve("jmh-bench").resolve("target");
    Path directory = ScratchDirectory.create(parent, name + "-bench-");
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
      return work.run(directory);
    } finally {
      ScratchDirectory.delete(directory);
    }
  }

  /** Empty results of a run with these arguments. */
  public Results results(String[] arguments) {
    String command = ("./winnow " + name + " bench " + String.join(" ", arguments)).strip();
    return new Results(Machine.setting(System.getProperty("winnow.commit", "unknown"), command));
  }

  /** Says what begins. */
  public Progress begin(Results results, double seconds, boolean direct) {
    out.printf(
        "About %s minutes. %s. I/O: %s.%n",
        Progress.clock(seconds),
        results.setting().machine(),
        direct
            ? "direct, past the page cache"
            : "buffered, since this file system has no direct I/O: figures are those of memory");
    return new Progress(out, seconds);
  }

  /** Where plots of a run go. */
  public Path plots() {
    return home.resolve("jmh-bench").resolve("target").resolve("plots");
  }

  /**
   * Says where the results of a run are.
   *
   * @return the exit code
   */
  public int end(Path file, boolean lost) {
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

  /** Where results are kept. */
  public ResultFiles files() {
    return ResultFiles.in(home.resolve("jmh-bench").resolve("results"), name + "_");
  }

  /** The newest results of a run with defaults. */
  public Path newest() throws IOException {
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
