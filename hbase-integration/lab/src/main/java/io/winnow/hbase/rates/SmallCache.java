package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.contest.Case;
import io.winnow.hbase.contest.Contest;
import io.winnow.hbase.read.CachePressure;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.PageTemplate;
import io.winnow.hbase.report.Results;
import io.winnow.hbase.settings.Setting;
import io.winnow.hbase.standalone.CountedFiles;
import io.winnow.hbase.standalone.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
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

  /** The files of {@link Policy#AUTO}, each of whose evicted chunks is loaded again. */
  private static final Policy ALWAYS =
      new Policy(
          "always",
          Policy.AUTO.type(),
          Policy.AUTO.settings(),
          Map.of(Setting.READ_RELOADS.key, "always"));

  /**
   * Filters that are compared. {@code STORE} is Winnow's default while the server knows of no
   * pressure on its block cache; the files of {@code AUTO} were written when it knew that its cache
   * is short. Policies with the same settings of the family read the same store files, which are
   * written in this order.
   */
  private static final List<Policy> POLICIES =
      List.of(Policy.NONE, Policy.STOCK, Policy.STORE, Policy.AUTO, ALWAYS);

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
  private record Gets(
      String name,
      int smallFiles,
      double absent,
      Law law,
      Cache cache,
      int delayMillis,
      List<Double> sizes) {
    private static final List<Double> ALL_SIZES = List.of(0.25, 0.5, 1.0, 2.0);

    private static final List<Gets> ALL =
        List.of(
            new Gets("present", 5, 0, Law.ALIKE, Cache.LRU, 0, ALL_SIZES),
            new Gets("absent", 5, 1, Law.ALIKE, Cache.LRU, 0, ALL_SIZES),
            new Gets("half", 5, 0.5, Law.ALIKE, Cache.LRU, 0, ALL_SIZES),
            new Gets("zipf", 5, 0, Law.ZIPF, Cache.LRU, 0, List.of(0.5)),
            new Gets("hot", 5, 0, Law.HOT, Cache.LRU, 0, List.of(0.5)),
            new Gets("bucket", 5, 0, Law.ALIKE, Cache.BUCKET, 0, ALL_SIZES),
            new Gets("tinylfu", 5, 0, Law.ALIKE, Cache.TINY_LFU, 0, ALL_SIZES),
            new Gets("slow", 5, 0, Law.ALIKE, Cache.LRU, 2, List.of(0.25, 0.5, 1.0)),
            new Gets("files-30", 30, 0, Law.ALIKE, Cache.LRU, 0, List.of(0.25)));

    private static Gets of(String name) {
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
  private String named = Gets.ALL.stream().map(Gets::name).collect(Collectors.joining(","));

  @Option(names = "--seed")
  @Range(min = 0, max = 1e15)
  private long seed = 48;

  @Option(names = "--json")
  private Path json;

  private List<Gets> cases;
  private Path scratch;
  private Contest contest;
  private long wrong;

  public static void main(String[] args) {
    main(SmallCache::new, args);
  }

  @Override
  protected void check() {
    cases = Arrays.stream(named.split(",", -1)).map(Gets::of).toList();
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    UserFiles.requireWritable(json);
    scratch = ScratchDirectory.create(null, "winnow-cache-");
    Map<Integer, List<Gets>> byStore =
        cases.stream()
            .collect(Collectors.groupingBy(Gets::smallFiles, TreeMap::new, Collectors.toList()));
    long policies = POLICIES.stream().map(Policy::settings).distinct().count();
    double written = (double) byStore.size() * policies * rows;
    double read = cases.stream().mapToInt(one -> one.sizes().size()).sum() * POLICIES.size();
    Results results = new Results(Machine.setting(commandLine()));
    double seconds = WRITE_SECONDS * written / 1e6 + turnSeconds() * rounds * read;
    contest = new Contest(results, new Progress(err, seconds));
    for (Map.Entry<Integer, List<Gets>> store : byStore.entrySet()) {
      measure(store.getKey(), store.getValue());
    }
    if (json != null) {
      long taken = Math.round(contest.progress().seconds());
      Files.writeString(json, results.withSeconds(taken).json());
    }
    if (wrong > 0) {
      out.println("ROWS WERE LOST: this must not be. Please report it with the result.");
      return LOST;
    }
    return DONE;
  }

  private double turnSeconds() {
    return GET_SECONDS * 2 * gets / 1e6;
  }

  private void measure(int smallFiles, List<Gets> some) throws IOException, InterruptedException {
    Map<Map<String, String>, CacheStore> stores = new HashMap<>();
    try {
      for (Policy policy : POLICIES) {
        if (!stores.containsKey(policy.settings())) {
          BlockCache cache = policy == Policy.AUTO ? shortCache(stores) : Cache.LRU.create(1 << 20);
          stores.put(policy.settings(), write(policy, smallFiles, cache));
        }
      }
      for (Gets one : some) {
        for (double size : one.sizes()) {
          contest.run(sized(one, size, stores), rounds);
        }
        Results results = contest.results();
        Map<String, String> variables = Map.of("case", one.name());
        out.println(new PageTemplate(SmallCache.class, "cache.ftl", results, variables).text());
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
  private BlockCache shortCache(Map<Map<String, String>, CacheStore> stores)
      throws IOException, InterruptedException {
    long stockBytes = stores.get(Policy.STOCK.settings()).region.filterBytes();
    BlockCache cache = Cache.LRU.create((long) (SHORT * stockBytes));
    CacheStore store = stores.get(Policy.STORE.settings());
    store.region.reopen(Map.of(), cache);
    wrong += store.run(GETS_UNDER_PRESSURE, 1, seed, random -> random.nextInt(rows)).wrong();
    CachePressure.OF_THIS_JVM.judgeNow();
    if (!CachePressure.OF_THIS_JVM.isCacheShort()) {
      throw new IOException("the filters fit a block cache of a quarter of HBase's");
    }
    return cache;
  }

  private CacheStore write(Policy policy, int smallFiles, BlockCache cache) throws IOException {
    String name = policy.id() + ", " + (1 + smallFiles) + " files";
    CacheStore store =
        CacheStore.create(
            policy,
            rows,
            smallFiles,
            scratch.resolve(policy.id()),
            cache,
            put -> contest.progress().part(WRITE_SECONDS * put / 1e6, name + ": writing"));
    contest
        .progress()
        .step(0, name, Table.number(8.0 * store.region.filterBytes() / rows, 2) + " bits per row");
    return store;
  }

  /** Returns Gets with a block cache of one size, which is empty when a turn begins. */
  private Case<Policy> sized(Gets of, double size, Map<Map<String, String>, CacheStore> stores)
      throws IOException {
    long cacheBytes = (long) (size * stores.get(Policy.STOCK.settings()).region.filterBytes());
    Map<Policy, BlockCache> caches = new HashMap<>();
    for (Policy policy : POLICIES) {
      caches.put(policy, of.cache().create(cacheBytes));
    }
    return new Case.Plain<>(
        of.name() + ", cache " + Table.exact(size),
        Map.of("case", of.name(), "cache", Table.exact(size)),
        POLICIES,
        turnSeconds(),
        (policy, round) -> {
          CacheStore store = stores.get(policy.settings());
          store.region.reopen(policy.site(), caches.get(policy)); // empty: its blocks left it
          ToIntFunction<SplittableRandom> choice = choice(of, round, cacheBytes);
          CacheStore.Cost warmUp = store.run(gets, 1, seed + 2 * round, choice);
          CountedFiles.delay(1_000_000L * of.delayMillis());
          CacheStore.Cost cost =
              store.run(gets, of.isSlow() ? THREADS : 1, seed + 2 * round + 1, choice);
          CountedFiles.delay(0);
          wrong += warmUp.wrong() + cost.wrong();
          return taken(of, size, policy, cost);
        });
  }

  private Case.Taken taken(Gets of, double size, Policy policy, CacheStore.Cost cost) {
    Map<String, String> at =
        Map.of("case", of.name(), "cache", Table.exact(size), "filters", policy.id());
    Results results = contest.results();
    double reads = (double) cost.reads() / cost.gets();
    results.add(BENCHMARK, at, READS, reads);
    results.add(BENCHMARK, at, KIB, cost.bytes() / 1024.0 / cost.gets());
    if (policy.settings().containsKey(Setting.FILTER.key)) {
      double probes = (double) cost.gets() * (1 + of.smallFiles());
      results.add(BENCHMARK, at, MISSES, cost.missesAgain() / probes);
    }
    if (of.isSlow()) {
      results.add(BENCHMARK, at, PER_SECOND, cost.gets() / cost.seconds());
    }
    return new Case.Taken(reads, Table.number(reads, 2) + " reads per Get");
  }

  /**
   * Returns the choice of rows in a round. The popular rows of each round are others, and lie
   * anywhere in the store. There are as many hot rows as blocks in half of the cache.
   */
  private ToIntFunction<SplittableRandom> choice(Gets of, int round, long cacheBytes) {
    long first = seed + 1_000_003L * round;
    int hot = (int) Math.max(1, cacheBytes / 2 / CacheStore.blockBytes(rows));
    return random -> {
      if (random.nextDouble() < of.absent()) {
        return random.nextInt(CacheStore.ABSENT_FROM, CacheStore.ABSENT_TO);
      }
      int rank = random.nextInt(rows);
      if (of.law() == Law.ZIPF) { // with the exponent 0.99, by the inverse of the integral
        rank = (int) Math.pow(1 + random.nextDouble() * (Math.pow(rows, 0.01) - 1), 100) - 1;
      } else if (of.law() == Law.HOT && random.nextDouble() < 0.95) {
        rank = random.nextInt(hot);
      }
      return (int) ((first + rank) * 7_368_787L % rows);
    };
  }
}
