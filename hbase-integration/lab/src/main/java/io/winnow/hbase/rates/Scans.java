package io.winnow.hbase.rates;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow scans}: writes the same rows into stores with several filter
 * policies, and measures scans of one row prefix on the stores in turn.
 */
@Command(name = "winnow scans")
public final class Scans extends Program {
  private static final int LOST = 2;
  private static final String USUAL = "usual";
  private static final String CACHED = "cached";
  private static final String TIME = "time";
  private static final String TIME_CACHED = "time-cached";

  private static final Set<String> KNOWN =
      Set.of(USUAL, CACHED, TIME, TIME_CACHED, "late", "sparse", "hashed");

  /** Other stores that are measured beside a store, if the command line names none. */
  private static final Map<String, String> OTHERS =
      Map.of(
          USUAL,
          "cached,files-4,files-8,files-13,rows-5",
          TIME,
          "time-cached,hashed",
          "late",
          "late-1,late-10,sparse");

  // Names beside those of the kinds of queries.
  private static final String FLUSH = "flush";
  private static final String COMPACTION = "compaction";

  /** Name of the policy that reads only files with a row between the bounds. */
  private static final String ORACLE = "oracle";

  // Shares of the time of a store.
  private static final double FILL = 0.2;
  private static final double COUNT = 0.1;
  private static final double WARM_UP = 0.3;
  private static final double ROUNDS = 0.25;
  private static final double WRITE = 0.15;

  /**
   * Number of queries from which file and block reads are counted; many, because these counts
   * depend on chance but take little time.
   */
  private static final int COUNTED = 20_000;

  private static final int COUNTED_GETS = 200_000;

  private static final int MAX_ROUNDS = 1000;

  /** Maximum number of rounds of queries that only warm up the JIT. */
  private static final int MAX_WARM_UPS = 60;

  /** Number of such rounds that a run usually takes. */
  private static final int USUAL_WARM_UPS = 20;

  /**
   * The JSON document of a run of {@code ./winnow scans}. Figures of scans are those of present
   * prefixes.
   */
  record Result(
      Results.Setting setting,
      ScanStore.Shape shape,
      List<Outcome> policies,
      List<Variant> others) {
    private static final ObjectMapper JSON =
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    String json() {
      try {
        return JSON.writeValueAsString(this) + "\n";
      } catch (JsonProcessingException e) {
        throw new UncheckedIOException(e);
      }
    }

    static Result ofJson(String json) throws IOException {
      return JSON.readValue(json, Result.class);
    }

    /** Returns true if the run measured stores of times. */
    boolean hasTimes() {
      return shape.hasTimes();
    }

    /** Returns the outcomes of all stores that the run measured, the usual store first. */
    List<Variant> stores() {
      List<Variant> stores = new ArrayList<>(List.of(new Variant(shape, policies)));
      stores.addAll(others);
      return stores;
    }
  }

  /** Outcomes of all filter policies for a store of one shape and cache size. */
  record Variant(ScanStore.Shape shape, List<Outcome> policies) {}

