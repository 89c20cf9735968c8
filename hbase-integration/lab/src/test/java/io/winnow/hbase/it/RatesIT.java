package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code ./winnow rates}, {@code ./winnow scans} and {@code ./winnow cache}, as the launcher starts
 * them, and small.
 */
@Tag("long")
class RatesIT {
  private static final String MAIN = "io.winnow.hbase.rates.Rates";

  private static final List<String> SMALL =
      List.of(
          "--large",
          "4",
          "--flushes",
          "5",
          "--rows-per-flush",
          "500",
          "--major-at",
          "4",
          "--gets",
          "200",
          "--chunk",
          "512",
          "--memory",
          "0.6",
          "--seeds",
          "1");

  private static JavaProcess.Result run(JavaProcess java, String... more) throws Exception {
    List<String> command = new ArrayList<>(List.of(MAIN));
    command.addAll(SMALL);
    command.addAll(List.of(more));
    return java.run(command.toArray(String[]::new));
  }

  @Test
  void countsWhatIsTrueAndLosesNoRow() throws Exception {
    Path directory = TestServer.emptyDirectory("rates");
    Path json = directory.resolve("rates.json");
    JavaProcess.Result result =
        run(
            JavaProcess.withAgent(JavaProcess.classPath()),
            "--json",
            json.toString(),
            "--plots",
            directory.toString());
    assertEquals(0, result.exitCode(), result.toString());
    JsonNode document = new ObjectMapper().readTree(json.toFile());
    List<JsonNode> policies = new ArrayList<>();
    document.get("policies").forEach(policies::add);
    assertEquals(
        List.of("stock", "file", "store", "store-0.6"),
        policies.stream().map(policy -> policy.get("policy").textValue()).toList());
    for (JsonNode policy : policies) {
      assertEquals(0, policy.get("rowsLost").longValue(), policy.toString());
      assertTrue(policy.get("moments").intValue() >= 1 + 5 + 1, policy.toString());
      // Gets of rows that are not there pay the sum of the rates, and others less.
      double sum = policy.get("sumOfRates").doubleValue();
      double gets = 200.0 * policy.get("moments").intValue();
      // Five sigma at most, and 4 Gets, as small counts are skewed: (5^2 - 1) / 6.
      double chance = 5 * Math.sqrt(sum / gets) + 4 / gets;
      double absent = policy.get("falseReadsPerAbsentGet").doubleValue();
      double present = policy.get("falseReadsPerPresentGet").doubleValue();
      assertEquals(sum, absent, chance, policy.toString());
      assertTrue(present <= sum + chance, policy.toString());
    }
    double stock = policies.get(0).get("bitsPerKey").doubleValue();
    double file = policies.get(1).get("bitsPerKey").doubleValue();
    assertTrue(file < stock, file + " bits per key, with HBase's own filter " + stock);
    for (JsonNode policy : policies) {
      // Without the major compaction after the fourth flush there would be more files.
      double files = policy.get("files").doubleValue() * policy.get("moments").intValue();
      assertEquals(19, files, 0.01, policy.toString());
      assertEquals(4, policy.get("mostFiles").intValue(), policy.toString());
    }
    for (String plot : List.of("bits", "reads")) {
      String svg = Files.readString(directory.resolve("store-rates-" + plot + ".svg"));
      assertTrue(svg.contains("Winnow, memory 0.6"), plot);
    }
  }

  /** Then nothing is counted, and the command says so loudly. */
  @Test
  void withoutTheAgentTheCountsAreWrong() throws Exception {
    Path directory = TestServer.emptyDirectory("rates-without");
    JavaProcess.Result result =
        run(JavaProcess.with("-cp", JavaProcess.classPath()), "--plots", directory.toString());
    assertEquals(3, result.exitCode(), result.toString());
    assertTrue(result.errors().contains("A COUNT IS WRONG: the agent counted 0 "), result.errors());
  }

  @Test
  void scansSkipFilesAndLoseNoRow() throws Exception {
    Path directory = TestServer.emptyDirectory("scans");
    Path json = directory.resolve("scans.json");
    JavaProcess.Result result =
        JavaProcess.withAgent(JavaProcess.classPath())
            .run(
                "io.winnow.hbase.rates.Scans",
                "--rows=20000",
                "--scans=20",
                "--rounds=2",
                "--writes=1",
                "--variants=files-13",
                "--json=" + json,
                "--plots=" + directory);
    assertEquals(0, result.exitCode(), result.toString());
    JsonNode document = new ObjectMapper().readTree(json.toFile());
    JsonNode stock = document.get("policies").get(0);
    JsonNode both = document.get("policies").get(3);
    assertEquals("stock-row", stock.get("policy").textValue());
    assertEquals("stock-prefix", document.get("policies").get(1).get("policy").textValue());
    assertEquals("winnow-row", document.get("policies").get(2).get("policy").textValue());
    assertEquals("winnow-row+prefix", both.get("policy").textValue());
    for (JsonNode policy : document.get("policies")) {
      assertEquals(0, policy.get("rowsLost").longValue(), policy.toString());
      for (String figure : List.of("bitsPerRow", "scansPerSecond", "blocksReadPerScan")) {
        assertTrue(policy.get(figure).doubleValue() > 0, figure + " of " + policy);
      }
    }
    assertTrue(stock.get("filesReadPerScan").doubleValue() > 12, stock.toString());
    assertTrue(both.get("filesReadPerScan").doubleValue() < 1.6, both.toString());
    assertTrue(both.get("filesReadPerAbsentScan").doubleValue() < 0.1, both.toString());
    JsonNode all = document.get("others").get(0).get("policies").get(3);
    assertTrue(all.get("filesReadPerScan").doubleValue() > 12.9, "a prefix in each file");
    assertTrue(
        Files.readString(directory.resolve("scans.svg")).contains(">Winnow, rows and prefixes<"));
  }

