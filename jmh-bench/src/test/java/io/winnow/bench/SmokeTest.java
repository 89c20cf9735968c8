package io.winnow.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.cli.Progress;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Every benchmark once, in the smallest size: the figures mean nothing, that they are there does.
 */
class SmokeTest {

  private static final Results.Setting SETTING =
      new Results.Setting("2026-01-01", "a machine", 1, "an OS", "a JDK", "0000000", "a test", 0);

  /** A benchmark and the parameters that its defaults do not make small. */
  record Small(String benchmark, Map<String, String> parameters) {}

  static List<Small> benchmarks() {
    List<Small> list = new ArrayList<>();
    for (String filter : List.of("bloom", "ribbon", "bumped-ribbon")) {
      Map<String, String> small = Map.of("filter", filter, "keyLength", "25", "n", "3000");
      list.add(new Small("LindormConstruct.construct", small));
      list.add(new Small("LindormQuery.query", small));
    }
    for (Peer peer : Peer.values()) {
      Map<String, String> small = Map.of("filter", peer.label(), "keyLength", "10", "n", "3000");
      list.add(new Small("Peers.construct", small));
      list.add(new Small("Peers.query", small));
    }
    for (String filter : List.of("ribbon", "ribbon-128", "bumped-ribbon")) {
      list.add(
          new Small(
              "KernelBuild.build", Map.of("filter", filter, "n", "3000", "verified", "false")));
    }
    for (String method : List.of("counted", "branched", "batched")) {
      for (String buffer : List.of("heap", "direct", "split")) {
        list.add(
            new Small(
                "KernelProbe." + method,
                Map.of("filter", "ribbon", "n", "3000", "mix", "mixed", "buffer", buffer)));
      }
    }
    for (String hash : List.of("xxh3", "murmur3", "hbase-murmur-twice")) {
      list.add(new Small("Hashing.hash", Map.of("hash", hash, "keyLength", "25")));
    }
    return list;
  }

