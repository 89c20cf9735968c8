package io.winnow.bench.drive;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow flash bench}: measures sets and maps on flash side by side on this
 * drive; or writes {@code docs/flash-bench.md} from earlier results.
 */
@Command(name = "winnow flash bench")
public final class FlashBench extends DriveCommand {
  /**
   * Maximum number of bytes that a measured structure takes on the drive if {@code --scale} is 1.
   */
  private static final double MAX_BYTES = 3e9;

  /** Size in bytes of the file with which the drive is measured. */
  private static final long DRIVE_BYTES = 1L << 30;

  /** Number of threads that read from the drive at the same time. */
  private static final int DEPTH = 16;

  static final String BUFFERED = "buffered";
  static final String WAITS = "waits";
  static final String SETS = "sets";
  static final String MAPS = "maps";
  static final String PEERS = "peers";
  static final List<String> PARTS = List.of(BUFFERED, WAITS, SETS, MAPS, PEERS);

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

  private static final int ENTRY_BYTES = Long.BYTES + Store.VALUE_BYTES;

  private static final int SMALL_REQUEST = 32 << 10;
  private static final int LARGE_REQUEST = 1 << 20;
  private static final int MEMORY_PER_REQUEST = 16;
  private static final int MEMORY_PER_SMALL_REQUEST = 5;

