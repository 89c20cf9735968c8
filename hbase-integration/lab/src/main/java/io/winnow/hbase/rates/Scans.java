package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.contest.Case;
import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.contest.Measuring;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
public final class Scans extends Measuring {
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
  private static final double QUERIES = 0.55;
  private static final double WRITE = 0.15;

  /**
   * Number of queries from which file and block reads are counted; many, because these counts
   * depend on chance but take little time.
   */
  private static final int COUNTED = 20_000;

  private static final int COUNTED_GETS = 200_000;

  /** Number of newest rounds of a warm-up that are compared with as many before them. */
  private static final int COMPARED = 5;

  private static final int MAX_WARM_UPS = 60;

  // The samples of a run, by store, filters and query: their benchmark, and their metrics.
  static final String BENCHMARK = "scans";
  private static final String MICROS = "cpuMicros";
  private static final String FILES = "filesRead";
  private static final String BLOCKS = "blocksRead";
  private static final String FILTER_QUERIES = "filterQueries";

  /** Name of the benchmark in results that has the size and distribution of a store's rows. */
  static final String SHAPES = "scanShapes";

  /** Name of the benchmark in results that has the figures of stores with some filters. */
  static final String STORES = "scanStores";

  private static final String ROWS_LOST = "rowsLost";

  @Option(names = "--rows")
  @Range(min = 2_000, max = 50_000_000)
  private int rows;

  @Option(names = "--rounds")
  @Range(min = 1, max = 1000)
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

  private List<String> variants;
  private Path scratch;
  private Results results;
  private Contest contest;

  public static void main(String[] args) {
    main(Scans::new, args);
  }

  @Override
  protected void check() {
    String others = named != null ? named : OTHERS.getOrDefault(store, "none");
    variants = others.equals("none") ? List.of() : Arrays.asList(others.split(","));
    variants.forEach(this::shape);
    shape(store);
  }

  @Override
  protected void renew() throws IOException {
    ScansPage.renew(home);
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

  @Override
  protected int measure() throws IOException, InterruptedException {
    results = new Results(Machine.setting(commandLine()));
    scratch = ScratchDirectory.create(null, "winnow-scans-");
    contest = new Contest(results, new Progress(err, 1.0 + variants.size()));
    run(shape(store));
    for (String variant : variants) {
      run(shape(variant));
    }
    Results done = results.withSeconds(Math.round(contest.progress().seconds()));
    boolean isFullSize = !has("rows") && !has("rounds") && !has("scans");
    return publish(
        ScansPage.of(done, isFullSize),
        "scans",
        done.json(),
        Math.round(done.sum(STORES, ROWS_LOST)));
  }

  private void add(ScanStore.Shape shape) {
    Map<String, String> at = Map.of("store", shape.name());
    results.add(SHAPES, at, "entities", shape.entities());
    results.add(SHAPES, at, "rowsPerPrefix", shape.rowsPerPrefix());
    results.add(SHAPES, at, "files", shape.files());
    results.add(SHAPES, at, "filesPerPrefix", shape.filesPerPrefix());
    results.add(SHAPES, at, "cacheShare", shape.cacheShare());
  }

  private void run(ScanStore.Shape shape) throws IOException, InterruptedException {
    Progress progress = contest.progress();
    progress.step(0, shape.name(), String.format(Locale.ROOT, "%,d rows", shape.rows()));
    add(shape);
    List<ScanStore> stores = new ArrayList<>();
    Path directory = scratch.resolve(shape.name());
    try {
      ScanRows rows = ScanRows.of(shape);
      List<Policy> policies = shape.policies(rows.prefix);
      double weight = FILL / policies.size() / shape.rows();
      for (Policy policy : policies) {
        String filling = shape.name() + ": filling " + policy.id();
        stores.add(
            ScanStore.create(
                policy,
                shape,
                rows,
                directory.resolve(policy.id()),
                put -> progress.part(weight * put, filling)));
      }
      countFiles(shape, rows, stores);
      for (ScanStore.QueryKind kind : shape.kinds()) {
        Case<ScanStore> queries = queries(stores, kind);
        contest.warmUp(queries, COMPARED, MAX_WARM_UPS);
        contest.run(queries, rounds);
      }
      write(shape);
      for (ScanStore store : stores) {
        Map<String, String> at = Map.of("store", shape.name(), "filters", store.id());
        results.add(STORES, at, "bitsPerRow", store.bitsPerRow());
        results.add(STORES, at, ROWS_LOST, store.rowsLost);
        results.add(STORES, at, "segmentBytes", store.segmentBytes());
      }
    } finally {
      for (ScanStore store : stores) {
        store.close();
      }
      ScratchDirectory.delete(directory);
    }
  }

  private static Map<String, String> ofQuery(ScanStore.Shape shape, String filters, String query) {
    return Map.of("store", shape.name(), "filters", filters, "query", query);
  }

  /** Counts the store files that queries of each kind read, and those that have their rows. */
  private void countFiles(ScanStore.Shape shape, ScanRows rows, List<ScanStore> stores)
      throws IOException {
    for (ScanStore.QueryKind kind : shape.kinds()) {
      SplittableRandom random = new SplittableRandom(seed + 1);
      boolean needsMore = kind == ScanStore.QueryKind.ABSENT_GET && !shape.hasTimes();
      int count = needsMore ? COUNTED_GETS : COUNTED;
      Map<String, Long> files = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        contest
            .progress()
            .part(COUNT / shape.kinds().size() / count, shape.name() + ": counting files");
        ScanRows.Query query = rows.query(kind, random);
        files.merge(ORACLE, (long) query.files(), Long::sum);
        for (ScanStore store : stores) {
          files.merge(store.id(), (long) store.filesRead(query.scan()), Long::sum);
        }
      }
      files.forEach(
          (filters, sum) ->
              results.add(
                  BENCHMARK, ofQuery(shape, filters, kind.label), FILES, (double) sum / count));
    }
  }

