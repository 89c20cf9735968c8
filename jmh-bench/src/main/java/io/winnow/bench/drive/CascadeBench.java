package io.winnow.bench.drive;

import io.winnow.bench.Part;
import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import io.winnow.cascade.CascadeOptions;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.report.Results;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow cascade bench}: measures a cascade filter beside Bloom filters on
 * flash, like figures 3 and 4 of Bender et al., "Don't Thrash: How to Cache Your Hash on Flash",
 * HotStorage 2011.
 */
@Command(name = "winnow cascade bench")
public final class CascadeBench extends DriveCommand {
  private static final long DEFAULT_KEYS = 500_000_000;
  private static final long DEFAULT_MEMORY = 64L << 20;
  private static final double DEFAULT_RATE = 0.0004;

  /**
   * Number of keys of each filter with {@code --quick}, which still take several times the memory.
   */
  private static final long QUICK_KEYS = 2_000_000;

  private static final long QUICK_MEMORY = 2 << 20;

  /** Divisor of the number of keys and of the memory for the loop of lookups and inserts. */
  private static final int MIX_PART = 8;

  private static final long MIN_MIX_MEMORY = 1 << 19;

  // benchmarks in the results, and works
  static final String INGEST = "cascade.ingest";
  static final String LOOKUP = "cascade.lookup";
  static final String MIX = "cascade.mix";
  static final String PRESENT = "present";
  static final String LEFT = "left after deletes";

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
  private int mergeThreads = 1;

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
    super(home, "cascade", "fewer --keys", "mix", "cascade", "tombstones", "bloom");
  }

  public static void main(String[] arguments) {
    main(() -> new CascadeBench(home()), arguments);
  }

  @Override
  protected void check() {
    super.check();
    exclude("quick", "keys", "memory", "seconds");
    keys = keys != null ? keys : quick ? QUICK_KEYS : DEFAULT_KEYS;
    memoryBytes =
        memorySize != null
            ? bytes("memory", memorySize, 1 << 20)
            : quick ? QUICK_MEMORY : DEFAULT_MEMORY;
    seconds = seconds != null ? seconds : quick ? 0.05 : 10;
  }

  @Override
  public String variant() {
    boolean isUsual = keys == DEFAULT_KEYS && memoryBytes == DEFAULT_MEMORY && rate == DEFAULT_RATE;
    return (quick ? "_quick" : isUsual ? "" : "_" + keys + "-keys") + partsSuffix();
  }

  /** Returns the options of a cascade filter, apart from its fan-out. */
  CascadeOptions cascade(long most, long memory) {
    return CascadeOptions.defaults()
        .memoryBudget(memory)
        .rate(rate)
        .expectedMaximum(most)
        .mergeThreads(mergeThreads)
        .readThreads(readThreads);
  }

  /** Returns the number of keys in each filter at the end of the loop of lookups and inserts. */
  long mixKeys() {
    return keys / MIX_PART;
  }

  /** Returns the memory of each filter in the loop of lookups and inserts, in bytes. */
  long mixMemoryBytes() {
    return Math.max(MIN_MIX_MEMORY, memoryBytes / MIX_PART);
  }

  /** Returns the samples of lookups in a filter after all inserts. */
  static Samples lookups(Run run, String filter, String work) {
    return run.samples(LOOKUP, "filter", filter, "work", work);
  }

  /**
   * Returns the number of sizes of the filters at which the loop of lookups and inserts is
   * measured.
   */
  int moments() {
    return quick ? 2 : 12;
  }

  @Override
  protected Part part(String part, Run run) {
    return switch (part) {
      case "mix" -> new MixCase(this, run);
      case "bloom" -> new BloomCase(this, run);
      default -> new CascadeCase(this, run, part.equals("tombstones"));
    };
  }

  @Override
  protected void setUp(Run run) {
    run.samples("cascade.setup", "io", direct ? "DIRECT" : "BUFFERED")
        .add("keys", keys)
        .add("memoryBytes", memoryBytes)
        .add("rate", rate)
        .add("fanOut", fanOut)
        .add("batch", batch);
  }

  /** Returns the space that the largest filter takes on the drive while it is merged. */
  @Override
  double neededBytes() {
    double bitsPerKey = 4 - Math.log(rate) / Math.log(2);
    return 2.5 * keys * bitsPerKey / 8;
  }

  /**
   * Returns the number of inserted keys that were ruled out, and of repeats that were taken for new
   * keys.
   */
  @Override
  protected double lost(Results results) {
    double lost = results.sum(MIX, "missed");
    for (String work : List.of(PRESENT, LEFT)) {
      lost +=
          results.sum(LOOKUP, "operations", "work", work)
              - results.sum(LOOKUP, "positives", "work", work);
    }
    return lost;
  }
}
