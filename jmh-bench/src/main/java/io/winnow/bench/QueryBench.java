package io.winnow.bench;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A benchmark of the time of a query of a store file's filter, stock's and Winnow's: with the block
 * cache at rest and with turnover, and with few files and many.
 *
 * <p>Each contender has a JVM of its own ({@link QueryWorker}), and the JVMs take turns of a few
 * milliseconds, in an order that changes. The median of a JVM's turns is one sample, because all
 * turns of a JVM run the same compiled code. The samples of one launch belong together.
 */
final class QueryBench {
  static final String NAME = "ask";
  static final String TIME = "nsPerQuestion";
  static final String STOCK = "bloom";
  static final List<String> OURS = List.of("ribbon", "bumped-ribbon");

  /**
   * Filters that differ from another in one part, so that their times show the gain of each part:
   * the filter, its hash function, and the reader's reuse of a chunk without a look-up.
   */
  static final List<String> APART =
      List.of("bloom-murmur3", "bloom-xxh3-short-cut", "bumped-ribbon-looked-up");

  /**
   * Number of equal periods, called windows, in the time in which all blocks of the block cache are
   * replaced once.
   */
  static final int WINDOWS_PER_CACHE = 128;

  /** Number of keys in a full chunk of Winnow's filters. */
  private static final int CHUNK_KEYS = 145_000;

  /** The number and size of the store files whose filters are queried in turn. */
  enum Place {
    SMALL("small, 8 files", 10_000, 8),
    ONE("1 file", 1_000_000, 1),
    EIGHT("8 files", 1_000_000, 8),
    GIGABYTES("1280 files", 1_000_000, 1280);

    private final String label;
    private final int keys;
    private final int files;

    Place(String label, int keys, int files) {
      this.label = label;
      this.keys = keys;
      this.files = files;
    }

    String label() {
      return label;
    }

    private int keys(Effort effort) {
      return effort == Effort.SMOKE ? Math.min(keys, 3000) : keys;
    }

    private int chunks(Effort effort) {
      return files * ((keys(effort) + CHUNK_KEYS - 1) / CHUNK_KEYS);
    }

    private int others(Effort effort) {
      return Math.max(WINDOWS_PER_CACHE - chunks(effort), 2 * chunks(effort));
    }
  }

  /**
   * The speed at which new blocks come into the block cache, as the number of queries of each chunk
   * in the time in which a 128th of the cache is replaced.
   */
  enum Turnover {
    REST("at rest", Double.POSITIVE_INFINITY),
    SIXTEEN("16", 16),
    TWO("2", 2),
    ONE("1", 1),
    /** A speed at which a quarter of the block cache is replaced between two queries of a chunk. */
    NONE("0", 1.0 / 32);

    private final String label;
    private final double queries;

    Turnover(String label, double queries) {
      this.label = label;
      this.queries = queries;
    }

    String label() {
      return label;
    }
  }

  private final Effort effort;
  private final Results results;
  private final Progress progress;

  QueryBench(Effort effort, Results results, Progress progress) {
    this.effort = effort;
    this.results = results;
    this.progress = progress;
  }

  static List<Place> places(Effort effort) {
    return switch (effort) {
      case SMOKE -> List.of(Place.SMALL);
      case QUICK -> List.of(Place.SMALL, Place.ONE, Place.EIGHT);
      case FULL -> List.of(Place.values());
    };
  }

  private static int launches(Effort effort) {
    return switch (effort) {
      case SMOKE -> 2;
      case QUICK -> 1;
      case FULL -> PairedRatio.MIN_PAIRS;
    };
  }

  private int warmups() {
    return switch (effort) {
      case SMOKE -> 0;
      case QUICK -> 5;
      case FULL -> 10;
    };
  }

  private int rounds() {
    return switch (effort) {
      case SMOKE -> 1;
      case QUICK -> 7;
      case FULL -> 5;
    };
  }

  private int queries() {
    return effort == Effort.SMOKE ? 200 : 20_000;
  }

  static double weight(Effort effort) {
    return places(effort).size() * launches(effort) * weightOfLaunch(effort);
  }

  private static double weightOfLaunch(Effort effort) {
    return effort == Effort.FULL ? 47 : 26;
  }

  static List<Integer> threads() {
    int cores = Runtime.getRuntime().availableProcessors();
    return cores == 1 ? List.of(1) : List.of(1, cores);
  }

  static List<String> filters(Place place) {
    List<String> filters = new ArrayList<>(List.of(STOCK));
    filters.addAll(OURS);
    if (place != Place.GIGABYTES) { // six JVMs would need too much memory
      filters.addAll(APART);
    }
    return filters;
  }

  void run() throws IOException {
    for (Place place : places(effort)) {
      List<String> filters = filters(place);
      List<LocalStoreFile> files = new ArrayList<>();
      try {
        for (String filter : filters) {
          files.add(
              LocalStoreFile.write(
                  HBaseFilter.ofLabel(filter),
                  0.01,
                  LocalStoreFile.rows(
                      Keys.presentInOrder(place.keys(effort)), QueryWorker.KEY_LENGTH)));
        }
        for (int launch = 0; launch < launches(effort); launch++) {
          launch(place, filters, files);
        }
      } finally {
        for (LocalStoreFile file : files) {
          file.close();
        }
      }
      report(place);
    }
  }