  /**
   * Figures of one filter policy, measured by scans and Gets on a store. Figures per second are per
   * CPU second of the scanning thread.
   *
   * @param cpuMicros CPU time of a query of each kind, and of a written row, one value for each
   *     round; samples with the same index were taken one after the other
   * @param filesRead of a store of times: files that a query of each kind reads, on average
   * @param filterQueries of a store of times: queries of filters by a Get of each kind, on average
   * @param segmentBytes of a store of times: size of the largest entry of key segments
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record Outcome(
      String policy,
      double bitsPerRow,
      double filesReadPerScan,
      double blocksReadPerScan,
      double scansPerSecond,
      double falseReadsPerAbsentGet,
      long rowsLost,
      double filesReadPerAbsentScan,
      double absentScansPerSecond,
      double reversedScansPerSecond,
      double scansWithoutPrefixPerSecond,
      double absentGetsPerSecond,
      double prefixesPerRow,
      @JsonInclude Map<String, List<Double>> cpuMicros,
      Map<String, Double> filesRead,
      Map<String, Double> filterQueries,
      Integer segmentBytes) {}

  @Option(names = "--rows")
  @Range(min = 2_000, max = 50_000_000)
  private int rows;

  @Option(names = "--rounds")
  @Range(min = 1, max = MAX_ROUNDS)
  private int rounds = 25;

  @Option(names = "--writes")
  @Range(min = 0, max = 1000)
  private int writes = 25;

  @Option(names = "--scans")
  @Range(min = 1, max = 1_000_000)
  private int scans = 200;

  @Option(names = "--seed")
  @Range(min = 0, max = 1e15)
  private long seed = 29;

  @Option(names = "--store")
  private String store = USUAL;

  @Option(names = "--variants")
  private String named;

  @Option(names = "--json")
  private Path json;

  @Option(names = "--plots")
  private Path plots;

  @Option(names = "--report")
  private boolean report;

  private final Path home = Path.of(System.getProperty("winnow.home", "")).toAbsolutePath();
  private List<String> variants;
  private Path scratch;
  private Progress progress;

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(new Scans().run(System.out, System.err, args));
  }

  @Override
  protected void check() {
    String others = named != null ? named : OTHERS.getOrDefault(store, "none");
    variants = others.equals("none") ? List.of() : Arrays.asList(others.split(","));
    variants.forEach(this::shape);
    shape(store);
  }

  @Override
  protected int work() throws IOException {
    if (report) {
      ScansPage.renew(home);
      return DONE;
    }
    UserFiles.requireWritable(json);
    scratch = ScratchDirectory.create(null, "winnow-scans-");
    progress = new Progress(err, 1.0 + variants.size());
    return measure();
  }

  /**
   * Returns the size and distribution of the rows in a variant of the store: usual, cached, or with
   * other numbers of rows or files per prefix; or of a time series. The usual store has 20 rows for
   * each prefix, in 1.4 files on average; a tenth of the data is cached.
   */
  private ScanStore.Shape shape(String variant) {
    int perPrefix = variant.startsWith("rows-") ? number(variant, 1, 1000) : 20;
    double files = variant.startsWith("files-") ? number(variant, 1, 13) : 1.4;
    double cache = variant.equals(CACHED) || variant.equals(TIME_CACHED) ? 4 : 0.1;
    if (variant.startsWith("late-")) {
      number(variant, 1, 1000);
    }
    boolean isKnown = KNOWN.contains(variant) || variant.matches("(files|rows|late)-.*");
    if (!isKnown) {
      throw new IllegalArgumentException(
          "there is no store '"
              + variant
              + "': it must be usual, cached, files-N, rows-N, time, time-cached, late, late-N,"
              + " sparse or hashed");
    }
    ScanStore.Shape shape =
        new ScanStore.Shape(variant, all(300_000) / perPrefix, perPrefix, 12, files, cache, seed);
    return shape.hasTimes() ? ofTimes(shape) : shape;
  }

  private ScanStore.Shape ofTimes(ScanStore.Shape shape) {
    // 30 days and twelve hours, if no number of rows is given.
    int all = all(TimeRows.ROWS_PER_HOUR * (30 * 24 + shape.flushes()));
    if (all < TimeRows.ROWS_PER_HOUR * shape.files()) {
      throw new IllegalArgumentException(
          "a store of times has " + TimeRows.ROWS_PER_HOUR + " rows in each of 13 files at least");
    }
    int entities = shape.hasFewActive() ? 10_000 : 100;
    return new ScanStore.Shape(
        shape.name(),
        entities,
        all / entities,
        shape.flushes(),
        shape.files(),
        shape.cacheShare(),
        seed);
  }

  private int all(int byDefault) {
    return has("rows") ? rows : byDefault;
  }

  private static int number(String variant, int min, int max) {
    return (int) number("variants", variant.substring(variant.indexOf('-') + 1), min, max);
  }

