package io.winnow.bench.drive;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow cascade bench}: measures a cascade filter beside Bloom filters on
 * flash, like figures 3 and 4 of Bender et al., "Don't Thrash: How to Cache Your Hash on Flash",
 * HotStorage 2011. It also writes the page in {@code docs/} from earlier results.
 */
@Command(name = "winnow cascade bench")
public final class CascadeBench extends DriveCommand {
  static final long DEFAULT_KEYS = 500_000_000;
  static final long DEFAULT_MEMORY = 64L << 20;
  static final double DEFAULT_RATE = 0.0004;

  /**
   * Number of keys of each filter with {@code --quick}, which still take several times the memory.
   */
  private static final long QUICK_KEYS = 2_000_000;

  private static final long QUICK_MEMORY = 2 << 20;
  private static final double QUICK_SECONDS = 0.05;

  /** Divisor of the number of keys and of the memory for the loop of lookups and inserts. */
  private static final int MIX_PART = 8;

  private static final long MIN_MIX_MEMORY = 1 << 19;

  static final String CASCADE = "cascade";
  static final String TOMBSTONES = "tombstones";
  static final String BLOOM = "bloom";
  static final String MIX = "mix";
  static final List<String> PARTS = List.of(CASCADE, TOMBSTONES, BLOOM, MIX);

  @Option(names = "--keys")
  @Range(min = 10_000, max = 1e12)
  Long keys;

  @Option(names = "--memory")
  private String memorySize;

  long memoryBytes;

  @Option(names = "--rate")
  @Range(min = 1e-6, max = 0.5)
  double rate = DEFAULT_RATE;

  @Option(names = "--fan-out")
  @Range(min = 2, max = 64)
  int fanOut = 4;

  @Option(names = "--threads")
  @Range(min = 1, max = 64)
  int mergeThreads = 1;

  @Option(names = "--read-threads")
  @Range(min = 1, max = 256)
  int readThreads = 32;

  @Option(names = "--batch")
  @Range(min = 2, max = 1 << 20)
  int batch = 1024;

  /** Length in seconds of each measurement that does not have a fixed number of keys. */
  @Option(names = "--seconds")
  @Range(min = 0.01, max = 86_400)
  Double seconds;

  CascadeBench(Path home) {
    super("cascade", PARTS, home);
  }

  public static void main(String[] arguments) {
    QuietEnd.install();
    CascadeBench bench = new CascadeBench(Path.of(System.getProperty("winnow.home", "")));
    System.exit(bench.run(System.out, System.err, arguments));
  }

  @Override
  protected void check() {
    super.check();
    exclude("quick", "keys", "memory", "seconds");
    keys = keys != null ? keys : quick ? QUICK_KEYS : DEFAULT_KEYS;
    memoryBytes = memorySize != null ? bytes(memorySize) : quick ? QUICK_MEMORY : DEFAULT_MEMORY;
    seconds = seconds != null ? seconds : quick ? QUICK_SECONDS : 10;
  }

  /** Returns whether the run has the keys, memory and rate with which results are published. */
  boolean isDefault() {
    return keys == DEFAULT_KEYS
        && memoryBytes == DEFAULT_MEMORY
        && rate == DEFAULT_RATE
        && isWhole();
  }

  /** Returns the suffix of the results file's name; empty for a run with default options. */
  String variant() {
    boolean isUsual = keys == DEFAULT_KEYS && memoryBytes == DEFAULT_MEMORY && rate == DEFAULT_RATE;
    String size = quick ? "_quick" : isUsual ? "" : "_" + keys + "-keys";
    String some = PARTS.stream().filter(this::runs).collect(Collectors.joining("-"));
    return size + (isWhole() ? "" : "_" + some);
  }

  /** Returns the number of keys in each filter at the end of the loop of lookups and inserts. */
  long mixKeys() {
    return keys / MIX_PART;
  }

  /** Returns the memory of each filter in the loop of lookups and inserts, in bytes. */
  long mixMemoryBytes() {
    return Math.max(MIN_MIX_MEMORY, memoryBytes / MIX_PART);
  }

  /**
   * Returns the number of sizes of the filters at which the loop of lookups and inserts is
   * measured.
   */
  int moments() {
    return quick ? 2 : 12;
  }