  private void report(Place place) {
    List<String> ratios = new ArrayList<>();
    for (Turnover turnover : Turnover.values()) {
      PairedRatio ratio = ratio(results, place, turnover, 1, "bumped-ribbon");
      ratios.add(turnover.label + ": " + ratio.text());
    }
    progress.step(
        launches(effort) * weightOfLaunch(effort),
        "bumped over bloom, " + place.label,
        String.join(", ", ratios));
  }

  /** A filter that is compared with others, and the JVM that queries it. */
  private record Contender(String filter, WorkerJvm jvm) {}

  private void launch(Place place, List<String> filters, List<LocalStoreFile> files)
      throws IOException {
    List<Contender> contenders = new ArrayList<>();
    try {
      for (int i = 0; i < filters.size(); i++) {
        contenders.add(new Contender(filters.get(i), start(place, filters.get(i), files.get(i))));
      }
      for (Contender contender : contenders) {
        contender.jvm.answer();
      }
      for (Turnover turnover : Turnover.values()) {
        for (int threads : threads()) {
          for (int turn = 0; turn < warmups(); turn++) {
            turn(place, turnover, threads, contenders);
          }
        }
      }
      for (Turnover turnover : Turnover.values()) {
        for (int threads : threads()) {
          settle(place, turnover, threads, contenders);
          Map<String, double[]> times = new HashMap<>();
          for (int round = 0; round < rounds(); round++) {
            Collections.rotate(contenders, 1); // no contender always comes after the same one
            if (round % contenders.size() == 0) {
              Collections.reverse(contenders);
            }
            for (Map.Entry<String, Double> time :
                turn(place, turnover, threads, contenders).entrySet()) {
              times.computeIfAbsent(time.getKey(), filter -> new double[rounds()])[round] =
                  time.getValue();
            }
          }
          times.forEach(
              (filter, ofJvm) ->
                  results.add(
                      NAME, at(place, turnover, threads, filter), TIME, Results.median(ofJvm)));
        }
      }
    } finally {
      for (Contender contender : contenders) {
        contender.jvm.close();
      }
    }
  }

  private WorkerJvm start(Place place, String filter, LocalStoreFile file) throws IOException {
    long keys = (long) place.keys(effort) * place.files;
    String heap = (600 + keys * 2 / 1_000_000) + "m";
    return new WorkerJvm(
        List.of(
            "-Xms" + heap,
            "-Xmx" + heap,
            "-XX:+UseParallelGC",
            WorkerJvm.OPEN_NIO,
            WorkerJvm.OPEN_LANG),
        QueryWorker.class,
        List.of(
            filter,
            file.file().toString(),
            String.valueOf(place.keys(effort)),
            String.valueOf(place.files),
            String.valueOf(place.others(effort))));
  }

  /**
   * Queries each chunk of the filters several times, until the effects of the first queries are
   * over.
   */
  private void settle(Place place, Turnover turnover, int threads, List<Contender> contenders)
      throws IOException {
    int turns = effort == Effort.SMOKE ? 0 : Math.max(2, 40 * place.chunks(effort) / queries());
    for (int turn = 0; turn < turns; turn++) {
      turn(place, turnover, threads, contenders);
    }
  }

  /**
   * Measures for a few milliseconds the queries of each compared filter, each in a JVM of its own.
   * Returns the nanoseconds of a query, by filter.
   */
  private Map<String, Double> turn(
      Place place, Turnover turnover, int threads, List<Contender> contenders) throws IOException {
    double blocks = blocksPerQuery(place, turnover);
    int count = (int) Math.min(queries(), 20_000 / Math.max(1, blocks) / threads);
    // Short enough that a chunk is queried about once in it, or that about one block comes in.
    int ofChunks = Math.min(64, Math.max(2, place.chunks(effort) / 4));
    int stretch = Math.max(ofChunks, blocks == 0 ? 64 : (int) (1 / blocks));
    count = Math.max(1, count / stretch) * stretch;
    String request = threads + " " + count + " " + stretch + " " + blocks;
    Map<String, Double> times = new HashMap<>();
    for (Contender contender : contenders) {
      contender.jvm.request(request);
      times.put(contender.filter, Double.parseDouble(contender.jvm.answer()));
    }
    return times;
  }

  /**
   * Returns the number of other blocks that come into the block cache for each query of a filter.
   * It is computed from Winnow's chunks for all contenders, so that the same blocks come in,
   * although stock has more chunks.
   */
  private double blocksPerQuery(Place place, Turnover turnover) {
    double blocks = place.chunks(effort) + place.others(effort);
    return blocks / WINDOWS_PER_CACHE / (turnover.queries * place.chunks(effort));
  }

  static Map<String, String> at(Place place, Turnover turnover, int threads, String filter) {
    return Map.of(
        "files",
        place.label,
        "turnover",
        turnover.label,
        "threads",
        String.valueOf(threads),
        "filter",
        filter);
  }

  static double[] samples(
      Results results, Place place, Turnover turnover, int threads, String filter) {
    return results.samples(
        NAME,
        TIME,
        "files",
        place.label,
        "turnover",
        turnover.label,
        "threads",
        threads,
        "filter",
        filter);
  }

  /**
   * Returns the ratio of the query times of one of Winnow's filters to those of stock's, pair by
   * pair; NaN if either is not in the results.
   */
  static PairedRatio ratio(
      Results results, Place place, Turnover turnover, int threads, String filter) {
    return PairedRatio.of(
        samples(results, place, turnover, threads, filter),
        samples(results, place, turnover, threads, STOCK));
  }
}