  @Test
  void readsOfASmallCacheAreCountedAndDelayed() throws Exception {
    Path json = TestServer.emptyDirectory("cache").resolve("cache.json");
    JavaProcess.Result result =
        JavaProcess.withAgent(JavaProcess.classPath())
            .run(
                "io.winnow.hbase.rates.SmallCache",
                "--rows=100000",
                "--gets=320",
                "--rounds=2",
                "--cases=present,slow",
                "--json=" + json);
    assertEquals(0, result.exitCode(), result.toString());
    JsonNode results = new ObjectMapper().readTree(json.toFile()).get("results");
    assertEquals(5 * (4 + 3), results.size(), "five kinds of filters, four sizes and three");
    for (JsonNode entry : results) {
      JsonNode parameters = entry.get("parameters");
      boolean isSlow = parameters.get("case").textValue().equals("slow");
      boolean isLarge = parameters.get("cache").textValue().equals("2");
      boolean hasFilter = !parameters.get("filters").textValue().equals("none");
      boolean isStock = parameters.get("filters").textValue().equals("stock");
      for (int round = 0; round < 2; round++) {
        JsonNode samples = entry.get("samples");
        double reads = samples.get("readsPerGet").get(round).doubleValue();
        double kib = samples.get("kibPerGet").get(round).doubleValue();
        // A data block has 1 KiB here, and an index block or a full chunk 1.6 KiB.
        assertTrue(kib >= 0.95 * reads && kib <= 2 * reads, entry::toString);
        if (!hasFilter) {
          assertTrue(reads > 5.9, entry.toString()); // a block of each of six files
        } else if (isLarge) {
          assertTrue(reads > 0.9 && reads < 3, entry.toString());
        }
        JsonNode misses = samples.get("missesAgainPerProbe");
        assertEquals(hasFilter && !isStock, misses != null, entry::toString);
        if (misses != null) {
          double share = misses.get(round).doubleValue();
          assertTrue(isLarge ? share < 0.2 : share > 0 && share < 1, entry::toString);
        }
        if (isSlow) { // A read never waits less than 2 ms, however fast the machine is.
          double perSecond = samples.get("getsPerSecond").get(round).doubleValue();
          assertTrue(perSecond <= 1.001 * 16 / (0.002 * reads), entry.toString());
        }
      }
    }
  }

  @Test
  void scansOfATimeReadTheFilesThatHaveIt() throws Exception {
    Path directory = TestServer.emptyDirectory("scans-of-times");
    Path json = directory.resolve("scans.json");
    JavaProcess.Result result =
        JavaProcess.withAgent(JavaProcess.classPath())
            .run(
                "io.winnow.hbase.rates.Scans",
                "--store=time",
                "--variants=late",
                "--rows=60000",
                "--scans=20",
                "--rounds=2",
                "--writes=0",
                "--json=" + json,
                "--plots=" + directory);
    assertEquals(0, result.exitCode(), result.toString());
    JsonNode document = new ObjectMapper().readTree(json.toFile());
    JsonNode stock = policy(document, "stock-row");
    JsonNode prefix = policy(document, "winnow-row+prefix");
    JsonNode segment = policy(document, "winnow-row+segment");
    JsonNode oracle = policy(document, "oracle");
    assertEquals(1, oracle.get("filesReadPerScan").doubleValue(), "the file of the last hour");
    assertEquals(1, oracle.get("filesRead").get("presentGet").doubleValue());
    for (String policy : List.of("winnow-row+segment", "winnow-row+prefix+segment")) {
      assertEquals(1, policy(document, policy).get("filesReadPerScan").doubleValue(), policy);
    }
    for (JsonNode all : List.of(stock, prefix)) {
      assertTrue(all.get("filesReadPerScan").doubleValue() > 12, all.toString());
      assertTrue(all.get("filterQueries").get("presentGet").doubleValue() > 11, all.toString());
    }
    for (String query : List.of("oneHour", "oneHourReversed")) {
      double files = segment.get("filesRead").get(query).doubleValue();
      double right = oracle.get("filesRead").get(query).doubleValue();
      assertTrue(right > 1.9 && right < 2.2, query + ": " + right);
      assertTrue(files >= right && files < 1.1 * right, query + ": " + files);
    }
    assertTrue(segment.get("filterQueries").get("presentGet").doubleValue() < 1.5);
    JsonNode late = document.get("others").get(0);
    double files = policy(late, "winnow-row+segment").get("filesReadPerScan").doubleValue();
    double right = policy(late, "oracle").get("filesReadPerScan").doubleValue();
    assertTrue(right >= 1 && files >= right && files < 1.2 * right, files + ", not " + right);
    assertTrue(policy(late, "winnow-row+segment").get("segmentBytes").intValue() > 200);
    for (JsonNode run : List.of(document, late)) {
      run.get("policies").forEach(one -> assertEquals(0, one.get("rowsLost").longValue()));
    }
  }

  private static JsonNode policy(JsonNode run, String name) {
    for (JsonNode one : run.get("policies")) {
      if (one.get("policy").textValue().equals(name)) {
        return one;
      }
    }
    throw new AssertionError("no " + name);
  }
}
