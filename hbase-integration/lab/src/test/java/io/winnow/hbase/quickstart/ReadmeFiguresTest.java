package io.winnow.hbase.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every figure of README and of {@code docs/results.md} is that of a committed result. When a newer
 * result is committed and says something else, this fails, with the words that the page should
 * have.
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
          "An interval of 95 % certainty",
          "an interval of 95 % certainty",
          "## 1 to 4:",
          "## 5 and 6:",
          "Figures 2 and 3 are",
          "## 7:",
          "## 8 and 9:",
          "## 10:",
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

  /** What README has to say, in these words. */
  private static List<String> claims() throws IOException {
    List<String> claims = new ArrayList<>();
    claim(claims, "takes %.0f %% less memory for its filter", lessMemory());
    JsonNode policies = policies();
    claim(
        claims,
        "Winnow's filters take %.2f of the memory of HBase's own. Gets of absent rows read %.2f"
            + " times as many files unnecessarily, Gets of present rows %.2f times.",
        overStock(policies, "store", "bitsPerKey"),
        overStock(policies, "store", "falseReadsPerAbsentGet"),
        overStock(policies, "store", "falseReadsPerPresentGet"));
    return claims;
  }

  /** And the page of results. */
  private static List<String> figures() throws IOException {
    List<String> claims = new ArrayList<>();
    size(claims);
    rates(claims);
    scans(claims);
    stores(claims);
    filters(claims);
    writing(claims);
    storedOnce(claims);
    runs(claims);
    return claims;
  }

  /** The table of commands. README's figures and these are of one commit and one machine. */
  private static void runs(List<String> claims) throws IOException {
    Table table = new Table("", "figures", "command", "minutes", "result");
    Set<String> where = new TreeSet<>();
    run(table, where, "1, 7 to 9", new ResultFiles(BENCH).newest(""));
    run(table, where, "2, 3", own("_rates"));
    run(table, where, "4", own("_scans"));
    run(table, where, "5, 6", new ResultFiles(YCSB).newest("_stores"));
    run(table, where, "10", own("_dedup"));
    where.add(whereMeasured(setting(own("_quickstart").orElseThrow())));
    assertEquals(1, where.size(), () -> "README and docs/results.md are of " + where);
    claims.add(flowing(table.markdown()).strip());
    claim(claims, "All figures of this page are of %s.", where.iterator().next());
  }

  private static void run(Table table, Set<String> where, String figures, Optional<Path> file)
      throws IOException {
    Path path = file.orElseThrow();
    JsonNode setting = setting(path);
    where.add(whereMeasured(setting));
    table.row(
        figures,
        "`" + setting.get("command").asText() + "`",
        String.valueOf(Math.round(setting.get("seconds").asDouble() / 60)),
        "[JSON](../" + HOME.relativize(path) + ")");
  }

  private static JsonNode setting(Path file) throws IOException {
    return new ObjectMapper().readTree(file.toFile()).get("setting");
  }

  private static String whereMeasured(JsonNode setting) {
    return "commit `%s`, measured on one machine: %s, %s"
        .formatted(
            setting.get("commit").asText(),
            setting.get("machine").asText(),
            Table.counted(setting.get("cores").asLong(), "core"));
  }

  private static void claim(List<String> claims, String pattern, Object... figures) {
    claims.add(String.format(Locale.ROOT, pattern, figures));
  }

  private static double bitsPerKey(String filter) throws IOException {
    return median(bench(), "space", "bitsPerKey", filter, "n", 10_000_000, "rate", "0.01");
  }

  private static double rateOf(String filter) throws IOException {
    return median(bench(), "space", "falsePositiveRate", filter, "n", 10_000_000, "rate", "0.01");
  }

  private static double lessMemory() throws IOException {
    return 100 * (1 - bitsPerKey("bumped-ribbon") / bitsPerKey("bloom"));
  }

  private static void size(List<String> claims) throws IOException {
    claim(
        claims,
        "a key takes %.2f bits in place of %.2f, which is %.0f %% less, and %.2f %% of absent rows"
            + " pass in place of %.2f %%.",
        bitsPerKey("bumped-ribbon"),
        bitsPerKey("bloom"),
        lessMemory(),
        100 * rateOf("bumped-ribbon"),
        100 * rateOf("bloom"));
  }

  private static JsonNode policies() throws IOException {
    return new ObjectMapper().readTree(own("_rates").orElseThrow().toFile()).get("policies");
  }

  private static void rates(List<String> claims) throws IOException {
    JsonNode policies = policies();
    claim(
        claims,
        "the filters take %.2f of the memory. ",
        overStock(policies, "store", "bitsPerKey"));
    claim(
        claims,
        "of absent rows read %.2f times as many files unnecessarily, of present rows %.2f times.",
        overStock(policies, "store", "falseReadsPerAbsentGet"),
        overStock(policies, "store", "falseReadsPerPresentGet"));
    claim(
        claims,
        "With `winnow.store.memory` = 0.7, the filters take %.2f of the memory, absent rows %.2f"
            + " and present rows %.2f times the unnecessary reads.",
        overStock(policies, "store-0.7", "bitsPerKey"),
        overStock(policies, "store-0.7", "falseReadsPerAbsentGet"),
        overStock(policies, "store-0.7", "falseReadsPerPresentGet"));
  }

  private static void scans(List<String> claims) throws IOException {
    JsonNode result = new ObjectMapper().readTree(own("_scans").orElseThrow().toFile());
    JsonNode stock = outcome(result, "stock-row");
    JsonNode both = outcome(result, "winnow-row+prefix");
    claim(
        claims,
        "The store has 13 files, and the 20 rows of a prefix lie in 1.4 of them on average. A scan"
            + " reads %.2f times as many files; there are %s times as many scans in a second of CPU"
            + " time.",
        both.get("filesReadPerScan").asDouble() / stock.get("filesReadPerScan").asDouble(),
        PairedRatio.of(presentScans(stock), presentScans(both)).text());
  }

  private static JsonNode outcome(JsonNode result, String policy) {
    for (JsonNode one : result.get("policies")) {
      if (one.get("policy").asText().equals(policy)) {
        return one;
      }
    }
    throw new AssertionError("no " + policy);
  }

  private static double[] presentScans(JsonNode outcome) {
    return new ObjectMapper().convertValue(outcome.get("cpuMicros").get("present"), double[].class);
  }

  private static double overStock(JsonNode policies, String policy, String figure) {
    double value = Double.NaN;
    double stock = Double.NaN;
    for (JsonNode one : policies) {
      double of = one.get(figure).asDouble();
      value = one.get("policy").asText().equals(policy) ? of : value;
      stock = one.get("policy").asText().equals("stock") ? of : stock;
    }
    return value / stock;
  }

  private static void stores(List<String> claims) throws IOException {
    Results results = ResultFiles.read(new ResultFiles(YCSB).newest("_stores").orElseThrow());
    claim(
        claims,
        "If batch reads go to a few hot rows: %s. If rows are drawn by YCSB's Zipfian law: %s.",
        gets(results, "hot"),
        gets(results, "skewed"));
    claim(
        claims,
        "Absent rows: %s. Present rows: %s.",
        gets(results, "absent"),
        gets(results, "present"));
    claim(
        claims,
        "while a flush and a major compaction run, %s; with data blocks in a BucketCache, %s; with"
            + " the files out of the page cache, %s.",
        over(results, "rowsPerSecond", "busy").text(),
        over(results, "rowsPerSecond", "bucket").text(),
        over(results, "rowsPerSecond", "cold").text());
    claim(
        claims,
        "999 of 1,000 Gets were answered in %s times HBase's time.",
        over(results, "p999Micros", "arrivals").text());
  }

  private static String gets(Results results, String profile) {
    PairedRatio ratio = over(results, "rowsPerSecond", profile);
    Set<String> others = new TreeSet<>(results.values("storeReads", "profile"));
    others.remove("store-arrivals"); // a table of its own
    PairedRatio among =
        PairedRatio.among(
            store(results, "rowsPerSecond", profile, "store"),
            store(results, "rowsPerSecond", profile, "stock"),
            others.size());
    boolean isAlone = ratio.isAbove(1) || ratio.isBelow(1);
    boolean isSure = among.isAbove(1) || among.isBelow(1);
    return ratio.text()
        + " times as many Gets per second"
        + (isSure
            ? ratio.isBelow(1) ? ", which is a loss" : ""
            : isAlone
                ? ", which is not certain among " + others.size() + " comparisons"
                : ", which is no certain difference");
  }

  /** Winnow's over HBase's, as both come. */
  private static PairedRatio over(Results results, String metric, String profile) {
    return PairedRatio.of(
        store(results, metric, profile, "store"), store(results, metric, profile, "stock"));
  }

  private static double[] store(Results results, String metric, String profile, String filter) {
    return results.samples("storeReads", metric, "profile", "store-" + profile, "filter", filter);
  }

  private static void storedOnce(List<String> claims) throws IOException {
    Results results = ResultFiles.read(own("_dedup").orElseThrow());
    List<double[]> rows = new ArrayList<>();
    for (String way : List.of("de-duplicator", "checkAndMutate")) {
      rows.add(
          results.samples(
              "dedup", "rows/s", "set", "fits the memory", "way", way, "repeats", "0.1"));
    }
    claim(
        claims,
        "%s times the rows per second of `checkAndMutate`.",
        PairedRatio.of(rows.get(0), rows.get(1)).text());
  }

  private static void filters(List<String> claims) throws IOException {
    Results results = bench();
    List<Integer> lengths = List.of(10, 25, 50, 250, 2000);
    asking(claims);
    claim(
        claims,
        "`bumped-ribbon` takes %s times as long for keys of 10 to 50 bytes, and %s times for 250"
            + " bytes and more.",
        range(ratios(results, "LindormConstruct.construct", lengths.subList(0, 3))),
        range(ratios(results, "LindormConstruct.construct", lengths.subList(3, 5))));
  }

  private static void asking(List<String> claims) throws IOException {
    Results results = bench();
    List<Double> usual = new ArrayList<>();
    List<Double> worst = new ArrayList<>();
    List<Double> lookedUp = new ArrayList<>();
    List<Double> bloom = new ArrayList<>();
    for (String files : results.values("ask", "files")) {
      for (String turnover : results.values("ask", "turnover")) {
        Object[] at = {"files", files, "threads", "1", "turnover", turnover};
        double[] stock = questions(results, "bloom", at);
        (turnover.equals("0") ? worst : usual)
            .add(PairedRatio.of(questions(results, "bumped-ribbon", at), stock).median());
        double[] without = questions(results, "bumped-ribbon-looked-up", at);
        if (without.length > 0) { // not with most files
          lookedUp.add(PairedRatio.of(without, stock).median());
          bloom.add(PairedRatio.of(questions(results, "bloom-xxh3-short-cut", at), stock).median());
        }
      }
    }
    claim(
        claims,
        "takes %s times as long, depending on the number of files and on how fast the cache"
            + " replaces blocks.",
        range(usual));
    claim(
        claims,
        "Winnow without the short cut takes %s times as long, a Bloom filter with XXH3 and the"
            + " short cut %s times.",
        range(lookedUp),
        range(bloom));
    claim(
        claims,
        "between two queries, a query takes up to %.2f times as long.",
        worst.stream().max(Comparator.naturalOrder()).orElseThrow());
  }

  private static double[] questions(Results results, String filter, Object... at) {
    List<Object> parameters = new ArrayList<>(List.of("filter", filter));
    parameters.addAll(List.of(at));
    return results.samples("ask", "nsPerQuestion", parameters.toArray());
  }

  private static List<Double> ratios(Results results, String benchmark, List<Integer> lengths) {
    return lengths.stream()
        .map(
            length ->
                median(results, benchmark, "nsPerKey", "bumped-ribbon", "keyLength", length)
                    / median(results, benchmark, "nsPerKey", "bloom", "keyLength", length))
        .toList();
  }

  private static void writing(List<String> claims) throws IOException {
    Results results = bench();
    List<List<Double>> ofWork = List.of(new ArrayList<>(), new ArrayList<>());
    List<String> works = List.of("flush", "compaction");
    for (String length : results.values("write-path", "keyLength")) {
      for (int i = 0; i < 2; i++) {
        Object[] at = {"work", works.get(i), "keyLength", length, "shape", "one value of 75 bytes"};
        ofWork.get(i).add(overStock(results, "write-path", at).median());
      }
    }
    claim(
        claims,
        "a flush takes %s times as long, depending on the length of keys, and a compaction %s"
            + " times. On a server, a flush takes %s times, a major compaction %s times as long.",
        range(ofWork.get(0)),
        range(ofWork.get(1)),
        overStock(results, "write-path-server", "work", works.get(0)).text(),
        overStock(results, "write-path-server", "work", works.get(1)).text());
    claim(
        claims,
        "With data blocks encoded with FAST_DIFF, a compaction takes %s times as long.",
        overStock(results, "write-path-shapes", "work", works.get(1), "shape", "FAST_DIFF").text());
  }

  private static PairedRatio overStock(Results results, String benchmark, Object... at) {
    return PairedRatio.of(
        nanos(results, benchmark, "recommended", at), nanos(results, benchmark, "stock", at));
  }

  private static double[] nanos(Results results, String benchmark, String contender, Object... at) {
    List<Object> parameters = new ArrayList<>(List.of("contender", contender));
    parameters.addAll(List.of(at));
    double[] nanos = results.samples(benchmark, "wallNsPerRow", parameters.toArray());
    assertTrue(nanos.length > 0, benchmark + " of " + parameters);
    return nanos;
  }

  private static double median(
      Results results, String benchmark, String metric, String filter, Object... at) {
    List<Object> parameters = new ArrayList<>(List.of("filter", filter));
    parameters.addAll(List.of(at));
    return results
        .median(benchmark, metric, parameters.toArray())
        .orElseThrow(() -> new AssertionError("no " + benchmark + " of " + parameters));
  }

  /** From the least to the greatest. */
  private static String range(List<Double> values) {
    return String.format(
        Locale.ROOT,
        "%.2f to %.2f",
        values.stream().min(Comparator.naturalOrder()).orElseThrow(),
        values.stream().max(Comparator.naturalOrder()).orElseThrow());
  }

  /** The newest full run of the benchmarks, with its parts that ran again. */
  private static Results bench() throws IOException {
    ResultFiles files = new ResultFiles(BENCH);
    List<String> parts = List.of("_lindorm", "_ask", "_write-path");
    return files.whole(files.newest("").orElseThrow(), parts).results();
  }

  /** The newest of this module's results, by what they say themselves. */
  private static Optional<Path> own(String variant) throws IOException {
    return new ResultFiles(OWN).newest(variant);
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
          JsonNode setting = setting(file);
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
    List<String> wrong = claims().stream().filter(claim -> !readme.contains(claim)).toList();
    assertEquals(List.of(), wrong, "README should say, by the committed results");
    String page = flowing(results());
    wrong = figures().stream().filter(claim -> !page.contains(claim)).toList();
    assertEquals(List.of(), wrong, "docs/results.md should say, by the committed results");
  }

  /** A number that stands in no claim, and is no version or the like, has no result behind it. */
  @Test
  void thereIsNoOtherFigure() throws IOException {
    String text = readme();
    assertTrue(flowing(text).contains(FIRST_BUILD), FIRST_BUILD);
    assertEquals(List.of(), otherFigures(text, claims()));
    assertEquals(List.of(), otherFigures(results(), figures()));
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

  /** The table of {@code ./winnow quickstart --json}; until it is committed, gets stay open. */
  @Test
  void theTableIsThatOfTheQuickstart() throws IOException {
    Optional<Path> result = own("_quickstart");
    assumeTrue(result.isPresent(), "no result of ./winnow quickstart is committed");
    Report report = Report.ofJson(Files.readString(result.get()));
    assertEquals("./winnow quickstart", report.setting().command());
    String shown = "```\n" + report.table() + "```\n";
    assertTrue(readme().contains(shown), shown);
  }
}
