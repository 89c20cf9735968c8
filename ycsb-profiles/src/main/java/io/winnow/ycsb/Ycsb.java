package io.winnow.ycsb;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.report.Unfinished;
import io.winnow.hbase.standalone.ClusterCommand;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow ycsb}: compares tables with stock Bloom, ribbon and bumped-ribbon
 * filters in a real HBase, or writes the page in {@code docs/} from earlier results.
 */
@Command(name = "winnow ycsb")
public final class Ycsb extends Program {
  static final int WRONG_READ = 2;

  /** Suffix of the name of a results file with a sweep over cache sizes. */
  private static final String SWEEP = "_sweep";

  /** Suffix of the name of a results file about stores of several files. */
  private static final String STORES = "_stores";

  private static final String SCANS = "_scans";

  /** Suffix of the name of a results file about a large store on slow storage. */
  static final String SCALE = "_scale";

  /** Default number of rows of a table, enough for a thousand hot rows of 300-byte keys. */
  static final long DEFAULT_ROWS = 8_500_000;

  /**
   * Default number of rows of a table with {@code --stores}, so that a small file fits into a
   * memory store.
   */
  static final long STORES_ROWS = 4_000_000;

  /** Default number of rows of a table with {@code --scans}, in groups of 20. */
  static final long SCANS_ROWS = 1_000_000;

  /** Default number of rows of a table with {@code --scale}. */
  static final long SCALE_ROWS = 100_000_000;

  /** Default seconds of a turn with {@code --scale}. */
  static final double SCALE_DURATION = 8;

  /** Default number of rounds in a launch with {@code --scale}. */
  static final int SCALE_ROUNDS = 4;

  /**
   * Length in bytes of row keys for all workloads but Lindorm's, if it is among the key lengths
   * that the user selects.
   */
  static final int USUAL_KEY_LENGTH = 25;

  /**
   * Default number of rounds: each has another draw of hot rows, and each order of three tables
   * comes equally often.
   */
  static final int DEFAULT_ROUNDS = 24;

  /**
   * Maximum number of rounds of workloads other than Lindorm's, and of the special conditions of
   * {@code --stores}: the fewest that have an interval of 95 %.
   */
  static final int OTHER_ROUNDS = 6;

  /**
   * Maximum number of rounds of those workloads of {@code --stores} that read all rows equally
   * often.
   */
  static final int RATES_ROUNDS = 12;

  static final int SCANS_ROUNDS = 12;

  private static final double DURATION = 0.8;

  /** Number of orders in which three tables can be measured. */
  static final int ORDERS = Orders.period(TableFilter.KINDS.size());

  /**
   * Maximum number of store files in a store. With more, the small files together would be as large
   * as the large one.
   */
  static final int MAX_STORE_FILES = 33;

  /**
   * The option to measure the cluster of {@code ./winnow cluster} instead of an HBase that the run
   * starts.
   */
  @Option(names = "--cluster")
  boolean cluster;

  @Option(names = "--rows")
  @Range(min = 1_000, max = 1_000_000_000)
  Long rows;

  @Option(names = "--cache")
  private String cacheSize;

  CacheSize cache;

  @Option(names = "--blocks")
  private String blockSize;

  BlockSizes blocks;

  @Option(names = "--profile", split = ",")
  List<String> profiles = List.of();

  @Option(names = "--key-lengths")
  private String keyLengthList = "10,25,50,300";

  List<Integer> keyLengths;

  @Option(names = "--rounds")
  @Range(min = 1, max = 1_200)
  Integer rounds;

  @Option(names = "--duration")
  @Range(min = 0.2, max = 3_600)
  double duration = DURATION;

  /** Number of store files in a store; 0 for the number that the workload has. */
  @Option(names = "--files")
  @Range(min = 1, max = 100)
  int files;

  @Option(names = "--threads")
  @Range(min = 1, max = 1_000)
  int threads = 2;

  @Option(names = "--sweep")
  boolean sweep;

  /** The option to compare stores of several files. */
  @Option(names = "--stores")
  boolean stores;

  /** The option to compare scans of stores of several files. */
  @Option(names = "--scans")
  boolean scans;

  /** The option to continue with the results of an interrupted run. */
  @Option(names = "--resume")
  boolean resume;

  @Option(names = "--dir")
  private Path directory;

  /** The results file from which {@code --report} makes the page; empty means the newest. */
  @Option(names = "--report", arity = "0..1", fallbackValue = "")
  String report;

  /** The option to compare reads of a large store on storage that is slower than memory. */
  @Option(names = "--scale")
  boolean scale;

  /** Names of the launches that a run with {@code --scale} is restricted to; empty for all. */
  @Option(names = "--launches", split = ",")
  List<String> launches = List.of();

