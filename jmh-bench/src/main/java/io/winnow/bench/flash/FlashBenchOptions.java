package io.winnow.bench.flash;

import io.winnow.hbase.cli.Arguments;
import io.winnow.hbase.command.Help;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What the user asked for. Paths that were not given are {@code null}.
 *
 * @param scale of keys, memory and flash, all in proportion: at 1 they are those of Canim et al.
 * @param seconds of each measurement that is not of a fixed number of keys
 * @param parts of the run, some of {@link #PARTS}
 */
record FlashBenchOptions(
    double scale,
    double seconds,
    Path directory,
    Set<String> parts,
    boolean quick,
    Path json,
    boolean report,
    Path reportFile,
    boolean help) {

  static final String BUFFERED = "buffered";
  static final String WAITS = "waits";
  static final String SETS = "sets";
  static final String MAPS = "maps";
  static final String PEERS = "peers";
  static final Set<String> PARTS = Set.of(BUFFERED, WAITS, SETS, MAPS, PEERS);

  static final String USAGE = Help.of("flash") + "\n";

  private static final double DEFAULT_SECONDS = 8;
  private static final double QUICK_SCALE = 0.02;
  private static final double QUICK_SECONDS = 0.1;
  private static final int PAGE_BYTES = 4096;
  private static final long BUILD_KEYS = 50_000_000;
  private static final long MEMORY = 32L << 20;

  /**
   * Canim et al. have 256 MB in pages of 2 MB; here a page has 4 KiB, and they are read together.
   */
  private static final long PAGES = (256L << 20) / PAGE_BYTES;

  /** Of a map's entry, as of a chunk that is kept once: 8 bytes of key, 24 of value. */
  static final int VALUE_BYTES = 24;

  private static final int ENTRY_BYTES = Long.BYTES + VALUE_BYTES;

  private static final int SMALL_REQUEST = 32 << 10;
  private static final int LARGE_REQUEST = 1 << 20;
  private static final int MEMORY_PER_REQUEST = 16;
  private static final int MEMORY_PER_SMALL_REQUEST = 5;

  /** Data over memory, as Anand et al. had 32 GB of flash for 4 GB of memory. */
  private static final int DATA_OVER_MEMORY = 8;

  /**
   * Reads the command line.
   *
   * @throws IllegalArgumentException with a message for the user
   */
  static FlashBenchOptions parse(String... args) {
    Arguments arguments =
        Arguments.parse(
            List.of("quick"),
            List.of("scale", "seconds", "dir", "only", "json"),
            List.of("report"),
            args);
    boolean quick = arguments.has("quick");
    return new FlashBenchOptions(
        arguments.number("scale", quick ? QUICK_SCALE : 1, 0.01, 20),
        arguments.number("seconds", quick ? QUICK_SECONDS : DEFAULT_SECONDS, 0.01, 3600),
        arguments.path("dir"),
        parts(arguments.text("only")),
        quick,
        arguments.path("json"),
        arguments.has("report"),
        arguments.path("report"),
        arguments.has("help"));
  }

  private static Set<String> parts(String text) {
    Set<String> parts = text == null ? PARTS : Set.copyOf(List.of(text.split(",")));
    if (!PARTS.containsAll(parts)) {
      throw new IllegalArgumentException(
          "--only " + text + " is not some of buffered, waits, sets, maps and peers, with commas");
    }
    return parts;
  }

  boolean has(String part) {
    return parts.contains(part);
  }

  /** Whether such a run is the one that is published. */
  boolean isDefault() {
    return scale == 1 && seconds == DEFAULT_SECONDS && parts.equals(PARTS);
  }

  /** Keys to build from, and as many to probe for. */
  long buildKeys() {
    return Math.round(BUILD_KEYS * scale);
  }

  /** Of each structure on flash. */
  long memoryBytes() {
    return memoryBytes(1);
  }

  /** A multiple of it, or a part, in whole pages. */
  long memoryBytes(double times) {
    return (long) (MEMORY * scale * times / PAGE_BYTES) * PAGE_BYTES;
  }

  /**
   * What the buffered Bloom filter reads at once: its own choice, but not so little that a small
   * run is one of small requests.
   */
  static int requestBytes(long memoryBytes) {
    long small = Math.min(SMALL_REQUEST, memoryBytes / MEMORY_PER_SMALL_REQUEST);
    long bytes = Math.min(LARGE_REQUEST, Math.max(small, memoryBytes / MEMORY_PER_REQUEST));
    return (int) Math.max(PAGE_BYTES, bytes / PAGE_BYTES * PAGE_BYTES);
  }

  /** Of the buffered Bloom filter. */
  long pages() {
    return Math.round(PAGES * scale);
  }

  /** With which the classic Bloom filter in memory has the same rate. */
  long bits(double megabytes) {
    return Math.round(megabytes * scale * (8 << 20));
  }

  /** The entries that a map has before it is measured. */
  long mapEntries() {
    return DATA_OVER_MEMORY * memoryBytes() / ENTRY_BYTES;
  }

  /** The keys that a peer's set has before it is measured: all of them would take an hour. */
  long peerKeys() {
    return buildKeys() / 10;
  }
}
