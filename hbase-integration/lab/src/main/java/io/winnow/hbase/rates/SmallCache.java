package io.winnow.hbase.rates;

import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.cli.QuietEnd;
import io.winnow.hbase.cli.Range;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.cli.UserFiles;
import io.winnow.hbase.report.Machine;
import io.winnow.hbase.report.Results;
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
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
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
  private static final String PER_SECOND = "getsPerSecond";

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
  }

  private static final Contender STOCK = new Contender(Policy.stock());

  /** Filters that are compared. Those of one policy read the same store files. */
  private static final List<Contender> CONTENDERS =
      List.of(
          new Contender(Policy.none()),
          STOCK,
          new Contender(Policy.store()),
          new Contender(Policy.file()));

  /** A law by which the present rows that are read are chosen. */
  private enum Law {
    ALIKE,
    ZIPF,
    HOT
  }

  /** Gets with a kind of block cache, measured with several sizes of the cache. */
  private enum Case {
    PRESENT("present", 5, 0, Law.ALIKE, Map.of(), 0, 0.25, 0.5, 1, 2),
    ABSENT("absent", 5, 1, Law.ALIKE, Map.of(), 0, 0.25, 0.5, 1, 2),
    HALF("half", 5, 0.5, Law.ALIKE, Map.of(), 0, 0.25, 0.5, 1, 2),
    ZIPF("zipf", 5, 0, Law.ZIPF, Map.of(), 0, 0.5),
    HOT("hot", 5, 0, Law.HOT, Map.of(), 0, 0.5),
    BUCKET("bucket", 5, 0, Law.ALIKE, bucketCache(), 0, 0.25, 0.5, 1, 2),
    TINY_LFU("tinylfu", 5, 0, Law.ALIKE, tinyLfu(), 0, 0.25, 0.5, 1, 2),
    SLOW("slow", 5, 0, Law.ALIKE, Map.of(), 2, 0.25, 0.5, 1),
    FILES_30("files-30", 30, 0, Law.ALIKE, Map.of(), 0, 0.25);

    private final String label;
    private final int smallFiles;
    private final double absent;
    private final Law law;
    private final Map<String, String> site;
    private final long delayMillis;
    private final double[] sizes;

    /**
     * Describes a case.
     *
     * @param smallFiles number of store files beside the large one
     * @param absent share of the Gets that are for absent rows
     * @param law the law by which present rows are chosen
     * @param site settings of the site for the block cache
     * @param delayMillis delay of each positional read; with one there are 16 threads, and their
     *     Gets per second count
     * @param sizes sizes of the first-level cache over the bytes of HBase's filters
     */
    Case(
        String label,
        int smallFiles,
        double absent,
        Law law,
        Map<String, String> site,
        long delayMillis,
        double... sizes) {
      this.label = label;
      this.smallFiles = smallFiles;
      this.absent = absent;
      this.law = law;
      this.site = site;
      this.delayMillis = delayMillis;
      this.sizes = sizes;
    }

    private static Map<String, String> bucketCache() {
      return Map.of(
          HConstants.BUCKET_CACHE_IOENGINE_KEY, "offheap", HConstants.BUCKET_CACHE_SIZE_KEY, "64");
    }

    private static Map<String, String> tinyLfu() {
      return Map.of(BlockCacheFactory.BLOCKCACHE_POLICY_KEY, "TinyLFU");
    }

    private int threads() {
      return delayMillis > 0 ? 16 : 1;
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
  private String named =
      Arrays.stream(Case.values()).map(one -> one.label).collect(Collectors.joining(","));

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
    cases = Arrays.stream(named.split(",", -1)).map(SmallCache::ofName).toList();
  }

  private static Case ofName(String name) {
    return Arrays.stream(Case.values())
        .filter(one -> one.label.equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("--cases: there is no case " + name));
  }

  @Override
  protected int work() throws IOException, InterruptedException {
    UserFiles.requireWritable(json);
    scratch = ScratchDirectory.create(null, "winnow-cache-");
    Map<Integer, List<Case>> byStore =
        cases.stream()
            .collect(Collectors.groupingBy(c -> c.smallFiles, TreeMap::new, Collectors.toList()));
    double written = (double) byStore.size() * policies().size() * rows;
    double read =
        cases.stream().mapToInt(one -> one.sizes.length).sum() * (double) CONTENDERS.size() * gets;
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
        stores.put(policy, write(policy, smallFiles));
      }
      long stockBytes = stores.get(STOCK.policy()).filterBytes();
      for (Case one : some) {
        for (double size : one.sizes) {
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

  private CacheStore write(Policy policy, int smallFiles) throws IOException {
    String name = policy.name() + ", " + (1 + smallFiles) + " files";
    CacheStore store =
        CacheStore.create(
            policy,
            rows,
            smallFiles,
            scratch.resolve(policy.name()),
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
    for (int round = 0; round < rounds; round++) {
      List<Contender> turn = new ArrayList<>(CONTENDERS);
      Collections.rotate(turn, round);
      for (Contender contender : turn) {
        CacheStore store = stores.get(contender.policy());
        Map<String, String> site = new HashMap<>(one.site);
        site.put(HConstants.HFILE_ONHEAP_BLOCK_CACHE_FIXED_SIZE_KEY, String.valueOf(cacheBytes));
        site.putAll(contender.site());
        store.reopen(site);
        ToIntFunction<SplittableRandom> choice = choice(one, round, cacheBytes);
        CacheStore.Cost warmUp = store.run(gets, 1, seed + 2 * round, choice);
        CountedFiles.delay(1_000_000 * one.delayMillis);
        CacheStore.Cost cost = store.run(gets, one.threads(), seed + 2 * round + 1, choice);
        CountedFiles.delay(0);
        wrong += warmUp.wrong() + cost.wrong();
        Map<String, String> parameters =
            Map.of("case", one.label, "cache", Table.exact(size), "filters", contender.name());
        results.add(BENCHMARK, parameters, READS, (double) cost.reads() / cost.gets());
        results.add(BENCHMARK, parameters, KIB, cost.bytes() / 1024.0 / cost.gets());
        if (one.delayMillis > 0) {
          results.add(BENCHMARK, parameters, PER_SECOND, cost.gets() / cost.seconds());
        }
      }
      progress.step(
          GET_SECONDS * CONTENDERS.size() * 2 * gets / 1e6,
          one.label + ", cache " + Table.exact(size),
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
      if (random.nextDouble() < one.absent) {
        return random.nextInt(CacheStore.ABSENT_FROM, CacheStore.ABSENT_TO);
      }
      int rank = random.nextInt(rows);
      if (one.law == Law.ZIPF) { // with the exponent 0.99, by the inverse of the integral
        rank = (int) Math.pow(1 + random.nextDouble() * (Math.pow(rows, 0.01) - 1), 100) - 1;
      } else if (one.law == Law.HOT && random.nextDouble() < 0.95) {
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
            one.label,
            "cache",
            Table.exact(size),
            "filters",
            contender.name());
    return Arrays.stream(samples).average().orElse(Double.NaN);
  }

  /** Returns a table of the means of all rounds. Ratios are those to HBase's filters. */
  private static Table table(Case one, Results results) {
    String judged = one.delayMillis > 0 ? PER_SECOND : READS;
    Table table =
        new Table(
            one.label + ": cache over the bytes of HBase's filters",
            "cache",
            "filters",
            "reads/Get",
            "KiB/Get",
            "Gets/s",
            judged + " over stock");
    for (double size : one.sizes) {
      double stock = mean(one, size, STOCK, judged, results);
      for (Contender contender : CONTENDERS) {
        table.row(
            Table.exact(size),
            contender.name(),
            Table.number(mean(one, size, contender, READS, results), 2),
            Table.number(mean(one, size, contender, KIB, results), 0),
            Table.number(mean(one, size, contender, PER_SECOND, results), 0),
            Table.number(mean(one, size, contender, judged, results) / stock, 2));
      }
    }
    return table;
  }
}
