package io.winnow.hbase.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Every figure of README and of {@code docs/results.md} is computed again from the committed JSON,
 * by its own arithmetic: nothing here comes from the code that makes results, pages and plots. If a
 * newer result says something else, this fails, with the words that the page should have.
 */
class ReadmeFiguresTest {
  private static final Path HOME = Path.of("..", "..");
  private static final Path BENCH = HOME.resolve("jmh-bench/results");
  private static final Path YCSB = HOME.resolve("ycsb-profiles/results");
  private static final Path OWN = HOME.resolve("hbase-integration/results");

  /** Numbers that are no measurements: what the download takes differs with the repository. */
  private static final String FIRST_BUILD =
      "downloads about 300 MB, builds for one to three minutes";

  /** Versions and the like, with the words beside them: a number alone may be a figure. */
  private static final List<String> NO_FIGURES =
      List.of(
          "Apache 2.0",
          "on 2.5.13, servers of 2.5.0 too",
          "on 2.6.4, servers of 2.6.0 too",
          "tested on beta-1,",
          "HBase 2.6.4",
          "Hadoop 2 ",
          "JDK from 17 on",
          "needs 1 GB of disk",
          "repeat step 3 with",
          "default rate of 1 %:",
          "an interval of 95 % certainty",
          "## 1 to 4:",
          "## 5 and 6:",
          "## 7:",
          "## 8 and 9:",
          "## 10:",
          "## 11:",
          "figures 7 to 9",
          "HBASE-29995",
          "value of 75 bytes");

  /** Winnow's own. */
  private static final String VERSION = "\\*\\*Status:\\*\\* version [.\\d]+(-SNAPSHOT)?\\.";

  /** How a page says of which commit its figures are. */
  private static final Pattern COMMIT = Pattern.compile("commit(?: \\|)? `([0-9a-f]+)`");

  /** A row of the table of versions, up to what is said of them. */
  private static final String VERSIONS =
      "\\| [23][.\\d]+(-beta-1)?( to |, )[23][.\\d]+ \\| 3 \\| \\d+ or later \\|";

  // ==== the results