  /** Name of the launch of {@code --scale} that this process measures; null for the whole run. */
  @Option(names = "--launch", hidden = true)
  private String launch;

  private final Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();

  public static void main(String[] args) {
    main(Ycsb::new, args);
  }

  @Override
  protected void check() {
    if (sweep && (has("cache") || has("profile"))) {
      throw new IllegalArgumentException("--sweep chooses cache and profile by itself");
    }
    exclude("stores", "sweep");
    exclude("scans", "sweep");
    exclude("scans", "stores");
    exclude(
        "scale",
        "sweep",
        "stores",
        "scans",
        "cluster",
        "profile",
        "cache",
        "blocks",
        "key-lengths",
        "files");
    if ((stores || scans) && has("files") && (files < 2 || files > MAX_STORE_FILES)) {
      throw new IllegalArgumentException(
          "--files %d: stores of several files have 2..%d".formatted(files, MAX_STORE_FILES));
    }
    if (has("launches") && !scale) {
      throw new IllegalArgumentException("--launches is for --scale");
    }
    for (String name : launches) {
      if (!Scale.NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "there is no launch " + name + "; there are " + String.join(", ", Scale.NAMES));
      }
    }
    List<String> all = stores ? Profile.STORES : scans ? Profile.SCANS : Profile.ALL;
    for (String name : profiles) {
      if (!all.contains(name)) {
        throw new IllegalArgumentException(
            "there is no profile " + name + "; there are " + String.join(", ", all));
      }
    }
    if (rows == null) {
      rows = stores ? STORES_ROWS : scans ? SCANS_ROWS : scale ? SCALE_ROWS : DEFAULT_ROWS;
    }
    if (rounds == null) {
      rounds = scans ? SCANS_ROUNDS : scale ? SCALE_ROUNDS : DEFAULT_ROUNDS;
    }
    if (scale && !has("duration")) {
      duration = SCALE_DURATION;
    }
    blocks =
        blockSize != null
            ? BlockSizes.parse(blockSize)
            : stores || scans ? BlockSizes.DEFAULT : BlockSizes.SMALL;
    cacheSize = cacheSize != null ? cacheSize : scans ? "64m" : "40%";
    if (rounds > ORDERS && rounds % ORDERS != 0) {
      throw new IllegalArgumentException(
          "--rounds %d: must be a multiple of %d, so that each order of the tables comes equally often, or less than %d for a trial"
              .formatted(rounds, ORDERS, ORDERS));
    }
    cache = CacheSize.parse(cacheSize);
    keyLengths =
        Arrays.stream(keyLengthList.split(","))
            .map(one -> (int) number("key-lengths", one, 8, 10_000))
            .distinct()
            .toList();
    if (scans && usualKeyLength() <= KeySpace.GROUP_BYTES) {
      throw new IllegalArgumentException(
          "--key-lengths %s: keys of groups are longer than %d bytes"
              .formatted(keyLengthList, KeySpace.GROUP_BYTES));
    }
  }

  /**
   * Returns whether the user set no option that changes the measurement, besides the kind of run,
   * so that runs of a kind can be compared.
   */
  boolean isDefault() {
    String[] kind = kind().isEmpty() ? new String[0] : new String[] {kind().replace("_", "--")};
    return measured().equals(read(new Ycsb(), kind).measured());
  }

  /** Returns the suffix of the names of results of this kind of run; empty for the default kind. */
  private String kind() {
    return sweep ? SWEEP : stores ? STORES : scans ? SCANS : scale ? SCALE : "";
  }

  private List<Object> measured() {
    return List.of(
        cluster,
        rows,
        cache,
        blocks,
        profiles,
        keyLengths,
        rounds,
        duration,
        files,
        threads,
        launches);
  }

  /**
   * Returns the length in bytes of row keys for all workloads that are not run at every key length.
   */
  int usualKeyLength() {
    return keyLengths.contains(USUAL_KEY_LENGTH) ? USUAL_KEY_LENGTH : keyLengths.get(0);
  }

  /** Returns the number of rounds of workloads other than Lindorm's. */
  int otherRounds() {
    return Math.min(rounds, OTHER_ROUNDS);
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    try {
      if (report != null) {
        report();
      } else if (scale) {
        measureScale();
      } else {
        measure();
      }
      return DONE;
    } catch (WrongReadException e) {
      err.println("winnow ycsb: A READ WAS WRONG: " + e.getMessage());
      return WRONG_READ;
    }
  }

  private void measure() throws IOException, InterruptedException {
    Results results = new Results(Machine.setting(commandLine().replace(" --resume", "")));
    Unfinished unfinished =
        new Unfinished(home.resolve("ycsb-profiles").resolve("target"), variant());
    Optional<Results> earlier = resume ? Optional.of(unfinished.read(results)) : Optional.empty();
    Comparison comparison = Comparison.of(this);
    double expected = comparison.expectedSeconds();
    out.printf("About %s minutes. %s%n", Progress.clock(expected), results.setting().machine());
    Progress progress = new Progress(out, expected);
    Contest contest =
        new Contest(
            results, progress, earlier, all -> unfinished.write(all, seconds(earlier, progress)));
    try (Deployment deployment = deployment();
        Workbench bench = new Workbench(this, deployment, contest, out)) {
      comparison.run(bench);
    }
    publish(results.withSeconds(commandLine(), seconds(earlier, progress)), unfinished);
  }

  private void measureScale() throws IOException, InterruptedException {
    Path own = home.resolve("ycsb-profiles").resolve("target");
    Unfinished unfinished = new Unfinished(own, variant());
    String command = commandLine().replace(" --resume", "").replaceAll(" --launch [^ ]+", "");
    Path tables = directory != null ? directory : own.resolve("scale");
    Results.Setting setting = Machine.setting(command);
    ScaleStore store = ScaleStore.of(tables, rows, setting.commit());
    Scale run = new Scale(this, words(), tables, store, setting, unfinished, out);
    if (launch != null) {
      run.measure(launch);
      return;
    }
    publish(run.run(), unfinished);
  }

  private void publish(Results whole, Unfinished unfinished) throws IOException {
    Path file = resultFiles().write(whole, variant());
    unfinished.delete();
    page(whole, "").publish(out, home.resolve("ycsb-profiles/target/plots"));
    out.println("results: " + file);
  }

  private static long seconds(Optional<Results> earlier, Progress progress) {
    return earlier.map(results -> results.setting().seconds()).orElse(0L)
        + Math.round(progress.seconds());
  }

  private Deployment deployment() throws IOException, InterruptedException {
    if (cluster) {
      return new ClusterDeployment(
          ClusterCommand.defaultDirectory(), message -> out.println("  " + message));
    }
    return new StandaloneDeployment(
        ScratchDirectory.create(directory, "winnow-ycsb-"),
        Path.of(System.getProperty("winnow.agent.jar")),
        false,
        "2g",
        Map.of(),
        Deployment.LOADING_CACHE,
        message -> out.println("  " + message));
  }

  // ==== results and the page

  private ResultFiles resultFiles() {
    return new ResultFiles(home.resolve("ycsb-profiles").resolve("results"));
  }

  /**
   * Returns the suffix of the results file's name, which names the kind of run, and marks a run
   * with other options than the defaults.
   */
  private String variant() {
    return kind() + (isDefault() ? "" : "_custom");
  }

  private void report() throws IOException {
    if (!report.isEmpty()) {
      write(Path.of(report));
      return;
    }
    boolean isAny = false;
    for (String kind : List.of("", SWEEP, STORES, SCALE)) {
      Optional<Path> newest = resultFiles().newest(kind);
      if (newest.isPresent()) {
        write(newest.get());
        isAny = true;
      }
    }
    if (!isAny) {
      throw new IOException("no results in ycsb-profiles/results: run ./winnow ycsb first");
    }
  }

  /** Writes the page of {@code docs/} that shows the results of a run. */
  private void write(Path file) throws IOException {
    Results run = ResultFiles.read(file);
    String name = file.getFileName().toString();
    String kind =
        run.has(Measurement.STORES.reads)
            ? STORES
            : run.has(ScaleReads.READS)
                ? SCALE
                : run.values(Measurement.TABLES.reads, "cacheBytes").isEmpty() ? "" : SWEEP;
    requireNew(run, name, "./winnow ycsb" + kind.replace("_", " --"));
    String page = "ycsb" + kind.replace('_', '-');
    page(run, name).write(home.resolve("docs"), page);
    out.printf("docs/%s.md, from %s%n", page, name);
  }

  /**
   * Returns the report of a run, with the sections for which the run has figures.
   *
   * @param file the name of its results; empty for the report on a terminal
   */
  static PageTemplate page(Results run, String file) {
    String template = run.has(ScaleReads.READS) ? "ycsb-scale.ftl" : "ycsb.ftl";
    return new PageTemplate(Ycsb.class, template, run, Map.of("resultsFile", file));
  }

  /**
   * Checks that a file of measured results has the current format: a page of {@code docs/} cannot
   * be made of older files.
   *
   * @param command the command that makes a new run
   * @throws IOException with a sentence for the user, if they are older
   */
  static void requireNew(Results results, String file, String command) throws IOException {
    for (Measurement one : Measurement.values()) {
      // Older results do not count the turns that were repeated.
      if (!results.values(one.reads, "filter").isEmpty()
          && results.median(one.reads, "repeats").isEmpty()) {
        throw new IOException(
            "%s is of an older kind of run, whose turns may have counted wrongly: make a new run: %s"
                .formatted(file, command));
      }
    }
  }
}
