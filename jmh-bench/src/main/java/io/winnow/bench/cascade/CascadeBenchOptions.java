package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.command.Help;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the user asked for. Paths that were not given are {@code null}.
 *
 * @param seconds of each measurement that is not of a fixed number of keys
 * @param parts of the run, some of {@link #PARTS}
 * @param quick whether it is small, to see that all of it works
 * @param json where results go
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
    boolean quick,
    Path json,
    boolean report,
    Path reportFile,
    boolean help) {

  static final long DEFAULT_KEYS = 500_000_000;
  static final long DEFAULT_MEMORY = 64L << 20;
  static final double DEFAULT_RATE = 0.0004;

  /** With {@code --quick}: still several times the memory. */
  private static final long QUICK_KEYS = 2_000_000;

  private static final long QUICK_MEMORY = 2 << 20;
  private static final double QUICK_SECONDS = 0.05;

  /** The mixed loop has a smaller set and less memory than the rest, in the same proportion. */
  private static final int MIX_PART = 8;

  private static final long LEAST_MIX_MEMORY = 1 << 19;

  static final String CASCADE = "cascade";
  static final String TOMBSTONES = "tombstones";
  static final String BLOOM = "bloom";
  static final String MIX = "mix";
  static final List<String> PARTS = List.of(CASCADE, TOMBSTONES, BLOOM, MIX);

  static final String USAGE = Help.of("cascade") + "\n";

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static CascadeBenchOptions parse(String... args) {
    Arguments arguments =
        Arguments.parse(
            List.of("quick"),
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
                "only",
                "json"),
            List.of("report"),
            args);
    arguments.exclude("quick", "keys", "memory", "seconds");
    boolean quick = arguments.has("quick");
    return new CascadeBenchOptions(
        arguments.whole("keys", quick ? QUICK_KEYS : DEFAULT_KEYS, 10_000, 1e12),
        bytes(arguments.text("memory"), quick ? QUICK_MEMORY : DEFAULT_MEMORY),
        arguments.number("rate", DEFAULT_RATE, 1e-6, 0.5),
        arguments.path("dir"),
        (int) arguments.whole("fan-out", 4, 2, 64),
        (int) arguments.whole("threads", 1, 1, 64),
        (int) arguments.whole("read-threads", 32, 1, 256),
        (int) arguments.whole("batch", 1024, 2, 1 << 20),
        arguments.number("seconds", quick ? QUICK_SECONDS : 10, 0.01, 86_400),
        parts(arguments.text("only")),
        quick,
        arguments.path("json"),
        arguments.has("report"),
        arguments.path("report"),
        arguments.has("help"));
  }

  /** Whether such a run is the one that is published. */
  boolean isDefault() {
    return keys == DEFAULT_KEYS
        && memoryBytes == DEFAULT_MEMORY
        && rate == DEFAULT_RATE
        && parts.equals(Set.copyOf(PARTS));
  }

  /** How the name of its results ends, empty for a run with defaults. */
  String variant() {
    boolean isUsual = keys == DEFAULT_KEYS && memoryBytes == DEFAULT_MEMORY && rate == DEFAULT_RATE;
    String size = quick ? "_quick" : isUsual ? "" : "_" + keys + "-keys";
    String some = PARTS.stream().filter(parts::contains).collect(Collectors.joining("-"));
    return size + (parts.size() == PARTS.size() ? "" : "_" + some);
  }

  /** The keys of the mixed loop. */
  long mixKeys() {
    return keys / MIX_PART;
  }

  /** The memory of each filter in the mixed loop. */
  long mixMemoryBytes() {
    return Math.max(LEAST_MIX_MEMORY, memoryBytes / MIX_PART);
  }

  /** At how many sizes of its set the mixed loop is measured. */
  int moments() {
    return quick ? 2 : 12;
  }

  private static Set<String> parts(String text) {
    Set<String> parts = text == null ? Set.copyOf(PARTS) : Set.copyOf(List.of(text.split(",")));
    if (!PARTS.containsAll(parts)) {
      throw new IllegalArgumentException(
          "--only " + text + " is not some of " + String.join(", ", PARTS) + ", with commas");
    }
    return parts;
  }

  /** A number of bytes, or of K, M, G of 1024 each. */
  private static long bytes(String text, long otherwise) {
    if (text == null) {
      return otherwise;
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
