package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.command.Help;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What the user asked for. Paths that were not given are {@code null}.
 *
 * @param large rows of the large file, in flushes
 * @param majorAt the flush after which all files are compacted into one; 0 for none
 * @param gets absent rows, and as many present ones, that are asked for at each moment
 * @param memory values of {@code winnow.store.memory} beside the default
 * @param chunk bytes of a full chunk of a filter
 * @param seed of the sizes of flushes and of the rows asked for
 */
record RatesOptions(
    int large,
    int flushes,
    int rowsPerFlush,
    int majorAt,
    double errorRate,
    List<Double> memory,
    int gets,
    int chunk,
    long seed,
    Path json,
    Path plots,
    boolean report,
    boolean help) {
  static final int DEFAULT_LARGE = 80;
  static final int DEFAULT_FLUSHES = 100;
  static final int DEFAULT_ROWS = 20_000;
  static final int DEFAULT_GETS = 1000;
  static final int DEFAULT_CHUNK = 8192;
  static final int DEFAULT_SEED = 13;
  static final List<Double> DEFAULT_MEMORY = List.of(0.7, 0.6, 0.5);

  /** In place of a list. */
  static final String NONE = "none";

  /** The number of a row has eight digits. */
  private static final long MAX_ROWS = 90_000_000;

  static final String USAGE = Help.of("rates");

  private static final List<String> WITH_VALUE =
      List.of(
          "large",
          "flushes",
          "rows-per-flush",
          "major-at",
          "error-rate",
          "memory",
          "gets",
          "chunk",
          "seed",
          "json",
          "plots");

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static RatesOptions parse(String... args) {
    Arguments arguments = Arguments.parse(List.of("report"), WITH_VALUE, List.of(), args);
    int flushes = (int) arguments.whole("flushes", DEFAULT_FLUSHES, 1, 10_000);
    RatesOptions options =
        new RatesOptions(
            (int) arguments.whole("large", DEFAULT_LARGE, 0, 10_000),
            flushes,
            (int) arguments.whole("rows-per-flush", DEFAULT_ROWS, 10, 10_000_000),
            (int) arguments.whole("major-at", 0, 0, flushes),
            arguments.number("error-rate", 0.01, 1e-6, 0.2),
            memory(arguments.text("memory")),
            (int) arguments.whole("gets", DEFAULT_GETS, 1, 1_000_000),
            (int) arguments.whole("chunk", DEFAULT_CHUNK, 512, 64 << 20),
            arguments.whole("seed", DEFAULT_SEED, 0, 1e15),
            arguments.path("json"),
            arguments.path("plots"),
            arguments.has("report"),
            arguments.has("help"));
    long rows = Schedule.of(options).rows();
    if (rows > MAX_ROWS) {
      throw new IllegalArgumentException(
          rows + " rows are too many, must be at most " + MAX_ROWS + ": fewer --rows-per-flush");
    }
    return options;
  }

  private static List<Double> memory(String list) {
    if (list == null) {
      return DEFAULT_MEMORY;
    }
    if (list.equals(NONE)) {
      return List.of();
    }
    return Arrays.stream(list.split(",", -1))
        .map(share -> Arguments.number("memory", share, 0.1, 1.25))
        .toList();
  }
}