  /** Parses a number of bytes, or of K, M or G of 1024 each. */
  private static long bytes(String text) {
    int unit = "KMG".indexOf(Character.toUpperCase(text.charAt(text.length() - 1)));
    try {
      long number = Long.parseLong(unit < 0 ? text : text.substring(0, text.length() - 1));
      long bytes = Math.multiplyExact(number, 1L << 10 * (unit + 1));
      if (bytes >= 1 << 20) {
        return bytes;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // It gets the message for too few bytes.
    }
    throw new IllegalArgumentException(
        "--memory " + text + " is not a size of 1M at least, such as 64M or 2G");
  }

  @Override
  protected int work() throws IOException {
    return isReport() ? writeReport() : inScratch(neededBytes(), "fewer --keys", this::measure);
  }

  private int measure(Path directory) throws IOException {
    Results results = results();
    boolean direct = Drive.isDirect(directory);
    Map<String, String> setup = Map.of("io", direct ? "DIRECT" : "BUFFERED");
    results.add(CascadeMetrics.SETUP, setup, "keys", keys);
    results.add(CascadeMetrics.SETUP, setup, "memoryBytes", memoryBytes);
    results.add(CascadeMetrics.SETUP, setup, "rate", rate);
    results.add(CascadeMetrics.SETUP, setup, "fanOut", fanOut);
    results.add(CascadeMetrics.SETUP, setup, "batch", batch);
    double total = MixRuns.weight(this) + CascadeRuns.weight(this) + BloomRuns.weight(this);
    Progress progress = begin(results, total, direct);
    new MixRuns(this, directory, results, progress).run();
    new CascadeRuns(this, directory, results, progress).run();
    new BloomRuns(this, directory, results, progress).run();
    Results whole = results.withSeconds(Math.round(progress.seconds()));
    Path file = write(whole);
    PageTemplate made = page(whole, "");
    out.print(made.text());
    made.writePlots(plots());
    return end(file, lost(whole) > 0);
  }

  /**
   * Returns the tables and plots of a run of {@code ./winnow cascade bench}, for a terminal and as
   * {@code docs/cascade-bench.md}.
   */
  static PageTemplate page(Results results, String file) {
    return PageTemplate.of(
        CascadeBench.class,
        "cascade-bench.ftl",
        results,
        Map.of("resultsFile", file, "lost", lost(results)));
  }

  /**
   * Returns the number of wrong answers of all filters in a run: inserted keys that were ruled out,
   * and repeats that were taken for new keys.
   */
  static long lost(Results results) {
    double lost = 0;
    for (String filter : results.values(CascadeMetrics.LOOKUP, CascadeMetrics.FILTER)) {
      for (String work : List.of(CascadeMetrics.PRESENT, CascadeMetrics.LEFT)) {
        Object[] at = {CascadeMetrics.FILTER, filter, CascadeMetrics.WORK, work};
        lost +=
            results.median(CascadeMetrics.LOOKUP, "operations", at).orElse(0)
                - results.median(CascadeMetrics.LOOKUP, "positives", at).orElse(0);
      }
    }
    for (String filter : results.values(CascadeMetrics.MIX, CascadeMetrics.FILTER)) {
      for (Work work : Work.ALL) {
        lost += work.median(results, filter, "missed").orElse(0);
      }
    }
    return (long) lost;
  }

  private Path write(Results results) throws IOException {
    if (json == null) {
      return files().write(results, variant());
    }
    Files.createDirectories(json.getParent());
    return Files.writeString(json, results.json());
  }

  /**
   * Returns the space in bytes that the largest filter takes on the drive while it is merged, with
   * some room to spare.
   */
  private double neededBytes() {
    double bitsPerKey = 4 - Math.log(rate) / Math.log(2);
    return 2.5 * keys * bitsPerKey / 8;
  }

  /**
   * Writes {@code docs/cascade-bench.md} from the newest run with default options, or from the
   * named results file.
   */
  private int writeReport() throws IOException {
    Path file = reported();
    String name = file.getFileName().toString();
    Path docs = home.resolve("docs");
    Files.createDirectories(docs);
    page(ResultFiles.read(file), name).write(docs, "cascade-bench");
    out.printf("docs/cascade-bench.md, from %s%n", name);
    return 0;
  }
}
