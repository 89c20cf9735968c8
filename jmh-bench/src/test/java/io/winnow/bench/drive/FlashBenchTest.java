package io.winnow.bench.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.winnow.flash.drive.IoCounters;
import io.winnow.flash.store.IoSnapshot;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlashBenchTest {
  @TempDir private Path home;

  /** The whole command, small: the figures mean nothing, that they are there does. */
  @Test
  void aSmallRunGivesResultsAndFromThemThePage() throws IOException {
    Path dir = home.resolve("drive");
    Path json = home.resolve("runs.json");
    String text =
        run(
            "--scale",
            "0.01",
            "--seconds",
            "0.1",
            "--dir",
            dir.toString(),
            "--json",
            json.toString());
    assertTrue(text.contains("[100 %"), text);
    assertEquals(List.of(), files(dir), "nothing is left behind");

    JsonNode runs = new ObjectMapper().readTree(json.toFile()).path("runs");
    Set<String> structures = new HashSet<>();
    for (JsonNode one : runs) {
      structures.add(one.path("structure").textValue());
      assertFalse(one.path("workload").textValue().isEmpty());
      assertTrue(
          one.path("lost").isIntegralNumber() && one.path("lost").asLong() == 0, one::toString);
      assertTrue(one.has("insertsPerSecond") || one.has("lookupsPerSecond"), one::toString);
      for (String rate : List.of("insertsPerSecond", "lookupsPerSecond")) {
        assertTrue(!one.has(rate) || one.path(rate).asDouble() > 0, one::toString);
      }
      JsonNode rate = one.path("falsePositiveRate");
      assertTrue(rate.isMissingNode() || rate.asDouble() < 0.05, one::toString);
    }
    assertEquals(Set.copyOf(FlashMetrics.STRUCTURES), structures);

    Path results = files(home.resolve("jmh-bench/results")).get(0);
    run("--report=" + results);
    String page = Files.readString(home.resolve("docs/flash-bench.md"));
    for (String heading :
        List.of(
            "Drive and settings",
            "Sets",
            "Buffered Bloom filter beside one in memory",
            "Over the size of the buffer",
            "Over the longest wait, t_max",
            "Maps")) {
      assertTrue(page.contains("\n## " + heading + "\n"), heading);
    }
    for (String structure : FlashMetrics.STRUCTURES) {
      assertTrue(page.contains(structure + " |"), structure);
    }
    assertFalse(page.contains("NaN") || page.contains("not in this run"), page);
    for (Path file : files(home.resolve("docs/plots"))) {
      assertTrue(page.contains("plots/" + file.getFileName() + ")"), file.toString());
      assertFalse(Files.readString(file).contains("NaN"), file.toString());
    }
    String csv = Files.readString(home.resolve("docs/plots/flash-runs.csv"));
    assertEquals(1 + runs.size(), csv.lines().count());
  }

  private FlashBench read(String... arguments) {
    return Program.read(new FlashBench(home), arguments);
  }

  private String run(String... arguments) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    assertEquals(0, new FlashBench(home).run(out, out, arguments), bytes::toString);
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  /**
   * A map in memory, which may forget every second key, or change its value: a few reads see it.
   */
  private static final class Memory implements Store {
    private final Map<Long, byte[]> values = new HashMap<>();
    private final boolean forgets;
    private final boolean changes;

    Memory(boolean forgets, boolean changes) {
      this.forgets = forgets;
      this.changes = changes;
    }

    @Override
    public void put(long key, byte[] value) {
      if (forgets && key % 2 == 0) {
        return;
      }
      if (changes && key % 2 == 0) {
        value[value.length - 1]++;
      }
      values.put(key, value);
    }

    @Override
    public byte[] get(long key) {
      return values.get(key);
    }

    @Override
    public void settle() {}

    @Override
    public IoSnapshot traffic() {
      return new IoCounters().snapshot();
    }

    @Override
    public long flashBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"sound", "forgets", "changes"})
  void aMapThatForgetsOrChangesIsSeen(String kind) throws IOException {
    FlashBench options = read("--scale", "0.01", "--seconds", "0.02");
    Results results = results();
    Path files = Files.createDirectory(home.resolve("map"));
    new MapRuns(options, home, results, new Progress(silent(), 1))
        .measure("map", files, () -> new Memory(kind.equals("forgets"), kind.equals("changes")));
    for (String workload :
        List.of(FlashMetrics.WAN, FlashMetrics.LOOKUPS + "1", FlashMetrics.HITS)) {
      double lost =
          results
              .median(FlashMetrics.RUN, FlashMetrics.LOST, FlashMetrics.WORKLOAD, workload)
              .orElseThrow();
      assertEquals(!kind.equals("sound"), lost > 0, workload);
    }
    assertEquals(!kind.equals("sound"), FlashBench.lost(results) > 0);
  }

  private static Results results() {
    return new Results(new Results.Setting("2026-01-01", "", 2, "", "", "", "", 0));
  }

  private static PrintStream silent() {
    return new PrintStream(new ByteArrayOutputStream());
  }

  @Test
  void aBoundIsReachedOrNotOrNotMeasured() {
    Results results = results();
    run(results, FlashMetrics.BUFFERHASH, FlashMetrics.WAN, FlashMetrics.INSERTS, 1e6);
    run(results, FlashMetrics.JE, FlashMetrics.WAN, FlashMetrics.INSERTS, 10e3);
    run(results, FlashMetrics.ROCKS_BLOOM, FlashMetrics.WAN, FlashMetrics.INSERTS, 400e3);
    run(results, FlashMetrics.BUFFERHASH, FlashMetrics.MISSES, "lookups", 10e3);
    run(results, FlashMetrics.BUFFERHASH, FlashMetrics.MISSES, "lookupReads", 0.0040);
    run(results, FlashMetrics.BUFFERHASH, FlashMetrics.HITS, "lookups", 10e3);
    run(results, FlashMetrics.BUFFERHASH, FlashMetrics.HITS, "lookupReads", 1.01);
    run(results, FlashMetrics.JE, FlashMetrics.HITS, FlashMetrics.LOST, 1);
    FlashMetrics.setup(results, "bufferHashFalseReadsByLayout", 0.0025);
    List<Bound> bounds = FlashBench.page(results, "").bounds();
    assertEquals("reached", verdict(bounds, "bufferhash over berkeleydb-je: inserts"));
    assertEquals("**not reached**", verdict(bounds, "bufferhash over rocksdb-bloom: inserts"));
    assertEquals("not in this run", verdict(bounds, "bufferhash over rocksdb-ribbon: inserts"));
    assertEquals(
        "reached", verdict(bounds, "bufferhash: pages read by a lookup that finds nothing"));
    assertEquals(
        "**not reached**", verdict(bounds, "bufferhash: pages read by a lookup that finds its"));
    assertEquals("**not reached**", verdict(bounds, "keys lost"));
  }

  private static void run(
      Results results, String structure, String workload, String metric, double value) {
    new FlashMetrics(results, structure, workload).add(metric, value);
  }

  private static String verdict(List<Bound> bounds, String start) {
    return bounds.stream()
        .filter(bound -> bound.what().startsWith(start))
        .findFirst()
        .orElseThrow()
        .verdict();
  }

  @Test
  void whatDoesNotApplyIsLeftOut() throws IOException {
    Results results = results();
    FlashMetrics.setup(results, "scale", 1);
    new FlashMetrics(results, FlashMetrics.JE, FlashMetrics.HITS)
        .add(FlashMetrics.PROBES, 1234.5)
        .add(FlashMetrics.LOST, 0);
    JsonNode expected =
        new ObjectMapper()
            .readTree(
                """
                {"runs": [{"structure": "berkeleydb-je", "workload": "lookups of present keys",
                           "lookupsPerSecond": 1234.5, "lost": 0}]}
                """);
    assertEquals(expected, new ObjectMapper().readTree(RunsDocument.of(results).json()));
    assertEquals(
        "structure,workload,lookupsPerSecond,lost\n"
            + "berkeleydb-je,lookups of present keys,1234.5,0\n",
        RunsDocument.of(results).csv());
  }

  @Test
  void allIsInProportionToTheScale() {
    FlashBench whole = read();
    assertTrue(whole.isDefault());
    assertEquals(50_000_000, whole.buildKeys());
    assertEquals(32 << 20, whole.memoryBytes());
    assertEquals(256 << 20, 4096 * whole.pages());
    assertEquals(1L << 30, whole.bits(128));
    assertEquals(8L * whole.memoryBytes(), 32 * whole.mapEntries());
    FlashBench half = read("--scale", "0.5");
    assertFalse(half.isDefault());
    assertEquals(25_000_000, half.buildKeys());
    assertEquals(whole.mapEntries() / 2, half.mapEntries());
    assertEquals(whole.pages() / 2, half.pages());
    assertEquals(whole.bits(128) / 2, half.bits(128));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--scale 0",
        "--scale many",
        "--seconds 0",
        "--only everything",
        "--colour blue",
        "keys"
      })
  void wrongOptionsAreRefused(String arguments) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> read(arguments.split(" ")));
    assertFalse(e.getMessage().isEmpty());
    assertEquals(64, new FlashBench(home).run(silent(), silent(), arguments.split(" ")));
  }

  @Test
  void helpNamesEveryOption() {
    String help = run("--help");
    for (String option :
        List.of("scale", "seconds", "dir", "only", "quick", "json", "report", "help")) {
      assertTrue(help.contains("--" + option), option);
    }
    for (String part : FlashBench.PARTS) {
      assertTrue(help.contains(part), part);
    }
  }
}