  private int measure() throws IOException {
    ScanStore.Shape first = shape(store);
    List<Outcome> outcomes = run(first);
    List<Variant> others = new ArrayList<>();
    for (String variant : variants) {
      ScanStore.Shape shape = shape(variant);
      others.add(new Variant(shape, run(shape)));
    }
    Results.Setting setting =
        new Results(Machine.setting(commandLine()))
            .withSeconds(Math.round(progress.seconds()))
            .setting();
    Result result = new Result(setting, first, outcomes, others);
    boolean isFullSize = !has("rows") && !has("rounds") && !has("scans");
    PageTemplate page = ScansPage.of(setting, result.stores(), isFullSize);
    page.publish(out, plots != null ? plots : home.resolve("hbase-integration/target/scans"));
    if (json != null) {
      Files.writeString(json, result.json());
    }
    long lost =
        result.stores().stream()
            .flatMap(store -> store.policies().stream())
            .mapToLong(Outcome::rowsLost)
            .sum();
    if (lost > 0) {
      out.println("ROWS WERE LOST: this must not be. Please report it with the result.");
      return LOST;
    }
    return DONE;
  }

  private List<Outcome> run(ScanStore.Shape shape) throws IOException {
    err.printf(Locale.ROOT, "%s: fills stores of %,d rows%n", shape.name(), shape.rows());
    List<ScanStore> stores = new ArrayList<>();
    Path directory = scratch.resolve(shape.name());
    try {
      ScanRows rows = ScanRows.of(shape);
      for (ScanStore.Contender contender : shape.contenders()) {
        String filling = shape.name() + ": filling " + contender.label;
        stores.add(
            ScanStore.create(
                contender,
                shape,
                rows,
                directory.resolve(contender.name()),
                put -> progress.part(0, filling)));
        progress.step(
            FILL / shape.contenders().size(), shape.name(), contender.label + " is filled");
      }
      return measure(shape, rows, stores);
    } finally {
      for (ScanStore store : stores) {
        store.close();
      }
      ScratchDirectory.delete(directory);
    }
  }

  /**
   * Measures queries of several stores that take turns, so that other load of the machine affects
   * all alike.
   */
  private List<Outcome> measure(ScanStore.Shape shape, ScanRows rows, List<ScanStore> stores)
      throws IOException {
    Map<ScanStore, Map<ScanStore.QueryKind, ScanStore.Cost>> costs = noCosts(stores);
    Map<ScanStore, Map<ScanStore.QueryKind, ScanStore.Cost>> files = noCosts(stores);
    for (ScanStore.QueryKind kind : shape.kinds()) {
      SplittableRandom random = new SplittableRandom(seed + 1);
      boolean needsMore = kind == ScanStore.QueryKind.ABSENT_GET && !shape.hasTimes();
      int count = needsMore ? COUNTED_GETS : COUNTED;
      for (int i = 0; i < count; i++) {
        progress.part(COUNT / shape.kinds().size() / count, shape.name() + ": counting files");
        ScanRows.Query query = rows.query(kind, random);
        for (ScanStore store : stores) {
          store.countFiles(query, files.get(store).get(kind));
        }
      }
    }
    warmUp(stores);
    for (int round = 0; round < rounds; round++) {
      round(stores, round, costs, ROUNDS / rounds);
    }
    Map<ScanStore.Contender, Map<String, List<Double>>> written = write(shape);
    List<Outcome> outcomes = new ArrayList<>();
    for (ScanStore store : stores) {
      Map<String, List<Double>> micros = new TreeMap<>(written.get(store.contender()));
      costs.get(store).forEach((kind, cost) -> micros.put(kind.label, of(cost.cpuMicros)));
      outcomes.add(outcome(store, costs.get(store), files.get(store), micros));
    }
    Outcome best = outcomes.get(outcomes.size() - 1);
    progress.step(
        0,
        shape.name(),
        String.format(
            Locale.ROOT,
            "%s: %.2f files and %.2f blocks per scan; %s: %.2f and %.2f",
            outcomes.get(0).policy(),
            outcomes.get(0).filesReadPerScan(),
            outcomes.get(0).blocksReadPerScan(),
            best.policy(),
            best.filesReadPerScan(),
            best.blocksReadPerScan()));
    if (shape.hasTimes()) {
      outcomes.add(oracle(files.get(stores.get(0))));
    }
    return outcomes;
  }