  /**
   * Size of a map's data as a multiple of the map's memory: Anand and others had 32 GB of flash for
   * 4 GB of memory.
   */
  private static final int DATA_OVER_MEMORY = 8;

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
    super("flash", PARTS, home);
  }

  public static void main(String[] arguments) {
    QuietEnd.install();
    FlashBench bench = new FlashBench(Path.of(System.getProperty("winnow.home", "")));
    System.exit(bench.run(System.out, System.err, arguments));
  }

  @Override
  protected void check() {
    super.check();
    scale = scale != null ? scale : quick ? QUICK_SCALE : 1;
    seconds = seconds != null ? seconds : quick ? QUICK_SECONDS : DEFAULT_SECONDS;
  }

  /** Returns whether the run has the scale, times and parts with which results are published. */
  boolean isDefault() {
    return scale == 1 && seconds == DEFAULT_SECONDS && isWhole();
  }

  /**
   * Returns the number of keys that are inserted into a set, and also of keys that are looked up in
   * it.
   */
  long buildKeys() {
    return Math.round(BUILD_KEYS * scale);
  }

  /** Returns the memory of each structure on flash, in bytes. */
  long memoryBytes() {
    return memoryBytes(1);
  }

  /**
   * Returns a multiple or a part of the memory of a structure on flash, in bytes of whole pages.
   */
  long memoryBytes(double times) {
    return (long) (MEMORY * scale * times / PAGE_BYTES) * PAGE_BYTES;
  }

  /**
   * Returns the number of bytes that the buffered Bloom filter reads in one request: as many as it
   * would choose, but in a small run not as few.
   */
  static int requestBytes(long memoryBytes) {
    long small = Math.min(SMALL_REQUEST, memoryBytes / MEMORY_PER_SMALL_REQUEST);
    long bytes = Math.min(LARGE_REQUEST, Math.max(small, memoryBytes / MEMORY_PER_REQUEST));
    return (int) Math.max(PAGE_BYTES, bytes / PAGE_BYTES * PAGE_BYTES);
  }

  /** Returns the number of pages of the measured buffered Bloom filter. */
  long pages() {
    return Math.round(PAGES * scale);
  }

  /**
   * Returns the number of bits of the measured classic Bloom filter in memory, from its size at
   * {@code --scale} 1.
   */
  long bits(double megabytes) {
    return Math.round(megabytes * scale * (8 << 20));
  }

  /** Returns the number of entries that a map has before its lookups and inserts are measured. */
  long mapEntries() {
    return DATA_OVER_MEMORY * memoryBytes() / ENTRY_BYTES;
  }

  /**
   * Returns the number of keys that a set of RocksDB or BerkeleyDB has before its inserts and
   * lookups are measured. It has fewer than the others, because all keys would take an hour.
   */
  long peerKeys() {
    return buildKeys() / 10;
  }

  @Override
  protected int work() throws IOException {
    if (isReport()) {
      return writeReport();
    }
    UserFiles.requireWritable(json);
    double needed = quick ? 0 : MAX_BYTES * Math.max(1, scale);
    return inScratch(needed, "a smaller --scale", this::measure);
  }

  private int measure(Path directory) throws IOException {
    Results results = results();
    boolean direct = Drive.isDirect(directory);
    FlashMetrics.setup(results, "direct", direct ? 1 : 0);
    setUp(results);
    double total =
        seconds
            + BufferedRuns.weight(this)
            + WaitRuns.weight(this)
            + SetRuns.weight(this)
            + MapRuns.weight(this);
    Progress progress = begin(results, total, direct);
    measureDrive(directory.resolve("drive"), results, progress);
    new BufferedRuns(this, directory, results, progress).run();
    new WaitRuns(this, directory, results, progress).run();
    new SetRuns(this, directory, results, progress).run();
    new MapRuns(this, directory, results, progress).run();
    return publish(results.withSeconds(Math.round(progress.seconds())));
  }

  private void measureDrive(Path file, Results results, Progress progress) throws IOException {
    try (Drive drive = Drive.create(file, Math.round(DRIVE_BYTES * Math.min(1, scale)))) {
      double large = drive.readMegabytesPerSecond(seconds / 4);
      double single = drive.pagesPerSecond(1, seconds / 4);
      double many = drive.pagesPerSecond(DEPTH, seconds / 4);
      FlashMetrics.setup(
          results, "largeWriteMegabytesPerSecond", drive.writtenMegabytesPerSecond());
      FlashMetrics.setup(results, "largeReadMegabytesPerSecond", large);
      FlashMetrics.setup(results, "longestLargeRequestMillis", drive.longestLargeMillis());
      FlashMetrics.setup(results, "pageReadsPerSecond", single);
      FlashMetrics.setup(results, "pageReadsPerSecondAtDepth16", many);
      progress.step(
          seconds,
          "drive",
          Table.number(single, 0)
              + " page reads/s one at a time, "
              + Table.number(many, 0)
              + " at depth "
              + DEPTH);
    }
  }

  private void setUp(Results results) {
    FlashMetrics.setup(results, "scale", scale);
    FlashMetrics.setup(results, "buildKeys", buildKeys());
    FlashMetrics.setup(results, "memoryBytes", memoryBytes());
    FlashMetrics.setup(results, "mapEntries", mapEntries());
    FlashMetrics.setup(results, "peerKeys", peerKeys());
  }

  private int publish(Results results) throws IOException {
    Path file = files().write(results, variant());
    if (json != null) {
      Files.writeString(json, RunsDocument.of(results).json());
    }
    PageTemplate made = page(results, "");
    out.print(made.text());
    made.writePlots(plots());
    Files.writeString(plots().resolve("flash-runs.csv"), RunsDocument.of(results).csv());
    return end(file, lost(results) > 0);
  }

  /**
   * Returns the tables and plots of a run of {@code ./winnow flash bench}, for a terminal and as
   * {@code docs/flash-bench.md}.
   */
  static PageTemplate page(Results results, String file) {
    return PageTemplate.of(
        FlashBench.class,
        "flash-bench.ftl",
        results,
        Map.of("resultsFile", file, "lost", lost(results)));
  }

  /**
   * Returns the number of inserted keys that were not found and of wrong values, over all
   * structures and workloads of a run.
   */
  static double lost(Results results) {
    double lost = 0;
    for (String structure : results.values(FlashMetrics.RUN, FlashMetrics.STRUCTURE)) {
      for (String workload : results.values(FlashMetrics.RUN, FlashMetrics.WORKLOAD)) {
        Object[] at = {FlashMetrics.STRUCTURE, structure, FlashMetrics.WORKLOAD, workload};
        lost += results.median(FlashMetrics.RUN, FlashMetrics.LOST, at).orElse(0);
      }
    }
    return lost;
  }

  private String variant() {
    if (quick) {
      return "_quick";
    }
    return isDefault() ? "" : "_scale-" + scale;
  }

  private int writeReport() throws IOException {
    Path file = reported();
    Results results = ResultFiles.read(file);
    PageTemplate made = page(results, file.getFileName().toString());
    Path docs = home.resolve("docs");
    made.write(docs, "flash-bench");
    Files.writeString(docs.resolve("plots/flash-runs.csv"), RunsDocument.of(results).csv());
    out.printf("docs/flash-bench.md, from %s%n", file.getFileName());
    return 0;
  }
}
