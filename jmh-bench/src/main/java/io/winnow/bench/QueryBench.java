package io.winnow.bench;

import io.winnow.hbase.contest.Orders;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A benchmark of the time of a query of a store file's filter, stock's and Winnow's: with the block
 * cache at rest and with turnover, and with few files and many.
 *
 * <p>Each contender has a JVM of its own ({@link QueryWorker}), and the JVMs take turns of a few
 * milliseconds, in an order that changes. The median of a JVM's turns is one sample, because all
 * turns of a JVM run the same compiled code. The samples of one launch belong together.
 */
final class QueryBench implements Part {
  static final String NAME = "ask";
  static final String TIME = "nsPerQuestion";

  /**
   * The compared filters. Those after the first three differ from another in one part, so that
   * their times show the gain of each part: the filter, its hash function, and the reader's reuse
   * of a chunk without a look-up.
   */
  private static final List<HBaseFilter> FILTERS =
      List.of(
          HBaseFilter.BLOOM,
          HBaseFilter.RIBBON,
          HBaseFilter.BUMPED_RIBBON,
          HBaseFilter.BLOOM_MURMUR3,
          HBaseFilter.BLOOM_XXH3_SHORT_CUT,
          HBaseFilter.BUMPED_RIBBON_LOOKED_UP);

  /**
   * Number of equal periods, called windows, in the time in which all blocks of the block cache are
   * replaced once.
   */
  private static final int WINDOWS_PER_CACHE = 128;

  /** Number of keys in a full chunk of Winnow's filters. */
  private static final int CHUNK_KEYS = 145_000;

  /** The places of a full run, from few chunks to many. */
  static final List<Place> PLACES =
      List.of(
          new Place("small, 8 files", 10_000, 8),
          new Place("1 file", 1_000_000, 1),
          new Place("8 files", 1_000_000, 8),
          new Place("1280 files", 1_000_000, 1280));

  /** The turnovers of all runs; with the last one, a quarter of the cache is replaced. */
  static final List<Turnover> TURNOVERS =
      List.of(
          new Turnover("at rest", Double.POSITIVE_INFINITY),
          new Turnover("16", 16),
          new Turnover("2", 2),
          new Turnover("1", 1),
          new Turnover("0", 1.0 / 32));

  /** The number and size of the store files whose filters are queried in turn. */
  record Place(String label, int keys, int files) {
    int chunks() {
      return files * ((keys + CHUNK_KEYS - 1) / CHUNK_KEYS);
    }

    /** Returns the number of other blocks in the block cache. */
    int others() {
      return Math.max(WINDOWS_PER_CACHE - chunks(), 2 * chunks());
    }

    List<HBaseFilter> filters() {
      // Six JVMs would need too much memory for many files.
      return files > 1000 ? FILTERS.subList(0, 3) : FILTERS;
    }
  }

  /**
   * The speed at which new blocks come into the block cache.
   *
   * @param queries number of queries of each chunk in the time in which a 128th of the cache is
   *     replaced
   */
  record Turnover(String label, double queries) {}

  /** One way to query the filters of a place. */
  record Mode(Place place, Turnover turnover, int threads) {
    static List<Mode> of(Place place) {
      int cores = Runtime.getRuntime().availableProcessors();
      List<Mode> modes = new ArrayList<>();
      for (Turnover turnover : TURNOVERS) {
        for (int threads = 1; threads <= cores; threads += Math.max(1, cores - 1)) {
          modes.add(new Mode(place, turnover, threads));
        }
      }
      return modes;
    }

    /** Returns the samples of a filter. */
    Samples samples(Run run, String filter) {
      Object[] at = {"files", place.label, "turnover", turnover.label, "threads", threads};
      return run.samples(NAME, at).at("filter", filter);
    }

    /** Describes the mode in lines of progress. */
    @Override
    public String toString() {
      return place.label + ", turnover " + turnover.label + ", threads " + threads;
    }
  }

  private final Effort effort;
  private final Run run;
  private final int launches;
  private final int warmups;
  private final int rounds;
  private final int queries;
  private final double secondsOfLaunch;

  QueryBench(Effort effort, Run run) {
    this.effort = effort;
    this.run = run;
    launches = effort.choose(2, 1, PairedRatio.MIN_PAIRS);
    warmups = effort.choose(0, 5, 10);
    rounds = effort.choose(1, 7, 5);
    queries = effort.choose(200, 20_000, 20_000);
    secondsOfLaunch = effort == Effort.FULL ? 47 : 26;
  }

  static List<Place> places(Effort effort) {
    return effort.choose(
        List.of(new Place("small, 8 files", 3000, 8)), PLACES.subList(0, 3), PLACES);
  }

