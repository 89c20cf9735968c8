package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.read.CachePressure;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.io.hfile.TinyLfuBlockCache;
import org.apache.hadoop.hbase.io.hfile.bucket.BucketCache;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command {@code ./winnow cache}: counts the reads and bytes that Gets cause where the filters
 * of a store do not fit the block cache. Each filter policy has a store of the same rows; in each
 * round all get the same Gets, with an empty cache at first.
 */
@Command(name = "winnow cache")
public final class SmallCache extends Program {
  private static final int LOST = 2;
  private static final String BENCHMARK = "cache";
  private static final String READS = "readsPerGet";
  private static final String KIB = "kibPerGet";
  private static final String MISSES = "missesAgainPerProbe";
  private static final String PER_SECOND = "getsPerSecond";

  private static final long BUCKET_CACHE_BYTES = 64 << 20;

  /** Number of threads whose Gets per second are measured. */
  private static final int THREADS = 16;

  /** Estimated seconds to write a million rows, and to run a million Gets. */
  private static final double WRITE_SECONDS = 9;

  private static final double GET_SECONDS = 250;

  /**
   * Filters that are compared: those of a policy, read with some settings of the site.
   *
   * @param name the name in reports
   */
  private record Contender(String name, Policy policy, Map<String, String> site) {
    Contender(Policy policy) {
      this(policy.name(), policy, Map.of());
    }

    private boolean hasWinnowFilters() {
      return policy.settings().containsKey(Setting.FILTER.key);
    }
  }

  private static final Contender STOCK = new Contender(Policy.stock());

  /** Winnow's default while the server knows of no pressure on its block cache. */
  private static final Contender STORE = new Contender(Policy.store());

  /** Winnow's default whose files were written when the server knew that its cache is short. */
  private static final Contender AUTO = new Contender(Policy.auto());

  /**
   * Filters that are compared. Those of one policy read the same store files, which are written in
   * this order.
   */
  private static final List<Contender> CONTENDERS =
      List.of(
          new Contender(Policy.none()),
          STOCK,
          STORE,
          AUTO,
          new Contender("always", AUTO.policy(), Map.of(Setting.READ_RELOADS.key, "always")));

  /** Size of a block cache that is short, over the bytes of HBase's filters. */
  private static final double SHORT = 0.25;

  /** Number of Gets by which the server learns that its block cache is short. */
  private static final int GETS_UNDER_PRESSURE = 10_000;

  /** A kind of block cache. Its first level has the blocks of filters. */
  private enum Cache {
    LRU,
    TINY_LFU,
    BUCKET;

    /**
     * Makes an empty block cache. It evicts in the thread that fills it, at once: HBase's own
     * thread for this comes a little late, and meanwhile so small a cache holds more than its size.
     *
     * @param bytes size of the first level
     */
    BlockCache create(long bytes) throws IOException {
      int block = HConstants.DEFAULT_BLOCKSIZE;
      if (this == TINY_LFU) {
        return new TinyLfuBlockCache(bytes, block, Runnable::run, new Configuration(false));
      }
      LruBlockCache lru = new LruBlockCache(bytes, block, false);
      return this == LRU
          ? lru
          : new CombinedBlockCache(
              lru, new BucketCache("offheap", BUCKET_CACHE_BYTES, block, null, 3, 64, null));
    }
  }

  /** A law by which the present rows that are read are chosen. */
  private enum Law {
    ALIKE,
    ZIPF,
    HOT
  }

  /**
   * Gets with a kind of block cache, measured with several sizes of the cache.
   *
   * @param smallFiles number of store files beside the large one
   * @param absent share of the Gets that are for absent rows
   * @param law the law by which present rows are chosen
   * @param delayMillis delay of each positional read; with one there are {@value #THREADS} threads,
   *     and their Gets per second count
   * @param sizes sizes of the cache, or of its first level, over the bytes of HBase's filters
   */
  private record Case(
      String name,
      int smallFiles,
      double absent,
      Law law,
      Cache cache,
      int delayMillis,
      List<Double> sizes) {
    private static final List<Double> ALL_SIZES = List.of(0.25, 0.5, 1.0, 2.0);

    private static final List<Case> ALL =
        List.of(
            new Case("present", 5, 0, Law.ALIKE, Cache.LRU, 0, ALL_SIZES),
            new Case("absent", 5, 1, Law.ALIKE, Cache.LRU, 0, ALL_SIZES),
            new Case("half", 5, 0.5, Law.ALIKE, Cache.LRU, 0, ALL_SIZES),
            new Case("zipf", 5, 0, Law.ZIPF, Cache.LRU, 0, List.of(0.5)),
            new Case("hot", 5, 0, Law.HOT, Cache.LRU, 0, List.of(0.5)),
            new Case("bucket", 5, 0, Law.ALIKE, Cache.BUCKET, 0, ALL_SIZES),
            new Case("tinylfu", 5, 0, Law.ALIKE, Cache.TINY_LFU, 0, ALL_SIZES),
            new Case("slow", 5, 0, Law.ALIKE, Cache.LRU, 2, List.of(0.25, 0.5, 1.0)),
            new Case("files-30", 30, 0, Law.ALIKE, Cache.LRU, 0, List.of(0.25)));

    private static Case of(String name) {
      return ALL.stream()
          .filter(one -> one.name.equals(name))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("--cases: there is no case " + name));
    }

