package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Crew;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
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
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow rates}: writes the same rows into a region under each filter policy,
 * one after the other, and counts the file reads of Gets.
 */
@Command(name = "winnow rates")
public final class Rates extends Measuring {
  /** Name of the benchmark in results: the figures of filters. */
  static final String BENCHMARK = "rates";

  /** Name of the benchmark in results that has the options of the run. */
  static final String RUN = "ratesRun";

  private static final String ROWS_LOST = "rowsLost";
  private static final int WRONG_COUNT = 3;

  /** Maximum number of rows of a region, because a row's number has eight digits. */
  private static final long MAX_ROWS = CacheStore.ABSENT_FROM;

  /** Minimum number of rows of a flush, over the mean; {@code MAX_FACTOR} is the maximum. */
  private static final double MIN_FACTOR = 0.3;

  private static final double MAX_FACTOR = 1.7;

  /** Size of the large store file at the start, as the number of flushes that have as many rows. */
  @Option(names = "--large")
  @Range(min = 0, max = 10_000)
  int large = 80;

  @Option(names = "--flushes")
  @Range(min = 1, max = 10_000)
  int flushes = 100;

  @Option(names = "--rows-per-flush")
  @Range(min = 10, max = 10_000_000)
  int rowsPerFlush = 20_000;

  /** Number of the flush after which all store files are compacted into one; 0 for none. */
  @Option(names = "--major-at")
  @Range(min = 0, max = 10_000)
  int majorAt;

  @Option(names = "--error-rate")
  @Range(min = 1e-6, max = 0.2)
  double errorRate = 0.01;

  @Option(names = "--memory")
  private String memoryList = "0.7,0.6,0.5";

  /** Values of {@code winnow.store.memory} that are measured besides the default. */
  List<Double> memory;

  /**
   * Number of absent rows that are read after each flush or compaction; as many present ones are
   * read, too.
   */
  @Option(names = "--gets")
  @Range(min = 1, max = 1_000_000)
  int gets = 1000;

  /** Size of a full chunk of a filter, in bytes. */
  @Option(names = "--chunk")
  @Range(min = 512, max = 64 << 20)
  int chunk = 8192;

  /** First seed of the random sizes of flushes and of the random choice of rows that are read. */
  @Option(names = "--seed")
  @Range(min = 0, max = 1e15)
  long seed = 13;

  /**
   * Number of seeds, each of which gives another region; an interval needs six. The filters besides
   * HBase's and Winnow's default have the first one only.
   */
  @Option(names = "--seeds")
  @Range(min = 1, max = 100)
  int seeds = 6;

  private Path scratch;
  private Results results;
  private Progress progress;

  public static void main(String[] args) {
    main(Rates::new, args);
  }

  @Override
  protected void check() {
    number("major-at", Integer.toString(majorAt), 0, flushes);
    memory =
        memoryList.equals("none")
            ? List.of()
            : Arrays.stream(memoryList.split(",", -1))
                .map(share -> number("memory", share, 0.1, 1.25))
                .toList();
    long rows = rows(seed);
    if (rows > MAX_ROWS) {
      throw new IllegalArgumentException(
          rows + " rows are too many, must be at most " + MAX_ROWS + ": fewer --rows-per-flush");
    }
  }

  /** Returns the number of rows of the large store file at the start; 0 if there is none. */
  long largeRows() {
    return (long) large * rowsPerFlush;
  }

  /** Returns the number of rows that each flush writes into the region of a seed. */
  int[] rowsOfFlushes(long ofRegion) {
    Random random = new Random(ofRegion);
    return IntStream.range(0, flushes)
        .mapToDouble(flush -> MIN_FACTOR + (MAX_FACTOR - MIN_FACTOR) * random.nextDouble())
        .mapToInt(factor -> (int) Math.max(1, Math.round(factor * rowsPerFlush)))
        .toArray();
  }

  /** Returns the number of rows that the large file and all flushes of a region have together. */
  long rows(long ofRegion) {
    return largeRows() + Arrays.stream(rowsOfFlushes(ofRegion)).asLongStream().sum();
  }

  /** Adds the options that set which rows are written and read to results. */
  void addOptionsTo(Results all) {
    all.add(RUN, Map.of(), "large", large);
    all.add(RUN, Map.of(), "flushes", flushes);
    all.add(RUN, Map.of(), "rowsPerFlush", rowsPerFlush);
    all.add(RUN, Map.of(), "majorAt", majorAt);
    all.add(RUN, Map.of(), "errorRate", errorRate);
    all.add(RUN, Map.of(), "getsPerMoment", gets);
    all.add(RUN, Map.of(), "chunkBytes", chunk);
    all.add(RUN, Map.of(), "seed", seed);
  }