  private static JsonNode json(Path file) {
    try {
      return new ObjectMapper().readTree(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The newest result of a command with default options, by what it says itself. */
  private static Path newest(Path directory, String kind) throws IOException {
    return found(directory, kind)
        .orElseThrow(() -> new AssertionError("no result " + kind + " in " + directory));
  }

  private static Optional<Path> found(Path directory, String kind) throws IOException {
    Pattern name = Pattern.compile("\\d{4}-\\d\\d-\\d\\d_.*_[0-9a-f]{10}" + kind + "\\.json");
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> name.matcher(file.getFileName().toString()).matches())
          .max(Comparator.comparing(file -> json(file).at("/setting/date").asText()));
    }
  }

  private static JsonNode own(String kind) throws IOException {
    return json(newest(OWN, kind));
  }

  /** The newest whole run, behind the parts of it that ran again later at its commit. */
  private static JsonNode bench() throws IOException {
    ObjectNode run = (ObjectNode) json(newest(BENCH, ""));
    ArrayNode results = new ObjectMapper().createArrayNode();
    for (String part : List.of("_lindorm", "_ask", "_write-path")) {
      JsonNode again = found(BENCH, part).map(ReadmeFiguresTest::json).orElse(run);
      if (again != run
          && again.at("/setting/commit").equals(run.at("/setting/commit"))
          && isLater(again, run)) {
        again.get("results").forEach(results::add);
      }
    }
    run.get("results").forEach(results::add);
    return run.set("results", results);
  }

  private static boolean isLater(JsonNode one, JsonNode other) {
    return one.at("/setting/date").asText().compareTo(other.at("/setting/date").asText()) > 0;
  }

  private static JsonNode stores() throws IOException {
    return json(newest(YCSB, "_stores"));
  }

  private static Stream<JsonNode> each(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }

  /** The samples of the one case that has these parameters, which are names and values in turn. */
  private static double[] samples(JsonNode run, String benchmark, String metric, Object... at) {
    JsonNode one =
        each(run.get("results"))
            .filter(result -> result.get("benchmark").asText().equals(benchmark))
            .filter(
                result ->
                    IntStream.range(0, at.length / 2)
                        .allMatch(
                            i ->
                                result
                                    .at("/parameters/" + at[2 * i])
                                    .asText()
                                    .equals(String.valueOf(at[2 * i + 1]))))
            .findFirst()
            .orElseThrow(() -> new AssertionError("no " + benchmark + Arrays.toString(at)));
    return array(one.get("samples").get(metric));
  }

  private static double[] array(JsonNode numbers) {
    return each(numbers).mapToDouble(JsonNode::asDouble).toArray();
  }

  /** The values of a parameter of a benchmark. */
  private static Set<String> values(JsonNode run, String benchmark, String parameter) {
    return each(run.get("results"))
        .filter(result -> result.get("benchmark").asText().equals(benchmark))
        .map(result -> result.at("/parameters/" + parameter).asText())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  // ==== the arithmetic

  private static double median(double[] values) {
    double[] sorted = DoubleStream.of(values).sorted().toArray();
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  /** The sorted ratios of the samples of each round. */
  private static double[] ratios(double[] samples, double[] base) {
    return IntStream.range(0, Math.min(samples.length, base.length))
        .mapToDouble(i -> samples[i] / base[i])
        .sorted()
        .toArray();
  }

  /**
   * The ends of the interval by the sign test: as many ratios are left out at each end as the
   * median would leave there with a chance of half of the error; null if there are too few.
   */
  private static double[] interval(double[] sorted, double error) {
    int count = sorted.length;
    int out = -1;
    double chance = Math.pow(0.5, count);
    for (double sum = chance; sum <= error / 2; sum += chance) {
      out++;
      chance *= (double) (count - out) / (out + 1);
    }
    return out < 0 ? null : new double[] {sorted[out], sorted[count - 1 - out]};
  }

  private static String ratio(double[] samples, double[] base) {
    double[] sorted = ratios(samples, base);
    double[] ends = interval(sorted, 0.05);
    return text("%.2f (%.2f to %.2f)", median(sorted), ends[0], ends[1]);
  }

  private static String text(String pattern, Object... figures) {
    return String.format(Locale.ROOT, pattern, figures);
  }

  /** Returns the smallest and the largest of some values, as words of a page. */
  private static String range(List<Double> values) {
    return text("%.2f to %.2f", Collections.min(values), Collections.max(values));
  }

  // ==== the claims

  private static List<String> claimsOfReadme() throws IOException {
    JsonNode rates = own("_rates");
    return List.of(
        text("takes %.0f %% less memory for its filter", lessMemory()),
        text(
            "Present rows gain little, and always will: all file reads of a Get go from %.3f to %.3f.",
            1 + reads(rates, "stock", "Present"), 1 + reads(rates, "store", "Present")),
        text(
            "Winnow's filters take %s of the memory of HBase's own. Unnecessary file reads go from"
                + " %.3f to %.3f per Get of an absent row, and from %.3f to %.3f of %.2f for a"
                + " present row",
            text(
                "%.2f",
                mean(bySeed(rates, "store", "bitsPerKey"))
                    / mean(bySeed(rates, "stock", "bitsPerKey"))),
            reads(rates, "stock", "Absent"),
            reads(rates, "store", "Absent"),
            reads(rates, "stock", "Present"),
            reads(rates, "store", "Present"),
            1 + reads(rates, "stock", "Present")),
        onSlowStorage());
  }

  private static List<String> claimsOfResults() throws IOException {
    List<String> claims = new ArrayList<>();
    claims.add(size());
    rates(claims);
    scans(claims);
    stores(claims);
    queries(claims);
    writing(claims);
    storedOnce(claims);
    scale(claims);
    runs(claims);
    return claims;
  }

  private static double ofLargeFile(String filter, String metric) throws IOException {
    return median(
        samples(bench(), "space", metric, "filter", filter, "n", 10_000_000, "rate", "0.01"));
  }

  private static double lessMemory() throws IOException {
    double ours = ofLargeFile("bumped-ribbon", "bitsPerKey");
    return 100 * (1 - ours / ofLargeFile("bloom", "bitsPerKey"));
  }

  private static String size() throws IOException {
    return text(
        "a key takes %.2f bits in place of %.2f, which is %.0f %% less, and %.2f %% of absent rows"
            + " pass in place of %.2f %%.",
        ofLargeFile("bumped-ribbon", "bitsPerKey"),
        ofLargeFile("bloom", "bitsPerKey"),
        lessMemory(),
        100 * ofLargeFile("bumped-ribbon", "falsePositiveRate"),
        100 * ofLargeFile("bloom", "falsePositiveRate"));
  }

  /** Unnecessary file reads of a Get of an absent or a present row. */
  private static double reads(JsonNode rates, String policy, String rows) {
    return mean(bySeed(rates, policy, "falseReadsPer" + rows + "Get"));
  }

  /** Returns a figure over stock's, with its interval over the seeds if the run has several. */
  private static String overStock(JsonNode rates, String policy, String figure) {
    double[] ours = bySeed(rates, policy, figure);
    double[] stock = bySeed(rates, "stock", figure);
    return Math.min(ours.length, stock.length) > 1
        ? ratio(ours, stock)
        : text("%.2f", ours[0] / stock[0]);
  }

  private static double[] bySeed(JsonNode rates, String policy, String figure) {
    return samples(rates, "rates", figure, "filters", policy);
  }

  private static double mean(double[] values) {
    return DoubleStream.of(values).average().orElseThrow();
  }

  private static void rates(List<String> claims) throws IOException {
    JsonNode rates = own("_rates");
    int seeds = bySeed(rates, "stock", "bitsPerKey").length;
    claims.add(
        text(
            "It has %.1f files on average. The figures are means over all moments after a flush or"
                + " a compaction, of %s. **Not the default**: chunks of %d KiB, where HBase's have"
                + " 128 KiB, because the flushes are small too.",
            mean(bySeed(rates, "stock", "files")),
            seeds == 1 ? "one seed" : seeds + " seeds",
            (int) samples(rates, "ratesRun", "chunkBytes")[0] / 1024));
    JsonNode stores = stores();
    claims.add(
        text(
            "the filters take %s of the memory. In the store of figures 5 and 6, with chunks of 128"
                + " KiB, they take %.2f.",
            overStock(rates, "store", "bitsPerKey"),
            filterBytes(stores, "store") / filterBytes(stores, "stock")));
    claims.add(
        text(
            "of absent rows read %s times as many files unnecessarily, %.3f in place of %.3f for"
                + " each Get. So %.0f %% of all batches of 20 absent rows read a file, in place of"
                + " %.0f %%. Gets of present rows read %s times as many files unnecessarily, %.3f"
                + " in place of %.3f: all their file reads go from %.3f to %.3f.",
            overStock(rates, "store", "falseReadsPerAbsentGet"),
            reads(rates, "store", "Absent"),
            reads(rates, "stock", "Absent"),
            100 * (1 - Math.pow(1 - reads(rates, "store", "Absent"), 20)),
            100 * (1 - Math.pow(1 - reads(rates, "stock", "Absent"), 20)),
            overStock(rates, "store", "falseReadsPerPresentGet"),
            reads(rates, "store", "Present"),
            reads(rates, "stock", "Present"),
            1 + reads(rates, "stock", "Present"),
            1 + reads(rates, "store", "Present")));
    claims.add(
        text(
            "With `winnow.store.memory` = 0.7, the filters take %s of the memory. Gets of absent"
                + " rows read %s times as many files unnecessarily, of present rows %s times: %.3f"
                + " files in all in place of %.3f.",
            overStock(rates, "store-0.7", "bitsPerKey"),
            overStock(rates, "store-0.7", "falseReadsPerAbsentGet"),
            overStock(rates, "store-0.7", "falseReadsPerPresentGet"),
            1 + reads(rates, "store-0.7", "Present"),
            1 + reads(rates, "stock", "Present")));
  }

  private static double filterBytes(JsonNode stores, String filter) {
    return values(stores, "storeFiles", "file").stream()
        .mapToDouble(
            file -> median(samples(stores, "storeFiles", "bytes", "filter", filter, "file", file)))
        .sum();
  }

  private static void scans(List<String> claims) throws IOException {
    JsonNode scans = own("_scans");
    JsonNode server = json(newest(YCSB, "_scans"));
    double blocks = samples(server, "scanRun", "blockBytes", "profile", "scan-present")[0];
    ToDoubleFunction<String> files =
        name -> samples(scans, "scans", "filesRead", "filters", name, "query", "present")[0];
    claims.add(
        text(
            "The store has 13 files, and the 20 rows of a prefix lie in 1.4 of them on average. A"
                + " scan reads %.2f times as many files. There are %s times as many scans in a"
                + " second of CPU time, in one process and with data blocks of 8 KiB. Through a"
                + " server, with blocks of %.0f KiB, there are %s times as many in a second."
                + " HBase's own filter of prefixes reaches %s times, but Gets of absent rows then"
                + " fall to %s times.",
            files.applyAsDouble("winnow-row+prefix") / files.applyAsDouble("stock-row"),
            perSecond(scans, "winnow-row+prefix", "present"),
            blocks / 1024,
            ratio(
                samples(
                    server,
                    "scanReads",
                    "scansPerSecond",
                    "profile",
                    "scan-present",
                    "filter",
                    "prefix"),
                samples(
                    server,
                    "scanReads",
                    "scansPerSecond",
                    "profile",
                    "scan-present",
                    "filter",
                    "stock")),
            perSecond(scans, "stock-prefix", "present"),
            perSecond(scans, "stock-prefix", "absentGet")));
    claims.add(
        text(
            "A scan without a prefix takes %s times the time of one over Winnow's filters without"
                + " prefixes, and %s times that of one over HBase's filters.",
            ratio(
                micros(scans, "winnow-row+prefix", "withoutPrefix"),
                micros(scans, "winnow-row", "withoutPrefix")),
            ratio(
                micros(scans, "winnow-row+prefix", "withoutPrefix"),
                micros(scans, "stock-row", "withoutPrefix"))));
  }

  private static double[] micros(JsonNode scans, String policy, String query) {
    return samples(scans, "scans", "cpuMicros", "filters", policy, "query", query);
  }

  private static String perSecond(JsonNode scans, String policy, String query) {
    return ratio(micros(scans, "stock-row", query), micros(scans, policy, query));
  }

  private static double[] reads(JsonNode stores, String metric, String profile, String filter) {
    return samples(stores, "storeReads", metric, "profile", "store-" + profile, "filter", filter);
  }

  private static String over(JsonNode stores, String metric, String profile) {
    return ratio(reads(stores, metric, profile, "store"), reads(stores, metric, profile, "stock"));
  }

  private static String gets(JsonNode stores, String profile) {
    double[] sorted =
        ratios(
            reads(stores, "rowsPerSecond", profile, "store"),
            reads(stores, "rowsPerSecond", profile, "stock"));
    Set<String> others = values(stores, "storeReads", "profile");
    others.remove("store-arrivals"); // a table of its own
    double[] alone = interval(sorted, 0.05);
    double[] among = interval(sorted, 0.05 / others.size());
    String end =
        isSure(among)
            ? among[0] > 1 ? "" : ", which is a loss"
            : isSure(alone)
                ? ", which is not certain among " + others.size() + " comparisons"
                : ", which is no certain difference";
    return over(stores, "rowsPerSecond", profile) + " times as many Gets per second" + end;
  }

  private static boolean isSure(double[] interval) {
    return interval != null && (interval[0] > 1 || interval[1] < 1);
  }

  private static void stores(List<String> claims) throws IOException {
    JsonNode stores = stores();
    claims.add(
        text(
            "If batch reads go to a few hot rows: %s. If rows are drawn by YCSB's Zipfian law: %s.",
            gets(stores, "hot"), gets(stores, "skewed")));
    double[] first = samples(stores, "firstRounds", "stood", "profile", "store-hot");
    if (first[0] == 0) {
      double[] ours = reads(stores, "rowsPerSecond", "hot", "store");
      double[] stock = reads(stores, "rowsPerSecond", "hot", "stock");
      int half = ours.length / 2;
      claims.add(
          text(
              "The warm-up for the hot rows reached its maximum of %.0f rounds. The first half of"
                  + " the rounds that count has %.2f, the second %.2f.",
              samples(stores, "firstRounds", "rounds", "profile", "store-hot")[0],
              median(ratios(Arrays.copyOf(ours, half), Arrays.copyOf(stock, half))),
              median(
                  ratios(
                      Arrays.copyOfRange(ours, half, 2 * half),
                      Arrays.copyOfRange(stock, half, 2 * half)))));
    }
    claims.add(
        text(
            "Absent rows, with %.3f unnecessary reads for each Get in place of %.3f: %s. Present"
                + " rows: %s.",
            median(reads(stores, "falseReadsPerRow", "absent", "store")),
            median(reads(stores, "falseReadsPerRow", "absent", "stock")),
            gets(stores, "absent"),
            gets(stores, "present")));
    claims.add(
        text(
            "while a flush and a major compaction run, %s; with data blocks in a BucketCache, %s;"
                + " with the files out of the page cache, %s.",
            over(stores, "rowsPerSecond", "busy"),
            over(stores, "rowsPerSecond", "bucket"),
            over(stores, "rowsPerSecond", "cold")));
    claims.add(
        text(
            "999 of 1,000 Gets were answered in %s times HBase's time.",
            over(stores, "p999Micros", "arrivals")));
  }

  private static void queries(List<String> claims) throws IOException {
    JsonNode bench = bench();
    List<Double> usual = new ArrayList<>();
    List<Double> worst = new ArrayList<>();
    List<Double> lookedUp = new ArrayList<>();
    List<Double> bloom = new ArrayList<>();
    for (String files : values(bench, "ask", "files")) {
      for (String turnover : values(bench, "ask", "turnover")) {
        Object[] at = {"files", files, "threads", "1", "turnover", turnover};
        (turnover.equals("0") ? worst : usual).add(query(bench, "bumped-ribbon", at));
        if (!files.equals("1280 files")) { // these contenders are not with most files
          lookedUp.add(query(bench, "bumped-ribbon-looked-up", at));
          bloom.add(query(bench, "bloom-xxh3-short-cut", at));
        }
      }
    }
    claims.add(
        text(
            "takes %s times as long, depending on the number of files and on how fast the cache"
                + " replaces blocks.",
            range(usual)));
    claims.add(
        text(
            "Winnow without the short cut takes %s times as long, a Bloom filter with XXH3 and the"
                + " short cut %s times.",
            range(lookedUp), range(bloom)));
    claims.add(
        text(
            "between two queries, a query takes up to %.2f times as long.",
            Collections.max(worst)));
  }

  private static double query(JsonNode bench, String filter, Object... at) {
    return median(ratios(times(bench, filter, at), times(bench, "bloom", at)));
  }

  private static double[] times(JsonNode bench, String filter, Object... at) {
    return samples(bench, "ask", "nsPerQuestion", with(at, "filter", filter));
  }

  private static Object[] with(Object[] at, Object... more) {
    return Stream.of(at, more).flatMap(Stream::of).toArray();
  }

  private static void writing(List<String> claims) throws IOException {
    JsonNode bench = bench();
    claims.add(
        text(
            "`bumped-ribbon` takes %s times as long for keys of 10 to 50 bytes, and %s times for"
                + " 250 bytes and more.",
            range(construct(bench, 10, 25, 50)), range(construct(bench, 250, 2000))));
    String plain = "one value of 75 bytes";
    List<List<Double>> ranges = new ArrayList<>();
    for (String work : List.of("flush", "compaction")) {
      List<Double> all = new ArrayList<>();
      for (String length : values(bench, "write-path", "keyLength")) {
        Object[] at = {"work", work, "keyLength", length, "shape", plain};
        all.add(
            median(
                ratios(
                    written(bench, "write-path", "recommended", at),
                    written(bench, "write-path", "stock", at))));
      }
      ranges.add(all);
    }
    claims.add(
        text(
            "a flush takes %s times as long, depending on the length of keys, and a compaction %s"
                + " times. On a server, a flush takes %s times, a major compaction %s times as"
                + " long.",
            range(ranges.get(0)),
            range(ranges.get(1)),
            wholeWork(bench, "write-path-server", "work", "flush"),
            wholeWork(bench, "write-path-server", "work", "compaction")));
    claims.add(
        text(
            "With data blocks encoded with FAST_DIFF, a flush takes %s times, a compaction %s times"
                + " as long.",
            wholeWork(bench, "write-path-shapes", "work", "flush", "shape", "FAST_DIFF"),
            wholeWork(bench, "write-path-shapes", "work", "compaction", "shape", "FAST_DIFF")));
    claims.add(cappedWarmUps(bench));
  }

  /** How many warm-ups of figures 7 to 9 were ended by their maximum of rounds. */
  private static String cappedWarmUps(JsonNode bench) {
    double[] stood =
        each(bench.get("results"))
            .filter(one -> one.get("benchmark").asText().equals("firstRounds"))
            .flatMapToDouble(one -> DoubleStream.of(array(one.at("/samples/stood"))))
            .toArray();
    return text(
        "Of %d warm-ups of this run, %d reached their maximum of rounds",
        stood.length, DoubleStream.of(stood).filter(one -> one == 0).count());
  }

  private static List<Double> construct(JsonNode bench, int... lengths) {
    String name = "LindormConstruct.construct";
    return IntStream.of(lengths)
        .mapToObj(
            length ->
                median(
                        samples(
                            bench,
                            name,
                            "nsPerKey",
                            "filter",
                            "bumped-ribbon",
                            "keyLength",
                            length))
                    / median(
                        samples(bench, name, "nsPerKey", "filter", "bloom", "keyLength", length)))
        .toList();
  }

  private static double[] written(JsonNode bench, String name, String contender, Object... at) {
    return samples(bench, name, "wallNsPerRow", with(at, "contender", contender));
  }

  private static String wholeWork(JsonNode bench, String name, Object... at) {
    return ratio(written(bench, name, "recommended", at), written(bench, name, "stock", at));
  }

  private static void storedOnce(List<String> claims) throws IOException {
    JsonNode dedup = own("_dedup");
    claims.add(
        text(
            "%s times the rows per second of `checkAndMutate`, and %s times those of a Get and then"
                + " a Put, which is not atomic.",
            overWay(dedup, "fits the memory", "0.1", "checkAndMutate"),
            overWay(dedup, "fits the memory", "0.1", "Get, then Put")));
    claims.add(
        text(
            "If half of the rows come again, the client has %s times the rows per second of a Get"
                + " and then a Put; with a set of ten times the filter's memory, %s times.",
            overWay(dedup, "fits the memory", "0.5", "Get, then Put"),
            overWay(dedup, "ten times the memory", "0.1", "Get, then Put")));
  }

  private static String overWay(JsonNode dedup, String set, String repeats, String way) {
    return ratio(
        samples(dedup, "dedup", "rows/s", "set", set, "repeats", repeats, "way", "de-duplicator"),
        samples(dedup, "dedup", "rows/s", "set", set, "repeats", repeats, "way", way));
  }

  // ==== the large store

  /** The ratio of a case in each launch, which is the median of its rounds, sorted. */
  private static double[] launches(JsonNode scale, String name) {
    return values(scale, "scaleReads", "launch").stream()
        .filter(launch -> launch.matches("\\d"))
        .mapToDouble(
            launch ->
                median(
                    ratios(
                        scaled(scale, name, launch, "2ms", "operationsPerSecond", true),
                        scaled(scale, name, launch, "2ms", "operationsPerSecond", false))))
        .sorted()
        .toArray();
  }

  private static double[] scaled(
      JsonNode scale, String name, String launch, String storage, String metric, boolean isOurs) {
    String ours = name.equals("last-hour") ? "winnow-scans" : "winnow";
    String filter = isOurs ? ours : "stock";
    return samples(
        scale,
        "scaleReads",
        metric,
        "case",
        name,
        "launch",
        launch,
        "storage",
        storage,
        "filter",
        filter);
  }

  /** One of the three primary figures, whose intervals hold together. */
  private static String primary(JsonNode scale, String name) {
    double[] ratios = launches(scale, name);
    double[] ends = interval(ratios, 0.05 / 3);
    String form = median(ratios) < 10 ? "%.2f (%.2f to %.2f)" : "%.1f (%.1f to %.1f)";
    return text(form, median(ratios), ends[0], ends[1]);
  }

  /** A figure of one launch, with the interval of its rounds. */
  private static String secondary(JsonNode scale, String name, String launch, String storage) {
    return ratio(
        scaled(scale, name, launch, storage, "operationsPerSecond", true),
        scaled(scale, name, launch, storage, "operationsPerSecond", false));
  }

  private static double fileReads(JsonNode scale, String name, boolean isOurs) {
    return median(
        values(scale, "scaleReads", "launch").stream()
            .filter(launch -> launch.matches("\\d"))
            .mapToDouble(
                launch ->
                    median(scaled(scale, name, launch, "2ms", "fileReadsPerOperation", isOurs)))
            .toArray());
  }

  private static double rows(JsonNode scale) {
    return each(scale.get("results"))
        .filter(one -> one.get("benchmark").asText().equals("scaleFiles"))
        .filter(one -> one.at("/parameters/filter").asText().equals("stock"))
        .mapToDouble(one -> one.at("/samples/keys/0").asDouble())
        .sum();
  }

  private static void scale(List<String> claims) throws IOException {
    JsonNode scale = json(newest(YCSB, "_scale"));
    claims.add(
        text(
            "**A store of %.0f million rows**, seven files and a block cache with room for all"
                + " filters. Each positional read of a file waits 2 ms, without a queue, jitter or a"
                + " limit of bandwidth: it stands for HDFS.",
            rows(scale) / 1e6));
    claims.add(
        text(
            "Batches of 20 absent rows: %s times as many in a second, with %.2f reads of files in"
                + " place of %.2f for each. Gets of which 95 %% are absent: %s times as many, with"
                + " %.3f reads in place of %.3f. Scans of the last hour of an entity, by a time in"
                + " the key and [`winnow.scan.segment`](scans.md#key-segments): %s times as many,"
                + " with %.1f reads in place of %.1f, because the block cache holds the file of the"
                + " last hour, and Winnow skips the others.",
            primary(scale, "absent-batch"),
            fileReads(scale, "absent-batch", true),
            fileReads(scale, "absent-batch", false),
            primary(scale, "mostly-absent"),
            fileReads(scale, "mostly-absent", true),
            fileReads(scale, "mostly-absent", false),
            primary(scale, "last-hour"),
            fileReads(scale, "last-hour", true),
            fileReads(scale, "last-hour", false)));
    claims.add(
        text(
            "With 20 ms for each read, as on an object store, %s, %s and %s times as many."
                + " Winnow without its short cut past the block cache has %s, %s and %s times as many"
                + " at 2 ms. With a block cache of half of HBase's filters, Gets of present rows: %s"
                + " times as many.",
            secondary(scale, "absent-batch", "other", "20ms"),
            secondary(scale, "mostly-absent", "other", "20ms"),
            secondary(scale, "last-hour", "other", "20ms"),
            secondary(scale, "absent-batch", "plain", "2ms"),
            secondary(scale, "mostly-absent", "plain", "2ms"),
            secondary(scale, "last-hour", "plain", "2ms"),
            secondary(scale, "present", "small", "2ms")));
    claims.add(
        text(
            "A present row takes a read of a file with either filter: %s times as many Gets in a"
                + " second, and `checkAndMutate` of such rows %s times. On this machine's own drive,"
                + " read past the page cache and without a delay, Gets of which 95 %% are absent gain"
                + " nothing: %s times as many; batches of absent rows %s, the last hour %s times.",
            secondary(scale, "present", "other", "2ms"),
            secondary(scale, "put-present", "puts", "2ms"),
            secondary(scale, "mostly-absent", "other", "direct"),
            secondary(scale, "absent-batch", "other", "direct"),
            secondary(scale, "last-hour", "other", "direct")));
  }

  private static String onSlowStorage() throws IOException {
    JsonNode scale = json(newest(YCSB, "_scale"));
    return text(
        "With 2 ms for each read of a file, batches of absent rows are %.1f times as fast; Gets of which"
            + " 95 %% are absent, %.1f times; scans of the last hour by a time in the key, %.0f times",
        median(launches(scale, "absent-batch")),
        median(launches(scale, "mostly-absent")),
        median(launches(scale, "last-hour")));
  }

  /** The table of commands. All figures, and README's table, are of one commit and machine. */
  private static void runs(List<String> claims) throws IOException {
    Map<String, Path> runs = new TreeMap<>();
    runs.put("1, 7 to 9", newest(BENCH, ""));
    runs.put("2, 3", newest(OWN, "_rates"));
    runs.put("4", newest(OWN, "_scans"));
    runs.put("4, the server", newest(YCSB, "_scans"));
    runs.put("5, 6", newest(YCSB, "_stores"));
    runs.put("10", newest(OWN, "_dedup"));
    runs.put("11", newest(YCSB, "_scale"));
    Set<String> where = new TreeSet<>(Set.of(whereMeasured(newest(OWN, "_quickstart"))));
    runs.forEach(
        (figures, file) -> {
          where.add(whereMeasured(file));
          JsonNode setting = json(file).get("setting");
          claims.add(
              text(
                  "| %s | `%s` | %d | [JSON](../%s) |",
                  figures,
                  setting.get("command").asText(),
                  Math.round(setting.get("seconds").asDouble() / 60),
                  HOME.relativize(file)));
        });
    assertEquals(1, where.size(), () -> "the figures and README's table are of " + where);
    claims.add("All figures are of " + where.iterator().next() + ".");
  }

  private static String whereMeasured(Path file) {
    JsonNode setting = json(file).get("setting");
    return text(
        "commit `%s`, measured on one machine: %s, %d cores",
        setting.get("commit").asText(),
        setting.get("machine").asText(),
        setting.get("cores").asInt());
  }

  // ==== the pages

  private static String readme() throws IOException {
    return Files.readString(HOME.resolve("README.md"));
  }

  private static String results() throws IOException {
    return Files.readString(HOME.resolve("docs/results.md"));
  }

  /** A text without line ends, however it is wrapped. */
  private static String flowing(String text) {
    return text.replaceAll("\\s+", " ");
  }

  /**
   * All figures of a page are of one commit, one machine and one number of cores. {@link
   * #runs(List)} checks the pages that quote others.
   */
  @Test
  void figuresOfAPageAreOfOneCommitAndOneMachine() throws IOException {
    Map<String, Set<String>> machines = new TreeMap<>();
    for (Path results : List.of(BENCH, YCSB, OWN)) {
      try (Stream<Path> files = Files.list(results)) {
        for (Path file : files.filter(one -> one.toString().endsWith(".json")).toList()) {
          JsonNode setting = json(file).get("setting");
          machines
              .computeIfAbsent(setting.get("commit").asText(), commit -> new TreeSet<>())
              .add(setting.get("machine").asText() + ", " + setting.get("cores").asInt());
        }
      }
    }
    int pages = 0;
    try (Stream<Path> files = Files.list(HOME.resolve("docs"))) {
      for (Path page : files.filter(one -> one.toString().endsWith(".md")).toList()) {
        Set<String> commits = new TreeSet<>();
        COMMIT.matcher(Files.readString(page)).results().forEach(at -> commits.add(at.group(1)));
        if (!commits.isEmpty()) {
          assertEquals(1, commits.size(), () -> page + " is of the commits " + commits);
          Set<String> measuredOn = machines.get(commits.iterator().next());
          assertEquals(1, measuredOn.size(), () -> page + " is of the machines " + measuredOn);
          pages++;
        }
      }
    }
    assertTrue(pages >= 8, () -> "few pages name a commit");
  }

  @Test
  void everyClaimIsThatOfTheResults() throws IOException {
    String readme = flowing(readme());
    List<String> wrong =
        claimsOfReadme().stream().filter(claim -> !readme.contains(claim)).toList();
    assertEquals(List.of(), wrong, "README should say, by the committed results");
    String page = flowing(results());
    wrong = claimsOfResults().stream().filter(claim -> !page.contains(claim)).toList();
    assertEquals(List.of(), wrong, "docs/results.md should say, by the committed results");
  }

  /** A number that stands in no claim, and is no version or the like, has no result behind it. */
  @Test
  void thereIsNoOtherFigure() throws IOException {
    String text = readme();
    assertTrue(flowing(text).contains(FIRST_BUILD), FIRST_BUILD);
    assertEquals(List.of(), otherFigures(text, claimsOfReadme()));
    assertEquals(List.of(), otherFigures(results(), claimsOfResults()));
  }

  private static List<String> otherFigures(String page, List<String> claims) {
    String text = flowing(page.replaceAll("(?s)\n *```.*?\n *```\n", "\n"));
    for (String claim : claims) {
      text = text.replace(claim, "");
    }
    text = text.replaceAll("\\]\\([^)]*\\)", "]").replaceAll(" \\d+\\. ", " "); // steps
    text = text.replaceAll(VERSIONS, "").replaceAll(VERSION, "");
    text = text.replace(FIRST_BUILD, "").replaceAll("`[^`]*`", "");
    for (String words : NO_FIGURES) {
      text = text.replace(words, "");
    }
    Matcher number = Pattern.compile("\\d[\\d.,]*\\d|\\d").matcher(text);
    List<String> others = new ArrayList<>();
    while (number.find()) {
      others.add(
          text.substring(
              Math.max(0, number.start() - 30), Math.min(text.length(), number.end() + 30)));
    }
    return others;
  }

  /** The table of {@code ./winnow quickstart --json}: each figure of each kind of filter. */
  @Test
  void theTableIsThatOfTheQuickstart() throws IOException {
    JsonNode run = own("_quickstart");
    assertEquals("./winnow quickstart", run.at("/setting/command").asText());
    assertRow(run, "store files", "files", "%,.0f", 1, false);
    assertRow(run, "filter bytes", "filterBytes", "%,.0f", 1, true);
    assertRow(run, "bits per key", "bitsPerKey", "%.3f", 1, true);
    String reads = "unnecessary file reads, 1,000 ";
    assertRow(run, reads + "absent gets", "readsPerAbsentGet", "%.1f", 1000, true);
    assertRow(run, reads + "present gets", "readsPerPresentGet", "%.1f", 1000, true);
    assertRow(run, "files read by a scan of one prefix", "filesPerScan", "%.2f", 1, true);
    assertRow(run, "rows lost", "rowsLost", "%.0f", 1, false);
  }

  private static void assertRow(
      JsonNode run, String label, String figure, String form, double factor, boolean hasRatios)
      throws IOException {
    double[] of =
        Stream.of("bloom", "ribbon", "bumped-ribbon")
            .mapToDouble(kind -> samples(run, "quickstart", figure, "filter", kind)[0])
            .toArray();
    List<String> cells = new ArrayList<>();
    for (double value : of) {
      cells.add(text(form, factor * value));
      if (hasRatios && cells.size() > 1) {
        cells.add(text("%.2f", value / of[0]));
      }
    }
    String row = label + " " + String.join(" ", cells) + " ";
    assertTrue(flowing(readme()).contains(" " + row), row);
  }

  /**
   * The intervals of a claim stand beside the bars too: pages and plots have one statistic. The
   * bars of figures 2 and 3 are bits and reads themselves, not ratios.
   */
  @Test
  void plotsHaveTheIntervalsOfTheText() throws IOException {
    String page = results();
    Matcher figure =
        Pattern.compile("(?s)\\n\\d+\\. \\*\\*.*?\\(plots/([-a-z]+\\.svg)\\)").matcher(page);
    int compared = 0;
    while (figure.find()) {
      if (figure.group(1).startsWith("store-rates")) {
        continue;
      }
      String plot = Files.readString(HOME.resolve("docs/plots").resolve(figure.group(1)));
      Matcher interval =
          Pattern.compile("\\d+\\.\\d\\d \\(\\d+\\.\\d\\d to \\d+\\.\\d\\d\\)")
              .matcher(flowing(figure.group()).replaceAll("but Gets of absent.*", ""));
      for (; interval.find(); compared++) {
        assertTrue(plot.contains(">" + interval.group() + "<"), figure.group(1) + interval.group());
      }
    }
    assertTrue(compared >= 9, compared + " intervals");
  }
}
