package io.winnow.bench.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.bench.Run;
import io.winnow.hbase.cli.Program;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlashBenchTest {
  private static final List<String> STRUCTURES =
      List.of(
          "plain-bloom",
          "buffered-bloom",
          "elevator-bloom",
          "cascade",
          "berkeleydb-je",
          "rocksdb-bloom",
          "rocksdb-ribbon",
          "bufferhash");

  @TempDir private Path home;

  private FlashBench bench(String... arguments) {
    return Program.read(new FlashBench(home), arguments);
  }

  /** The whole command, small: the figures mean nothing, that they are there does. */
  @Test
  void aSmallRunGivesResultsAndFromThemThePage() throws IOException {
    Path json = Benches.measure(new FlashBench(home), home, "--scale", "0.01", "--seconds", "0.1");
    Results results = ResultFiles.read(json);
    assertEquals(STRUCTURES, results.values("flash.run", "structure"));
    assertEquals(0, bench().lost(results));
    for (String structure : STRUCTURES) {
      for (String workload : results.values("flash.run", "workload")) {
        Object[] at = {"structure", structure, "workload", workload};
        for (String metric : List.of("insertsPerSecond", "lookupsPerSecond")) {
          assertTrue(results.median("flash.run", metric, at).orElse(1) > 0, workload);
        }
        assertTrue(results.median("flash.run", "falsePositiveRate", at).orElse(0) < 0.05, workload);
      }
    }
    String page =
        Benches.page(
            new FlashBench(home),
            home,
            json,
            "Drive and settings",
            "Sets",
            "Buffered Bloom filter beside one in memory",
            "Over the size of the buffer",
            "Over the longest wait, t_max",
            "Maps");
    for (String structure : STRUCTURES) {
      assertTrue(page.contains(structure + " |"), structure);
    }
    assertFalse(page.contains("not in this run"), page);
  }

  /**
   * A map in memory, which may forget every second key, or change its value: a few reads see it.
   */
  private static final class Memory extends FlashMap {
    private final Map<Long, byte[]> values = new HashMap<>();
    private final String kind;

    Memory(Path directory, String kind) {
      super(directory, "", VALUE_BYTES);
      this.kind = kind;
    }

    @Override
    void put(long key, byte[] value) {
      if (key % 2 == 0 && kind.equals("forgets")) {
        return;
      }
      if (key % 2 == 0 && kind.equals("changes")) {
        value[value.length - 1]++;
      }
      values.put(key, value);
    }

    @Override
    byte[] get(long key) {
      return values.get(key);
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"sound", "forgets", "changes"})
  void aMapThatForgetsOrChangesIsSeen(String kind) throws IOException, InterruptedException {
    Run run = Benches.made();
    FlashBench options = bench("--scale", "0.01", "--seconds", "0.02");
    options.scratch = home;
    new MapsCase(options, run).measure("map", files -> new Memory(files, kind));
    for (String workload :
        List.of("WAN optimizer", "lookups, share 1", "lookups of present keys")) {
      double lost = run.results.median("flash.run", "lost", "workload", workload).orElseThrow();
      assertEquals(!kind.equals("sound"), lost > 0, workload);
    }
    assertEquals(!kind.equals("sound"), options.lost(run.results) > 0);
  }

  @Test
  void aBoundIsReachedOrNotOrNotMeasured() {
    Run run = Benches.made();
    String wan = "WAN optimizer";
    FlashBench.samples(run, "bufferhash", wan).add("insertsPerSecond", 1e6);
    FlashBench.samples(run, "berkeleydb-je", wan).add("insertsPerSecond", 10e3);
    FlashBench.samples(run, "rocksdb-bloom", wan).add("insertsPerSecond", 400e3);
    FlashBench.samples(run, "bufferhash", "lookups of absent keys")
        .add("lookups", 10e3)
        .add("lookupReads", 0.0040);
    FlashBench.samples(run, "bufferhash", "lookups of present keys")
        .add("lookups", 10e3)
        .add("lookupReads", 1.01);
    FlashBench.samples(run, "berkeleydb-je", "lookups of present keys").add("lost", 1);
    run.samples("flash.setup").add("bufferHashFalseReadsByLayout", 0.0025);
    Map<String, String> verdicts =
        Map.of(
            "bufferhash over berkeleydb-je: inserts", "reached",
            "bufferhash over rocksdb-bloom: inserts", "**not reached**",
            "bufferhash over rocksdb-ribbon: inserts", "not in this run",
            "bufferhash: pages read by a lookup that finds nothing", "reached",
            "bufferhash: pages read by a lookup that finds its", "**not reached**",
            "keys lost", "**not reached**");
    verdicts.forEach(
        (goal, verdict) -> assertEquals(verdict, Benches.verdict(bench(), run, goal), goal));
  }

  @Test
  void allIsInProportionToTheScale() {
    FlashBench whole = bench();
    assertEquals(50_000_000, whole.buildKeys());
    assertEquals(32 << 20, whole.memoryBytes(1));
    assertEquals(256 << 20, whole.buffered(1).sizing().sizeInBytes());
    assertEquals(1L << 30, whole.bits(128));
    assertEquals(8L * whole.memoryBytes(1), 32L * whole.mapEntries());
    FlashBench half = bench("--scale", "0.5");
    assertEquals(25_000_000, half.buildKeys());
    assertEquals(whole.mapEntries() / 2, half.mapEntries());
    assertEquals(128 << 20, half.buffered(1).sizing().sizeInBytes());
    assertEquals(whole.bits(128) / 2, half.bits(128));
  }
}