  private static Map<ScanStore, Map<ScanStore.QueryKind, ScanStore.Cost>> noCosts(
      List<ScanStore> stores) {
    Map<ScanStore, Map<ScanStore.QueryKind, ScanStore.Cost>> costs = new HashMap<>();
    for (ScanStore store : stores) {
      costs.put(store, new EnumMap<>(ScanStore.QueryKind.class));
      for (ScanStore.QueryKind kind : store.shape().kinds()) {
        costs.get(store).put(kind, new ScanStore.Cost());
      }
    }
    return costs;
  }

  private void round(
      List<ScanStore> stores,
      int round,
      Map<ScanStore, Map<ScanStore.QueryKind, ScanStore.Cost>> costs,
      double weight)
      throws IOException {
    ScanStore.Shape shape = stores.get(0).shape();
    String name = shape.name() + (round < MAX_ROUNDS ? ": measuring" : ": warming up");
    for (ScanStore.QueryKind kind : shape.kinds()) {
      for (ScanStore store : Orders.of(stores, round)) {
        progress.part(weight / shape.kinds().size() / stores.size(), name);
        // First fills the cache as such queries do: other kinds read other files.
        store.query(kind, scans, seed - 1 - round, new ScanStore.Cost());
        store.query(kind, scans, seed + 1_000 + round, costs.get(store).get(kind));
      }
    }
  }

  /**
   * Repeats the queries of all stores until they get no cheaper, as they do while the JIT compiles:
   * until five rounds take at least 0.97 of the time of the five before.
   */
  private void warmUp(List<ScanStore> stores) throws IOException {
    List<Double> nanos = new ArrayList<>();
    boolean isFlat = false;
    for (int round = 0; !isFlat && round < MAX_WARM_UPS; round++) {
      Map<ScanStore, Map<ScanStore.QueryKind, ScanStore.Cost>> costs = noCosts(stores);
      round(
          stores, MAX_ROUNDS + round, costs, round < USUAL_WARM_UPS ? WARM_UP / USUAL_WARM_UPS : 0);
      nanos.add(
          costs.values().stream()
              .flatMap(each -> each.values().stream())
              .mapToDouble(cost -> cost.cpuNanos)
              .sum());
      int last = nanos.size() - 5;
      isFlat =
          last >= 5
              && mean(nanos.subList(last, last + 5)) > 0.97 * mean(nanos.subList(last - 5, last));
    }
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }

  /**
   * Measures the CPU time, in microseconds per row, of flushes and of the compaction of all their
   * files. The first round only warms up.
   */
  private Map<ScanStore.Contender, Map<String, List<Double>>> write(ScanStore.Shape shape)
      throws IOException {
    Map<ScanStore.Contender, Map<String, List<Double>>> micros =
        new EnumMap<>(ScanStore.Contender.class);
    for (ScanStore.Contender contender : ScanStore.Contender.values()) {
      micros.put(contender, new TreeMap<>());
    }
    boolean isOtherStore =
        shape.filesPerPrefix() == shape(shape.hasTimes() ? TIME : USUAL).filesPerPrefix();
    if (writes == 0 || !isOtherStore || shape.cacheShare() > 1) {
      return micros; // it is written like the usual store
    }
    ScanStore.Shape part = shape.part();
    ScanRows rows = ScanRows.of(part);
    List<ScanStore.Contender> written =
        List.of(
            ScanStore.Contender.WINNOW_ROW,
            shape.hasTimes()
                ? ScanStore.Contender.WINNOW_SEGMENT
                : ScanStore.Contender.WINNOW_PREFIX);
    Path directory = scratch.resolve("written");
    for (int round = 0; round <= writes; round++) {
      for (ScanStore.Contender contender : Orders.of(written, round)) {
        progress.part(WRITE / (writes + 1) / written.size(), shape.name() + ": writing");
        try (ScanStore store = ScanStore.create(contender, part, rows, directory, put -> {})) {
          double flush = rounded(store.writeNanos() / 1e3 / part.rows());
          double compaction = rounded(store.compact() / 1e3 / part.rows());
          if (round > 0) {
            micros.get(contender).computeIfAbsent(FLUSH, name -> new ArrayList<>()).add(flush);
            micros
                .get(contender)
                .computeIfAbsent(COMPACTION, name -> new ArrayList<>())
                .add(compaction);
          }
        }
        ScratchDirectory.delete(directory);
      }
    }
    return micros;
  }

