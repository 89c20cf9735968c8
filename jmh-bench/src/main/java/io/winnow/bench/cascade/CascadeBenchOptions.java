package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.command.Help;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What the user asked for. Paths that were not given are {@code null}.
 *
 * @param seconds of each measurement that is not of a fixed number of keys
 * @param parts of the run, some of {@link #PARTS}
 */
record CascadeBenchOptions(
    long keys,
    long memoryBytes,
    double rate,
    Path directory,
    int fanOut,
    int mergeThreads,
    int readThreads,
    int batch,
    double seconds,
    Set<String> parts,
    boolean report,
    Path reportFile,
    boolean help) {

  static final long DEFAULT_KEYS = 500_000_000;
  static final long DEFAULT_MEMORY = 64L << 20;
  static final double DEFAULT_RATE = 0.0004;

  static final String CASCADE = "cascade";
  static final String TOMBSTONES = "tombstones";
  static final String BLOOM = "bloom";
  static final Set<String> PARTS = Set.of(CASCADE, TOMBSTONES, BLOOM);

  static final String USAGE = Help.of("cascade") + "\n";

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static CascadeBenchOptions parse(String... args) {
    Arguments arguments =
        Arguments.parse(
            List.of(),
            List.of(
                "keys",
                "memory",
                "rate",
                "dir",
                "fan-out",
                "threads",
                "read-threads",
                "batch",
                "seconds",
                "only"),
            List.of("report"),
            args);
    return new CascadeBenchOptions(
        arguments.whole("keys", DEFAULT_KEYS, 10_000, 1e12),
        bytes(arguments.text("memory")),
        arguments.number("rate", DEFAULT_RATE, 1e-9, 0.5),
        arguments.path("dir"),
        (int) arguments.whole("fan-out", 4, 2, 64),
        (int) arguments.whole("threads", 1, 1, 64),
        (int) arguments.whole("read-threads", 16, 1, 256),
        (int) arguments.whole("batch", 1024, 2, 1 << 20),
        arguments.number("seconds", 10, 0.01, 86_400),
        parts(arguments.text("only")),
        arguments.has("report"),
        arguments.path("report"),
        arguments.has("help"));
  }

  /** Whether such a run is the one that is published. */
  boolean isDefault() {
    return keys == DEFAULT_KEYS
        && memoryBytes == DEFAULT_MEMORY
        && rate == DEFAULT_RATE
        && parts.equals(PARTS);
  }

  private static Set<String> parts(String text) {
    Set<String> parts = text == null ? PARTS : Set.copyOf(List.of(text.split(",")));
    if (!PARTS.containsAll(parts)) {
      throw new IllegalArgumentException(
          "--only " + text + " is not some of cascade, tombstones and bloom, with commas");
    }
    return parts;
  }

  /** A number of bytes, or of K, M, G of 1024 each. */
  private static long bytes(String text) {
    if (text == null) {
      return DEFAULT_MEMORY;
    }
    int unit = "KMG".indexOf(Character.toUpperCase(text.charAt(text.length() - 1)));
    try {
      long number = Long.parseLong(unit < 0 ? text : text.substring(0, text.length() - 1));
      long bytes = Math.multiplyExact(number, 1L << 10 * (unit + 1));
      if (bytes >= 1 << 20) {
        return bytes;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // The same message as for too little.
    }
    throw new IllegalArgumentException(
        "--memory " + text + " is not a size of 1M at least, such as 64M or 2G");
  }
}