  /** Returns random queries of one kind on stores of the same rows, by their CPU time. */
  private Case<ScanStore> queries(List<ScanStore> stores, ScanStore.QueryKind kind) {
    ScanStore.Shape shape = stores.get(0).shape;
    int all = rounds + Contest.expectedRounds(COMPARED);
    return new Case.Plain<>(
        shape.name() + ", " + kind.label,
        Map.of("store", shape.name(), "query", kind.label),
        stores,
        QUERIES / shape.kinds().size() / stores.size() / all,
        (store, round) -> {
          // First fills the cache as such queries do: other kinds read other files.
          store.query(kind, scans, seed - 1 - round);
          ScanStore.Cost cost = store.query(kind, scans, seed + 1_000 + round);
          if (round >= 0) {
            Map<String, String> at = ofQuery(shape, store.id(), kind.label);
            results.add(BENCHMARK, at, MICROS, cost.cpuMicros());
            results.add(BENCHMARK, at, BLOCKS, cost.blocks());
            results.add(BENCHMARK, at, FILTER_QUERIES, cost.filterQueries());
          }
          return new Case.Taken(cost.cpuMicros(), Table.number(cost.cpuMicros(), 1) + " us of CPU");
        });
  }

  /**
   * Returns the writing of a smaller store, by the CPU time of flushes and of the compaction of all
   * their files, in microseconds per row.
   */
  private Case<Policy> writing(ScanStore.Shape whole) {
    ScanStore.Shape shape = whole.part();
    ScanRows stored = ScanRows.of(shape);
    String compared = shape.hasTimes() ? ScanStore.SEGMENT : ScanStore.PREFIX;
    List<Policy> policies =
        shape.policies(stored.prefix).stream()
            .filter(one -> Set.of(ScanStore.WINNOW_ROW, compared).contains(one.id()))
            .toList();
    Path directory = scratch.resolve("written");
    return new Case.Plain<>(
        shape.name() + ", writing",
        Map.of("store", shape.name(), "query", FLUSH),
        policies,
        WRITE / (writes + 1) / policies.size(),
        (policy, round) -> {
          try (ScanStore made = ScanStore.create(policy, shape, stored, directory, put -> {})) {
            double flush = made.writeNanos / 1e3 / shape.rows();
            double compaction = made.compact() / 1e3 / shape.rows();
            if (round >= 0) {
              results.add(BENCHMARK, ofQuery(shape, policy.id(), FLUSH), MICROS, flush);
              results.add(BENCHMARK, ofQuery(shape, policy.id(), COMPACTION), MICROS, compaction);
            }
            double sum = flush + compaction;
            return new Case.Taken(sum, Table.number(sum, 2) + " us of CPU for a row");
          } finally {
            ScratchDirectory.delete(directory);
          }
        });
  }

  /** Measures what writing costs, if the store is not written like the usual one. */
  private void write(ScanStore.Shape shape) throws IOException, InterruptedException {
    boolean isOtherStore =
        shape.filesPerPrefix() == shape(shape.hasTimes() ? TIME : USUAL).filesPerPrefix();
    if (writes > 0 && isOtherStore && shape.cacheShare() < 1) {
      Case<Policy> writing = writing(shape);
      contest.warmUp(writing, 1, 1);
      contest.run(writing, writes);
    }
  }
}
