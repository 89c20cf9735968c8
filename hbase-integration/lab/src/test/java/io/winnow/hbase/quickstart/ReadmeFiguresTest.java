package io.winnow.hbase.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every figure of README is that of a committed result. When a newer result is committed and says
 * something else, this fails, with the words that README should have.
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
          "0.1.0-SNAPSHOT",
          "Apache 2.0",
          "on 2.5.13, servers of 2.5.0 too",
          "on 2.6.4, servers of 2.6.0 too",
          "tested on beta-1,",
          "HBase 2.6.4",
          "Hadoop 2 ",
          "Java 17",
          "JDK from 17 on",
          "needs 1 GB of disk",
          "is step 3 with");

  /** A row of the table of versions, up to what is said of them. */
  private static final String VERSIONS =
      "(?m)^\\| [23][.\\d]+(-beta-1)?( to |, )[23][.\\d]+ \\| 3 \\| \\d+ or later \\|";

  private static String readme() throws IOException {
    return Files.readString(HOME.resolve("README.md"));
  }

  /** A text without line ends, however it is wrapped. */
  private static String flowing(String text) {
    return text.replaceAll("\\s+", " ");
  }

  /** What README has to say, in these words. */
  private static List<String> claims() throws IOException {
    List<String> claims = new ArrayList<>();
    size(claims);
    rates(claims);
    rowsPerSecond(claims);
    filters(claims);
    writing(claims);
    return claims;
  }

  private static void claim(List<String> claims, String pattern, Object... figures) {
    claims.add(String.format(Locale.ROOT, pattern, figures));
  }

  private static void size(List<String> claims) throws IOException {
    Results results = bench("");
    Object[] at = {"n", 10_000_000, "rate", "0.01"};
    double bloom = median(results, "space", "bitsPerKey", "bloom", at);
    double bumped = median(results, "space", "bitsPerKey", "bumped-ribbon", at);
    claim(claims, "and %.0f %% less memory", 100 * (1 - bumped / bloom));
    claim(claims, "At a rate of 1 %%, a key takes %.2f bits in place of %.2f.", bumped, bloom);
  }

  private static void rates(List<String> claims) throws IOException {
    JsonNode policies =
        new ObjectMapper().readTree(own("_rates").orElseThrow().toFile()).get("policies");
    claim(
        claims,
        "the filters take %.2f of the memory, absent rows read %.2f times as many files in vain,"
            + " present rows %.2f times; or, with `winnow.store.memory` = 0.7, %.2f of the memory,"
            + " %.2f and %.2f times.",
        overStock(policies, "store", "bitsPerKey"),
        overStock(policies, "store", "falseReadsPerAbsentGet"),
        overStock(policies, "store", "falseReadsPerPresentGet"),
        overStock(policies, "store-0.7", "bitsPerKey"),
        overStock(policies, "store-0.7", "falseReadsPerAbsentGet"),
        overStock(policies, "store-0.7", "falseReadsPerPresentGet"));
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

  private static void rowsPerSecond(List<String> claims) throws IOException {
    Results results = ResultFiles.read(ResultFiles.in(YCSB, "").newest("").orElseThrow());
    List<Double> gains = new ArrayList<>();
    for (String length : results.values("reads", "keyLength")) {
      double[] bumped = reads(results, "bumped-ribbon", length);
      if (bumped.length > 0) {
        gains.add(PairedRatio.of(bumped, reads(results, "bloom", length)).median());
      }
    }
    claim(
        claims,
        "batch reads of `./winnow ycsb` get %s times as many, by the length of keys",
        range(gains));
  }

  private static double[] reads(Results results, String filter, String length) {
    return results.samples(
        "reads", "rowsPerSecond", "profile", "lindorm", "filter", filter, "keyLength", length);
  }

  private static void filters(List<String> claims) throws IOException {
    Results results = bench("_lindorm");
    List<Integer> lengths = List.of(10, 25, 50, 250, 2000);
    asking(claims);
    claim(
        claims,
        "`bumped-ribbon` takes %s times as long as HBase's filter for keys of 10 to 50 bytes, and"
            + " %s times for 250 bytes and more.",
        range(ratios(results, "LindormConstruct.construct", lengths.subList(0, 3))),
        range(ratios(results, "LindormConstruct.construct", lengths.subList(3, 5))));
  }

  private static void asking(List<String> claims) throws IOException {
    Results results = bench("_ask");
    List<Double> usual = new ArrayList<>();
    List<Double> worst = new ArrayList<>();
    for (String files : results.values("ask", "files")) {
      for (String threads : results.values("ask", "threads")) {
        for (String turnover : results.values("ask", "turnover")) {
          Object[] at = {"files", files, "threads", threads, "turnover", turnover};
          (turnover.equals("0") ? worst : usual)
              .add(
                  PairedRatio.of(
                          questions(results, "bumped-ribbon", at), questions(results, "bloom", at))
                      .median());
        }
      }
    }
    claim(
        claims,
        "takes %s times as long as asking HBase's, by the number and the size of files, by threads,"
            + " and by how fast blocks come and go; up to %.2f times where",
        range(usual),
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
    Results results = bench("_write-path");
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
        "a flush takes %s times as long, by the length of keys, a compaction %s times; on a server,"
            + " a flush %s, a major compaction %s, each with its interval of 95 %% certainty.",
        range(ofWork.get(0)),
        range(ofWork.get(1)),
        overStock(results, "write-path-server", "work", works.get(0)).text(),
        overStock(results, "write-path-server", "work", works.get(1)).text());
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

  /** The newest full run of the benchmarks, with a part that was run by itself later. */
  private static Results bench(String part) throws IOException {
    ResultFiles files = ResultFiles.in(BENCH, "");
    Results results = ResultFiles.read(files.newest("").orElseThrow());
    Optional<Path> own = part.isEmpty() ? Optional.empty() : files.newest(part);
    if (own.isPresent()) {
      results.replaceBy(ResultFiles.read(own.get()));
    }
    return results;
  }

  /** The newest of this module's results, by what they say themselves. */
  private static Optional<Path> own(String variant) throws IOException {
    return ResultFiles.in(OWN, "").newest(variant);
  }

  @Test
  void everyClaimIsThatOfTheResults() throws IOException {
    String readme = flowing(readme());
    List<String> wrong = claims().stream().filter(claim -> !readme.contains(claim)).toList();
    assertEquals(List.of(), wrong, "README should say, by the committed results");
  }

  /** A number that stands in no claim, and is no version or the like, has no result behind it. */
  @Test
  void thereIsNoOtherFigure() throws IOException {
    String text = readme();
    text = text.substring(0, text.indexOf("\n## Use the library\n"));
    text = text.replaceAll("(?s)\n *```.*?\n *```\n", "\n").replaceAll("\\]\\([^)]*\\)", "]");
    text = text.replaceAll("\n\\d\\. ", "\n"); // steps
    text = text.replaceAll(VERSIONS, "");
    text = flowing(text);
    for (String claim : claims()) {
      text = text.replace(claim, "");
    }
    assertTrue(text.contains(FIRST_BUILD), FIRST_BUILD);
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
    assertEquals(List.of(), others);
  }

  /** The table of {@code ./winnow quickstart --json}; until it is committed, gets stay open. */
  @Test
  void theTableIsThatOfTheQuickstart() throws IOException {
    Optional<Path> result = own("_quickstart");
    assumeTrue(result.isPresent(), "no result of ./winnow quickstart is committed");
    Report report = Report.ofJson(Files.readString(result.get()));
    assertEquals("./winnow quickstart", report.setting().command());
    assertTrue(readme().contains("```\n" + report.table() + "```\n"), report::table);
  }
}