  @Override
  protected void renew() throws IOException {
    RatesPage.renew(home);
  }

  @Override
  protected int measure() throws IOException, InterruptedException {
    results = new Results(Machine.setting(commandLine()));
    List<Policy> policies = new ArrayList<>(List.of(Policy.STOCK, Policy.FILE, Policy.STORE));
    memory.forEach(share -> policies.add(Policy.store(share)));
    int regions = policies.stream().mapToInt(this::seedsOf).sum();
    progress = new Progress(err, (double) regions * flushes);
    scratch = ScratchDirectory.create(null, "winnow-rates-");
    addOptionsTo(results);
    // Results, and so the rows of tables, have the order of the policies.
    policies.forEach(policy -> results.add(BENCHMARK, at(policy), ROWS_LOST));
    // Nothing is timed, so policies run side by side: each has a table of its own.
    try (Crew crew = new Crew(Runtime.getRuntime().availableProcessors())) {
      crew.map(policies, policy -> run(policy));
    } catch (WrongCountException e) {
      err.println("winnow rates: A COUNT IS WRONG: " + e.getMessage());
      return WRONG_COUNT;
    }
    Results done = results.withSeconds(Math.round(progress.seconds()));
    double lost =
        policies.stream()
            .flatMapToDouble(
                policy -> Arrays.stream(done.samples(BENCHMARK, ROWS_LOST, "filters", policy.id())))
            .sum();
    return publish(RatesPage.of(done, isFullSize()), "rates", done.json(), Math.round(lost));
  }

  /** Returns whether the run has the numbers of flushes, rows and Gets for which goals are set. */
  private boolean isFullSize() {
    return !has("flushes") && !has("rows-per-flush") && !has("gets") && !has("chunk");
  }

  private int seedsOf(Policy policy) {
    return policy == Policy.STOCK || policy == Policy.STORE ? seeds : 1;
  }

  private Void run(Policy policy) throws IOException {
    for (int i = 0; i < seedsOf(policy); i++) {
      String name = policy.id() + ", seed " + (seed + i);
      progress.step(0, name, String.format(Locale.ROOT, "writes %,d rows", rows(seed + i)));
      Path directory = scratch.resolve(policy.id());
      List<Moment> moments = PolicyRun.run(this, seed + i, policy, directory, progress);
      add(results, policy, moments);
      progress.step(
          0,
          name,
          String.format(
              Locale.ROOT,
              "%d moments; %.2f bits per key, %.1f unnecessary file reads per 1,000 absent gets",
              moments.size(),
              mean(moments, Moment::bitsPerKey),
              1000 * mean(moments, Moment::falseReadsPerAbsentGet)));
      ScratchDirectory.delete(directory);
    }
    return null;
  }

  private static double mean(List<Moment> moments, ToDoubleFunction<Moment> figure) {
    return moments.stream().mapToDouble(figure).average().orElseThrow();
  }

  private static Map<String, String> at(Policy policy) {
    return Map.of("filters", policy.id());
  }

  /**
   * Adds the figures of a region with the filters of a policy to results: means over its moments.
   */
  static void add(Results results, Policy policy, List<Moment> moments) {
    Map<String, ToDoubleFunction<Moment>> figures =
        Map.of(
            "bitsPerKey",
            Moment::bitsPerKey,
            "falseReadsPerAbsentGet",
            Moment::falseReadsPerAbsentGet,
            "falseReadsPerPresentGet",
            Moment::falseReadsPerPresentGet,
            "sumOfRates",
            Moment::sumOfRates,
            "files",
            Moment::files);
    figures.forEach(
        (metric, figure) -> results.add(BENCHMARK, at(policy), metric, mean(moments, figure)));
    int mostFiles = moments.stream().mapToInt(Moment::files).max().orElseThrow();
    results.add(BENCHMARK, at(policy), "mostFiles", mostFiles);
    results.add(BENCHMARK, at(policy), "moments", moments.size());
    long lost = moments.stream().mapToLong(Moment::rowsLost).sum();
    results.add(BENCHMARK, at(policy), ROWS_LOST, lost);
  }
}
