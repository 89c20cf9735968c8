package io.winnow.hbase.dedup.bench;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.command.Help;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What the user asked for. Paths that were not given are {@code null}.
 *
 * @param memory of the filter, in bytes
 * @param batch rows of a call
 * @param threads of the client
 * @param rows of a turn where 90 % are new; half of it in the sweep
 * @param rounds where 90 % of the rows are new
 * @param sweepRounds at each other share of repeats; 0 for no sweep
 */
record BenchOptions(
    long memory,
    int batch,
    int threads,
    int rows,
    int rounds,
    int sweepRounds,
    boolean quick,
    Path directory,
    Path json,
    Path plots,
    boolean report,
    boolean help) {
  static final String USAGE = Help.of("dedup");

  private static final List<String> WITH_VALUE =
      List.of(
          "memory", "batch", "threads", "rows", "rounds", "sweep-rounds", "dir", "json", "plots");

  private static final long MEBIBYTE = 1 << 20;

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static BenchOptions parse(String... args) {
    Arguments arguments = Arguments.parse(List.of("quick", "report"), WITH_VALUE, List.of(), args);
    boolean quick = arguments.has("quick");
    return new BenchOptions(
        memory(arguments, quick),
        (int) arguments.whole("batch", 1000, 1, 100_000),
        (int) arguments.whole("threads", 2, 1, 64),
        (int) arguments.whole("rows", quick ? 2000 : 10_000, 100, 1_000_000),
        (int) arguments.whole("rounds", quick ? 2 : 12, 1, 1000),
        (int) arguments.whole("sweep-rounds", quick ? 0 : 6, 0, 1000),
        quick,
        arguments.path("dir"),
        arguments.path("json"),
        arguments.path("plots"),
        arguments.has("report"),
        arguments.has("help"));
  }

  private static long memory(Arguments arguments, boolean quick) {
    String text = arguments.text("memory");
    if (text == null) {
      return quick ? MEBIBYTE / 2 : 4 * MEBIBYTE;
    }
    String number = text.toUpperCase(Locale.ROOT).replaceFirst("M$", "");
    return (long) (Arguments.number("memory", number, 0.5, 1024) * MEBIBYTE);
  }

  /** As it is told in the results: without names of files. */
  static String command(String... args) {
    StringBuilder command = new StringBuilder("./winnow dedup bench");
    for (int i = 0; i < args.length; i++) {
      String name = args[i].split("=", 2)[0];
      if (List.of("--json", "--plots", "--dir").contains(name)) {
        i += args[i].contains("=") ? 0 : 1;
      } else {
        command.append(' ').append(args[i]);
      }
    }
    return command.toString();
  }
}