  private static Outcome outcome(
      ScanStore store,
      Map<ScanStore.QueryKind, ScanStore.Cost> costs,
      Map<ScanStore.QueryKind, ScanStore.Cost> files,
      Map<String, List<Double>> micros)
      throws IOException {
    ScanStore.Cost present = costs.get(ScanStore.QueryKind.PRESENT);
    boolean hasTimes = store.shape().hasTimes();
    Map<String, Double> filesRead = new TreeMap<>();
    Map<String, Double> filterQueries = new TreeMap<>();
    for (ScanStore.QueryKind kind : hasTimes ? costs.keySet() : Set.<ScanStore.QueryKind>of()) {
      filesRead.put(kind.label, filesEach(files, kind));
      if (kind.isGet()) {
        ScanStore.Cost cost = costs.get(kind);
        filterQueries.put(kind.label, rounded((double) cost.filterQueries / cost.queries));
      }
    }
    return new Outcome(
        store.contender().label,
        rounded(store.bitsPerRow()),
        filesEach(files, ScanStore.QueryKind.PRESENT),
        rounded((double) present.blocks / present.queries),
        perSecond(costs, ScanStore.QueryKind.PRESENT),
        filesEach(files, ScanStore.QueryKind.ABSENT_GET),
        costs.values().stream().mapToLong(cost -> cost.rowsLost).sum(),
        filesEach(files, ScanStore.QueryKind.ABSENT),
        perSecond(costs, ScanStore.QueryKind.ABSENT),
        perSecond(costs, ScanStore.QueryKind.REVERSED),
        perSecond(costs, ScanStore.QueryKind.WITHOUT_PREFIX),
        perSecond(costs, ScanStore.QueryKind.ABSENT_GET),
        rounded(store.prefixesPerRow()),
        micros,
        filesRead,
        filterQueries,
        hasTimes ? store.segmentBytes() : null);
  }

  /** Returns the figures of an oracle, which reads only files with a row between the bounds. */
  private static Outcome oracle(Map<ScanStore.QueryKind, ScanStore.Cost> files) {
    Map<String, Double> each = new TreeMap<>();
    files.forEach(
        (kind, cost) -> each.put(kind.label, rounded((double) cost.filesWithRows / cost.queries)));
    double present = each.get(ScanStore.QueryKind.PRESENT.label);
    double absent = each.get(ScanStore.QueryKind.ABSENT.label);
    double get = each.get(ScanStore.QueryKind.ABSENT_GET.label);
    return new Outcome(
        ORACLE, 0, present, 0, 0, get, 0, absent, 0, 0, 0, 0, 0, Map.of(), each, null, null);
  }

  private static List<Double> of(List<Double> micros) {
    return micros.stream().map(Scans::rounded).toList();
  }

  private static double filesEach(
      Map<ScanStore.QueryKind, ScanStore.Cost> files, ScanStore.QueryKind kind) {
    return rounded((double) files.get(kind).filesRead / files.get(kind).queries);
  }

  private static double perSecond(
      Map<ScanStore.QueryKind, ScanStore.Cost> costs, ScanStore.QueryKind kind) {
    ScanStore.Cost cost = costs.get(kind);
    return rounded(cost.queries / (cost.cpuNanos / 1e9));
  }

  /** Returns a figure rounded to six significant digits: more would be noise in the document. */
  private static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.6g", value));
  }
}