    private boolean isSlow() {
      return delayMillis > 0;
    }
  }

  @Option(names = "--rows")
  @Range(min = 100_000, max = 80_000_000)
  private int rows = CacheStore.FULL_ROWS;

  @Option(names = "--gets")
  @Range(min = 16, max = 10_000_000)
  private int gets = 5000;

  @Option(names = "--rounds")
  @Range(min = 1, max = 1000)
  private int rounds = 10;

  @Option(names = "--cases")
  private String named = Case.ALL.stream().map(Case::name).collect(Collectors.joining(","));

  @Option(names = "--seed")
  @Range(min = 0, max = 1e15)
  private long seed = 48;

  @Option(names = "--json")
  private Path json;

  private List<Case> cases;
  private Path scratch;
  private Progress progress;
  private long wrong;

  public static void main(String[] args) {
    QuietEnd.install();
    System.exit(new SmallCache().run(System.out, System.err, args));
  }

  @Override
  protected void check() {
    cases = Arrays.stream(named.split(",", -1)).map(Case::of).toList();
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    UserFiles.requireWritable(json);
    scratch = ScratchDirectory.create(null, "winnow-cache-");
    Map<Integer, List<Case>> byStore =
        cases.stream()
            .collect(Collectors.groupingBy(Case::smallFiles, TreeMap::new, Collectors.toList()));
    double written = (double) byStore.size() * policies().size() * rows;
    double read =
        cases.stream().mapToInt(one -> one.sizes().size()).sum()
            * (double) CONTENDERS.size()
            * gets;
    progress = new Progress(err, (WRITE_SECONDS * written + GET_SECONDS * 2 * rounds * read) / 1e6);
    Results results = new Results(Machine.setting(commandLine()));
    for (Map.Entry<Integer, List<Case>> store : byStore.entrySet()) {
      measure(store.getKey(), store.getValue(), results);
    }
    if (json != null) {
      Files.writeString(json, results.withSeconds(Math.round(progress.seconds())).json());
    }
    if (wrong > 0) {
      out.println("ROWS WERE LOST: this must not be. Please report it with the result.");
      return LOST;
    }
    return DONE;
  }

  private static List<Policy> policies() {
    return CONTENDERS.stream().map(Contender::policy).distinct().toList();
  }

  private void measure(int smallFiles, List<Case> some, Results results)
      throws IOException, InterruptedException {
    Map<Policy, CacheStore> stores = new LinkedHashMap<>();
    try {
      for (Policy policy : policies()) {
        BlockCache cache =
            policy.equals(AUTO.policy()) ? shortCache(stores) : Cache.LRU.create(1 << 20);
        stores.put(policy, write(policy, smallFiles, cache));
      }
      long stockBytes = stores.get(STOCK.policy()).filterBytes();
      for (Case one : some) {
        for (double size : one.sizes()) {
          measure(one, size, (long) (size * stockBytes), stores, results);
        }
        out.println(table(one, results).text());
      }
    } finally {
      for (CacheStore store : stores.values()) {
        store.close();
      }
      ScratchDirectory.delete(scratch);
    }
  }

  /**
   * Returns a block cache that the server has judged to be too small for its filters: files that
   * are written now have one rate.
   */
  private BlockCache shortCache(Map<Policy, CacheStore> stores)
      throws IOException, InterruptedException {
    long stockBytes = stores.get(STOCK.policy()).filterBytes();
    BlockCache cache = Cache.LRU.create((long) (SHORT * stockBytes));
    CacheStore store = stores.get(STORE.policy());
    store.reopen(Map.of(), cache);
    wrong += store.run(GETS_UNDER_PRESSURE, 1, seed, random -> random.nextInt(rows)).wrong();
    CachePressure.OF_THIS_JVM.judgeNow();
    if (!CachePressure.OF_THIS_JVM.isCacheShort()) {
      throw new IOException("the filters fit a block cache of a quarter of HBase's");
    }
    return cache;
  }

  private CacheStore write(Policy policy, int smallFiles, BlockCache cache) throws IOException {
    String name = policy.name() + ", " + (1 + smallFiles) + " files";
    CacheStore store =
        CacheStore.create(
            policy,
            rows,
            smallFiles,
            scratch.resolve(policy.name()),
            cache,
            flushed ->
                progress.step(
                    WRITE_SECONDS * flushed / 1e6,
                    name,
                    String.format(Locale.ROOT, "%,d rows written", flushed)));
    progress.step(
        0, name, String.format(Locale.ROOT, "%.2f bits per row", 8.0 * store.filterBytes() / rows));
    return store;
  }

  private void measure(
      Case one, double size, long cacheBytes, Map<Policy, CacheStore> stores, Results results)
      throws IOException, InterruptedException {
    Map<Contender, BlockCache> caches = new HashMap<>();
    for (Contender contender : CONTENDERS) {
      caches.put(contender, one.cache().create(cacheBytes));
    }
    for (int round = 0; round < rounds; round++) {
      List<Contender> turn = new ArrayList<>(CONTENDERS);
      Collections.rotate(turn, round);
      for (Contender contender : turn) {
        CacheStore store = stores.get(contender.policy());
        store.reopen(contender.site(), caches.get(contender)); // empty, since its blocks left it
        ToIntFunction<SplittableRandom> choice = choice(one, round, cacheBytes);
        CacheStore.Cost warmUp = store.run(gets, 1, seed + 2 * round, choice);
        CountedFiles.delay(1_000_000L * one.delayMillis());
        CacheStore.Cost cost =
            store.run(gets, one.isSlow() ? THREADS : 1, seed + 2 * round + 1, choice);
        CountedFiles.delay(0);
        wrong += warmUp.wrong() + cost.wrong();
        Map<String, String> parameters =
            Map.of("case", one.name(), "cache", Table.exact(size), "filters", contender.name());
        results.add(BENCHMARK, parameters, READS, (double) cost.reads() / cost.gets());
        results.add(BENCHMARK, parameters, KIB, cost.bytes() / 1024.0 / cost.gets());
        if (contender.hasWinnowFilters()) {
          double probes = (double) cost.gets() * (1 + one.smallFiles());
          results.add(BENCHMARK, parameters, MISSES, cost.missesAgain() / probes);
        }
        if (one.isSlow()) {
          results.add(BENCHMARK, parameters, PER_SECOND, cost.gets() / cost.seconds());
        }
      }
      progress.step(
          GET_SECONDS * CONTENDERS.size() * 2 * gets / 1e6,
          one.name() + ", cache " + Table.exact(size),
          CONTENDERS.stream()
              .map(it -> it.name() + ' ' + Table.number(mean(one, size, it, READS, results), 2))
              .collect(Collectors.joining(", ", "", " reads per Get")));
    }
  }

  /**
   * Returns the choice of rows in a round of a case. The popular rows of each round are others, and
   * lie anywhere in the store. There are as many hot rows as blocks in half of the cache.
   */
  private ToIntFunction<SplittableRandom> choice(Case one, int round, long cacheBytes) {
    long first = seed + 1_000_003L * round;
    int hot = (int) Math.max(1, cacheBytes / 2 / CacheStore.blockBytes(rows));
    return random -> {
      if (random.nextDouble() < one.absent()) {
        return random.nextInt(CacheStore.ABSENT_FROM, CacheStore.ABSENT_TO);
      }
      int rank = random.nextInt(rows);
      if (one.law() == Law.ZIPF) { // with the exponent 0.99, by the inverse of the integral
        rank = (int) Math.pow(1 + random.nextDouble() * (Math.pow(rows, 0.01) - 1), 100) - 1;
      } else if (one.law() == Law.HOT && random.nextDouble() < 0.95) {
        rank = random.nextInt(hot);
      }
      return (int) ((first + rank) * 7_368_787L % rows);
    };
  }

  private static double mean(
      Case one, double size, Contender contender, String metric, Results results) {
    double[] samples =
        results.samples(
            BENCHMARK,
            metric,
            "case",
            one.name(),
            "cache",
            Table.exact(size),
            "filters",
            contender.name());
    return Arrays.stream(samples).average().orElse(Double.NaN);
  }

  /** Returns a table of the means of all rounds. Ratios are those to HBase's filters. */
  private static Table table(Case one, Results results) {
    String judged = one.isSlow() ? PER_SECOND : READS;
    Table table =
        new Table(
            one.name() + ": cache over the bytes of HBase's filters",
            "cache",
            "filters",
            "reads/Get",
            "KiB/Get",
            "evicted/probe",
            "Gets/s",
            judged + " over stock");
    for (double size : one.sizes()) {
      double stock = mean(one, size, STOCK, judged, results);
      for (Contender contender : CONTENDERS) {
        table.row(
            Table.exact(size),
            contender.name(),
            Table.number(mean(one, size, contender, READS, results), 2),
            Table.number(mean(one, size, contender, KIB, results), 0),
            Table.number(mean(one, size, contender, MISSES, results), 3),
            Table.number(mean(one, size, contender, PER_SECOND, results), 0),
            Table.number(mean(one, size, contender, judged, results) / stock, 2));
      }
    }
    return table;
  }
}
