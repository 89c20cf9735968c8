package io.winnow.bench.drive;

import io.winnow.bench.Part;
import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import io.winnow.flash.buffered.BufferedBloomOptions;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.report.Results;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow flash bench}: measures sets and maps on flash side by side on this
 * drive.
 */
@Command(name = "winnow flash bench")
public final class FlashBench extends DriveCommand {
  /**
   * Maximum number of bytes that a measured structure takes on the drive if {@code --scale} is 1.
   */
  private static final double MAX_BYTES = 3e9;

  /** Size in bytes of the file with which the drive is measured. */
  private static final long DRIVE_BYTES = 1L << 30;

  private static final double DEFAULT_SECONDS = 8;
  private static final double QUICK_SCALE = 0.02;
  private static final double QUICK_SECONDS = 0.1;
  private static final int PAGE_BYTES = 4096;
  private static final long BUILD_KEYS = 50_000_000;
  private static final long MEMORY = 32L << 20;

  /**
   * Number of pages of the measured buffered Bloom filter if {@code --scale} is 1. Canim et al.
   * have 256 MB in pages of 2 MB; here a page has 4 KiB, and many are read together.
   */
  private static final long PAGES = (256L << 20) / PAGE_BYTES;

  private static final int SMALL_REQUEST = 32 << 10;
  private static final int LARGE_REQUEST = 1 << 20;
  private static final int MEMORY_PER_REQUEST = 16;
  private static final int MEMORY_PER_SMALL_REQUEST = 5;

  /**
   * Size of a map's data as a multiple of the map's memory: Anand and others had 32 GB of flash for
   * 4 GB of memory.
   */
  private static final int DATA_OVER_MEMORY = 8;

  private static final String DRIVE = "drive";

  // names in the results
  static final String SETUP = "flash.setup";
  static final String RUN = "flash.run";
  static final String PLAIN = "plain-bloom";
  static final String ELEVATOR = "elevator-bloom";
  static final String BUFFERED = "buffered-bloom";
  static final String SET = "build and probe";

  /**
   * Factor by which the numbers of keys and the sizes of memory and flash differ from those of
   * Canim et al.
   */
  @Option(names = "--scale")
  @Range(min = 0.01, max = 20)
  Double scale;

  /** Length in seconds of each measurement that does not have a fixed number of keys. */
  @Option(names = "--seconds")
  @Range(min = 0.01, max = 3600)
  Double seconds;

  FlashBench(Path home) {
    super(home, "flash", "a smaller --scale", "buffered", "waits", "sets", "maps", "peers");
  }

  public static void main(String[] arguments) {
    main(() -> new FlashBench(home()), arguments);
  }

  @Override
  protected void check() {
    super.check();
    scale = scale != null ? scale : quick ? QUICK_SCALE : 1;
    seconds = seconds != null ? seconds : quick ? QUICK_SECONDS : DEFAULT_SECONDS;
  }

  @Override
  public String variant() {
    boolean isUsual = scale == 1 && seconds == DEFAULT_SECONDS && partsSuffix().isEmpty();
    return quick ? "_quick" : isUsual ? "" : "_scale-" + scale;
  }

  /** Returns the number of keys that are inserted into a set. */
  long buildKeys() {
    return Math.round(BUILD_KEYS * scale);
  }

  /** Returns the number of keys of a buffered Bloom filter, which takes whole batches. */
  long batchedKeys() {
    return buildKeys() / ProbeKeys.BATCH * ProbeKeys.BATCH;
  }

  /**
   * Returns a multiple or a part of the memory of a structure on flash, in bytes of whole pages.
   */
  long memoryBytes(double times) {
    return (long) (MEMORY * scale * times / PAGE_BYTES) * PAGE_BYTES;
  }

  /** Returns the options of a buffered Bloom filter, apart from its hash functions. */
  BufferedBloomOptions buffered(double memoryTimes) {
    long memory = memoryBytes(memoryTimes);
    return BufferedBloomOptions.defaults()
        .pages(Math.round(PAGES * scale))
        .keys(buildKeys())
        .memoryBudget(memory)
        .requestBytes(requestBytes(memory));
  }

  /**
   * Returns the number of bytes that the buffered Bloom filter reads in one request: as many as it
   * would choose, but in a small run not as few.
   */
  private static int requestBytes(long memoryBytes) {
    long small = Math.min(SMALL_REQUEST, memoryBytes / MEMORY_PER_SMALL_REQUEST);
    long bytes = Math.min(LARGE_REQUEST, Math.max(small, memoryBytes / MEMORY_PER_REQUEST));
    return (int) Math.max(PAGE_BYTES, bytes / PAGE_BYTES * PAGE_BYTES);
  }

  /**
   * Returns the number of bits of the measured classic Bloom filter in memory, from its size at
   * {@code --scale} 1.
   */
  long bits(double megabytes) {
    return Math.round(megabytes * scale * (8 << 20));
  }

  /** Returns the number of entries that a map has before its lookups and inserts are measured. */
  int mapEntries() {
    return Math.toIntExact(DATA_OVER_MEMORY * memoryBytes(1) / (Long.BYTES + FlashMap.VALUE_BYTES));
  }

  /**
   * Returns the number of keys that a set of RocksDB or BerkeleyDB has before its inserts and
   * lookups are measured. It has fewer than the others, because all keys would take an hour.
   */
  int peerKeys() {
    return Math.toIntExact(buildKeys() / 10);
  }

  /** Returns the peers that are measured, if any. */
  List<MapPeer> peers() {
    return parts().contains("peers") ? List.of(MapPeer.values()) : List.of();
  }

  @Override
  protected Part part(String part, Run run) {
    return switch (part) {
      case DRIVE -> new DriveSpeedCase(this, run, Math.round(DRIVE_BYTES * Math.min(1, scale)));
      case "buffered" -> new BufferedCase(this, run);
      case "waits" -> new WaitsCase(this, run);
      case "sets" -> new SetsCase(this, run);
      case "maps" -> new MapsCase(this, run);
      default -> null; // peers, which are in the cases of sets and maps
    };
  }

  /** Returns the names of the selected parts, after the measurement of the drive itself. */
  @Override
  public List<String> parts() {
    return Stream.concat(Stream.of(DRIVE), super.parts().stream()).toList();
  }

  @Override
  protected void setUp(Run run) {
    run.samples(SETUP)
        .add("direct", direct ? 1 : 0)
        .add("scale", scale)
        .add("buildKeys", buildKeys())
        .add("memoryBytes", memoryBytes(1))
        .add("mapEntries", mapEntries())
        .add("peerKeys", peerKeys());
  }

  @Override
  double neededBytes() {
    return quick ? 0 : MAX_BYTES * Math.max(1, scale);
  }

  /** Returns the number of inserted keys that were not found, and of wrong values. */
  @Override
  protected double lost(Results results) {
    return results.sum(RUN, "lost");
  }

  /** Returns the samples of a structure under a workload. */
  static Samples samples(Run run, String structure, String workload) {
    return run.samples(RUN, "structure", structure, "workload", workload);
  }
}
