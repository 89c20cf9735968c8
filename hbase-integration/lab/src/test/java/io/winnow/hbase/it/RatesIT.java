package io.winnow.hbase.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code ./winnow rates}, {@code ./winnow scans} and {@code ./winnow cache}, as the launcher starts
 * them, and small.
 */
@Tag("long")
class RatesIT {
  private static final String MAIN = "io.winnow.hbase.rates.Rates";
  private static final String BOTH = "winnow-row+prefix";
  private static final String SEGMENT = "winnow-row+segment";

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
    Results results = ResultFiles.read(json);
    List<String> policies = results.values("rates", "filters");
    assertEquals(List.of("stock", "file", "store", "store-0.6"), policies);
    for (String policy : policies) {
      ToDoubleFunction<String> figure = metric -> only(results, "rates", metric, policy);
      assertEquals(0, figure.applyAsDouble("rowsLost"), policy);
      double moments = figure.applyAsDouble("moments");
      assertTrue(moments >= 1 + 5 + 1, policy + ": " + moments);
      // Gets of rows that are not there pay the sum of the rates, and others less.
      double sum = figure.applyAsDouble("sumOfRates");
      double gets = 200.0 * moments;
      // Five sigma at most, and 4 Gets, as small counts are skewed: (5^2 - 1) / 6.
      double chance = 5 * Math.sqrt(sum / gets) + 4 / gets;
      assertEquals(sum, figure.applyAsDouble("falseReadsPerAbsentGet"), chance, policy);
      double present = figure.applyAsDouble("falseReadsPerPresentGet");
      assertTrue(present <= sum + chance, policy + ": " + present);
      // Without the major compaction after the fourth flush there would be more files.
      assertEquals(19, figure.applyAsDouble("files") * moments, 0.01, policy);
      assertEquals(4, figure.applyAsDouble("mostFiles"), policy);
    }
    double stock = only(results, "rates", "bitsPerKey", "stock");
    double file = only(results, "rates", "bitsPerKey", "file");
    assertTrue(file < stock, file + " bits per key, with HBase's own filter " + stock);
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
    Results results = ResultFiles.read(json);
    List<String> policies = List.of("stock-row", "stock-prefix", "winnow-row", BOTH);
    assertEquals(policies, results.values("scanStores", "filters"));
    for (String policy : policies) {
      assertEquals(0, only(results, "scanStores", "rowsLost", policy, "store", "usual"), policy);
      assertTrue(only(results, "scanStores", "bitsPerRow", policy, "store", "usual") > 0, policy);
      Object[] at = {"store", "usual", "filters", policy, "query", "present"};
      for (String metric : List.of("cpuMicros", "blocksRead")) {
        double[] rounds = results.samples("scans", metric, at);
        assertEquals(2, rounds.length, metric + " of " + policy);
        assertTrue(rounds[0] > 0, metric + " of " + policy);
      }
    }
    assertTrue(files(results, "usual", "stock-row", "present") > 12);
    assertTrue(files(results, "usual", BOTH, "present") < 1.6);
    assertTrue(files(results, "usual", BOTH, "absent") < 0.1);
    assertTrue(files(results, "files-13", BOTH, "present") > 12.9, "a prefix in each file");
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
    Results results = ResultFiles.read(json);
    assertEquals(1, files(results, "time", "oracle", "present"), "the file of the last hour");
    assertEquals(1, files(results, "time", "oracle", "presentGet"));
    for (String policy : List.of(SEGMENT, "winnow-row+prefix+segment")) {
      assertEquals(1, files(results, "time", policy, "present"), policy);
    }
    for (String policy : List.of("stock-row", BOTH)) {
      assertTrue(files(results, "time", policy, "present") > 12, policy);
      assertTrue(filterQueries(results, policy) > 11, policy);
    }
    for (String query : List.of("oneHour", "oneHourReversed")) {
      double files = files(results, "time", SEGMENT, query);
      double right = files(results, "time", "oracle", query);
      assertTrue(right > 1.9 && right < 2.2, query + ": " + right);
      assertTrue(files >= right && files < 1.1 * right, query + ": " + files);
    }
    assertTrue(filterQueries(results, SEGMENT) < 1.5);
    double files = files(results, "late", SEGMENT, "present");
    double right = files(results, "late", "oracle", "present");
    assertTrue(right >= 1 && files >= right && files < 1.2 * right, files + ", not " + right);
    assertTrue(only(results, "scanStores", "segmentBytes", SEGMENT, "store", "late") > 200);
    assertEquals(0, results.sum("scanStores", "rowsLost"));
  }

  private static double files(Results results, String store, String filters, String query) {
    return only(results, "scans", "filesRead", filters, "store", store, "query", query);
  }

  private static double filterQueries(Results results, String filters) {
    Object[] at = {"store", "time", "filters", filters, "query", "presentGet"};
    return results.median("scans", "filterQueries", at).orElseThrow();
  }

  /** The one sample that a benchmark has with these filters. */
  private static double only(
      Results results, String benchmark, String metric, String filters, String... at) {
    Object[] all = Stream.concat(Stream.of("filters", filters), Stream.of(at)).toArray();
    double[] samples = results.samples(benchmark, metric, all);
    assertEquals(1, samples.length, metric + " of " + filters);
    return samples[0];
  }
}