  @Override
  public double weight() {
    return places(effort).size() * launches * secondsOfLaunch;
  }

  @Override
  public void measure() throws IOException {
    for (Place place : places(effort)) {
      Map<HBaseFilter, LocalStoreFile> files = new LinkedHashMap<>();
      try {
        long[] numbers = Keys.presentInOrder(0, place.keys());
        for (HBaseFilter filter : place.filters()) {
          files.put(
              filter,
              LocalStoreFile.write(
                  filter, 0.01, LocalStoreFile.rows(numbers, QueryWorker.KEY_LENGTH)));
        }
        for (int launch = 0; launch < launches; launch++) {
          launch(place, files);
        }
      } finally {
        for (LocalStoreFile file : files.values()) {
          file.close();
        }
      }
    }
  }

  private void launch(Place place, Map<HBaseFilter, LocalStoreFile> files) throws IOException {
    List<Mode> modes = Mode.of(place);
    double step = secondsOfLaunch / (files.size() + 2 * modes.size());
    List<WorkerJvm> jvms = new ArrayList<>();
    try {
      for (Map.Entry<HBaseFilter, LocalStoreFile> file : files.entrySet()) {
        jvms.add(start(place, file.getKey(), file.getValue()));
      }
      WorkerJvm.awaitReady(jvms, run, step, place.label);
      for (Mode mode : modes) {
        for (int round = 0; round < warmups; round++) {
          turn(mode, Orders.of(jvms, round));
        }
        run.step(step, mode, "warmed up");
      }
      for (Mode mode : modes) {
        run.step(step, mode, "ns per query:%s", measure(mode, jvms));
      }
    } finally {
      jvms.forEach(WorkerJvm::close);
    }
  }

  private WorkerJvm start(Place place, HBaseFilter filter, LocalStoreFile file) throws IOException {
    long keys = (long) place.keys() * place.files();
    String heap = (600 + keys * 2 / 1_000_000) + "m";
    Object[] arguments = {filter, file.file(), place.keys(), place.files(), place.others()};
    return new WorkerJvm(
        Labels.of(filter), heap, WorkerJvm.classPath(), QueryWorker.class, arguments);
  }

  /** Measures the queries of each filter in several rounds. Returns the times in words. */
  private String measure(Mode mode, List<WorkerJvm> jvms) throws IOException {
    // Each chunk is queried several times, until the effects of the first queries are over.
    int settling = effort == Effort.SMOKE ? 0 : Math.max(2, 40 * mode.place.chunks() / queries);
    for (int round = 0; round < settling; round++) {
      turn(mode, Orders.of(jvms, round));
    }
    Map<String, double[]> times = new LinkedHashMap<>();
    jvms.forEach(jvm -> times.put(jvm.id(), new double[rounds]));
    for (int round = 0; round < rounds; round++) {
      for (Map.Entry<String, Double> time : turn(mode, Orders.of(jvms, round)).entrySet()) {
        times.get(time.getKey())[round] = time.getValue();
      }
    }
    StringBuilder words = new StringBuilder();
    times.forEach(
        (filter, ofJvm) -> {
          double median = Results.median(ofJvm);
          mode.samples(run, filter).add(TIME, median);
          words.append(String.format(Locale.ROOT, " %s %.0f", filter, median));
        });
    return words.toString();
  }

  /**
   * Measures for a few milliseconds the queries of each compared filter, each in a JVM of its own.
   * Returns the nanoseconds of a query, by filter.
   */
  private Map<String, Double> turn(Mode mode, List<WorkerJvm> jvms) throws IOException {
    double blocks = blocksPerQuery(mode);
    int count = (int) Math.min(queries, 20_000 / Math.max(1, blocks) / mode.threads);
    // Short enough that a chunk is queried about once in it, or that about one block comes in.
    int ofChunks = Math.min(64, Math.max(2, mode.place.chunks() / 4));
    int stretch = Math.max(ofChunks, blocks == 0 ? 64 : (int) (1 / blocks));
    count = Math.max(1, count / stretch) * stretch;
    Map<String, Double> times = new LinkedHashMap<>();
    for (WorkerJvm jvm : jvms) {
      times.put(jvm.id(), jvm.turn(mode.threads, count, stretch, blocks)[0]);
    }
    return times;
  }

  /**
   * Returns the number of other blocks that come into the block cache for each query of a filter.
   * It is computed from Winnow's chunks for all contenders, so that the same blocks come in,
   * although stock has more chunks.
   */
  private double blocksPerQuery(Mode mode) {
    int chunks = mode.place.chunks();
    double blocks = chunks + mode.place.others();
    return blocks / WINDOWS_PER_CACHE / (mode.turnover.queries * chunks);
  }
}