  @ParameterizedTest
  @MethodSource("benchmarks")
  void benchmarkRunsAndItsFiguresAreSane(Small small) throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(new HeatPlan.Run(small.benchmark(), Map.of()).pattern())
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(2))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    small.parameters().forEach(options::param);
    Collection<RunResult> ran = new Runner(options.build()).run();
    Results results = new Results(SETTING);
    JmhRuns.addTo(results, ran);
    Object[] parameters =
        small.parameters().entrySet().stream()
            .flatMap(e -> java.util.stream.Stream.of(e.getKey(), e.getValue()))
            .toArray();
    double time = results.median(small.benchmark(), JmhRuns.NS_PER_KEY, parameters).orElseThrow();
    assertTrue(time > 0.1 && time < 1e8, "ns per key: " + time);
    results
        .median(small.benchmark(), JmhRuns.BITS_PER_KEY, parameters)
        .ifPresent(bits -> assertTrue(bits > 6.6 && bits < 64, "bits per key: " + bits));
    results
        .median(small.benchmark(), JmhRuns.RATE, parameters)
        .ifPresent(rate -> assertTrue(rate > 0 && rate < 0.03, "rate: " + rate));
  }

  @Test
  @Tag("long")
  void programsRunAndTheirFiguresAreSane() throws IOException {
    Results results = new Results(SETTING);
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    Progress progress = new Progress(nowhere, 1);
    new ChunkRates(Effort.SMOKE, results, progress).run();
    new Space(Effort.SMOKE, results, progress).run();
    new WritePath(Effort.SMOKE, results, progress).run();
    new QueryBench(Effort.SMOKE, results, progress).run();
    for (QueryBench.Place place : QueryBench.places(Effort.SMOKE)) {
      for (QueryBench.Turnover turnover : QueryBench.Turnover.values()) {
        for (int threads : QueryBench.threads()) {
          for (String filter : QueryBench.filters(place)) {
            double[] times = QueryBench.samples(results, place, turnover, threads, filter);
            assertTrue(times.length >= 2, place + ", " + turnover + ": " + times.length);
            assertTrue(times[1] > 0.1 && times[1] < 1e8, place + ", " + turnover + ": " + times[1]);
          }
        }
      }
    }
    for (String filter : List.of("bloom", "ribbon", "bumped-ribbon", "quotient")) {
      Object[] at = {"filter", filter, "n", 2000, "rate", 0.01};
      double rate = results.median(ChunkRates.NAME, "meanRate", at).orElseThrow();
      assertTrue(rate > 1e-4 && rate < 0.015, filter + " has the rate " + rate);
      double chunkBits = results.median(ChunkRates.NAME, JmhRuns.BITS_PER_KEY, at).orElseThrow();
      double fileBits = results.median(Space.NAME, JmhRuns.BITS_PER_KEY, at).orElseThrow();
      assertTrue(chunkBits > 6.6 && chunkBits < fileBits && fileBits < 24, filter);
    }
    for (WritePath.Work work : WritePath.Shape.PLAIN.works()) {
      for (String metric : List.of(WritePath.WALL, WritePath.CPU)) {
        PairedRatio ratio =
            WritePath.ratio(
                results, metric, WritePath.RECOMMENDED, WritePath.Shape.PLAIN, work, 10);
        assertTrue(ratio.median() > 0.01 && ratio.median() < 100, work + ", " + metric + ratio);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(WritePath.Shape.class)
  void filesOfEachShapeAreWritten(WritePath.Shape shape) throws IOException {
    WritePathWorker worker = new WritePathWorker(WritePath.SHAPE_KEY_LENGTH, 500, shape);
    try {
      for (WritePath.Work work : shape.works()) {
        for (HBaseFilter filter : new HBaseFilter[] {null, HBaseFilter.RIBBON}) {
          String[] nanos = worker.turn(work.label(), filter, 0.01).split(" ");
          assertTrue(Long.parseLong(nanos[0]) > 0 && Long.parseLong(nanos[1]) > 0, shape.label());
        }
      }
    } finally {
      worker.close();
    }
  }

  @Test
  void quotientFiltersFillAndTheirFiguresAreSane() {
    Results results = new Results(SETTING);
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    new Quotients(Effort.SMOKE, results, new Progress(nowhere, 1)).run();
    for (QuotientPeer peer : QuotientPeer.values()) {
      Object[] at = {"filter", peer.label(), "n", 20_000};
      double bits = results.median(Quotients.FILTER, JmhRuns.BITS_PER_KEY, at).orElseThrow();
      assertTrue(bits > 11.3 && bits < 20, peer + " has " + bits + " bits per key");
      double rate = results.median(Quotients.FILTER, JmhRuns.RATE, at).orElseThrow();
      assertTrue(rate > 0 && rate < 1.5 * Quotients.RATE, peer + " has the rate " + rate);
      for (int load = Quotients.STEP; load <= peer.fullPercent(); load += Quotients.STEP) {
        for (String metric : List.of(Quotients.INSERT, Quotients.PRESENT, Quotients.ABSENT)) {
          double time =
              results
                  .median(
                      Quotients.CURVE, metric, "filter", peer.label(), "n", 20_000, "load", load)
                  .orElseThrow();
          assertTrue(time > 0.1 && time < 1e8, peer + ", " + metric + ": " + time);
        }
      }
    }
    for (String filter : List.of("rank-select", "three-bit")) {
      for (String work :
          List.of(
              Quotients.BULK,
              Quotients.READ,
              Quotients.DOUBLE,
              Quotients.HALVE,
              Quotients.MERGE + 2,
              Quotients.MERGE + 8)) {
        double time =
            results
                .median(
                    Quotients.WHOLE,
                    JmhRuns.NS_PER_KEY,
                    "work",
                    work,
                    "filter",
                    filter,
                    "n",
                    20_000)
                .orElseThrow();
        assertTrue(time > 0.1 && time < 1e8, filter + ", " + work + ": " + time);
      }
      double bits =
          results
              .median(Quotients.SPACE, JmhRuns.BITS_PER_KEY, "filter", filter, "rate", 0.01)
              .orElseThrow();
      assertTrue(bits > 9 && bits < 14, filter + " has " + bits + " bits per key at 1 %");
    }
  }

  @Test
  void thePlanNamesBenchmarksThatExist() {
    List<String> known =
        BenchmarkList.defaultList()
            .getAll(
                OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT), List.of())
            .stream()
            .map(entry -> entry.getUsername())
            .toList();
    for (Effort effort : Effort.values()) {
      for (HeatPlan.Heat heat : HeatPlan.of(effort)) {
        for (HeatPlan.Run run : heat.runs()) {
          assertEquals(
              1,
              known.stream().filter(name -> name.matches(run.pattern())).count(),
              run.benchmark());
        }
      }
    }
  }
}
