package io.winnow.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.Results;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
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
      Map<String, String> small = Map.of("filter", Labels.of(peer), "keyLength", "10", "n", "3000");
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
    Results results = new Results(SETTING);
    JmhRuns.addTo(results, new Runner(options.build()).runSingle());
    Object[] parameters =
        small.parameters().entrySet().stream()
            .flatMap(e -> Stream.of(e.getKey(), e.getValue()))
            .toArray();
    double time = results.median(small.benchmark(), Part.NS_PER_KEY, parameters).orElseThrow();
    assertTrue(time > 0.1 && time < 1e8, "ns per key: " + time);
    results
        .median(small.benchmark(), Part.BITS_PER_KEY, parameters)
        .ifPresent(bits -> assertTrue(bits > 6.6 && bits < 64, "bits per key: " + bits));
    results
        .median(small.benchmark(), Part.FALSE_POSITIVE_RATE, parameters)
        .ifPresent(rate -> assertTrue(rate > 0 && rate < 0.03, "rate: " + rate));
  }

  static double[] values(Run run, Samples samples, String metric) {
    Object[] at =
        samples.at().entrySet().stream()
            .flatMap(e -> Stream.of(e.getKey(), e.getValue()))
            .toArray();
    return run.results.samples(samples.benchmark(), metric, at);
  }

  private static Run smallRun() {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    return new Run(new Results(SETTING)).begin(nowhere, 1);
  }

  @Test
  @Tag("long")
  void programsRunAndTheirFiguresAreSane() throws Exception {
    Run run = smallRun();
    Results results = run.results;
    new ChunkRates(Effort.SMOKE, run).measure();
    new Space(Effort.SMOKE, run).measure();
    new WritePath(Effort.SMOKE, run).measure();
    new QueryBench(Effort.SMOKE, run).measure();
    for (QueryBench.Place place : QueryBench.places(Effort.SMOKE)) {
      for (QueryBench.Mode mode : QueryBench.Mode.of(place)) {
        for (HBaseFilter filter : place.filters()) {
          double[] times = values(run, mode.samples(run, Labels.of(filter)), QueryBench.TIME);
          assertTrue(times.length >= 2, mode + ", " + filter + ": " + times.length);
          assertTrue(times[1] > 0.1 && times[1] < 1e8, mode + ", " + filter + ": " + times[1]);
        }
      }
    }
    for (String filter : List.of("bloom", "ribbon", "bumped-ribbon", "quotient")) {
      Object[] at = {"filter", filter, "n", 2000, "rate", 0.01};
      double rate = results.median(ChunkRates.NAME, "meanRate", at).orElseThrow();
      assertTrue(rate > 1e-4 && rate < 0.015, filter + " has the rate " + rate);
      double chunkBits = results.median(ChunkRates.NAME, Part.BITS_PER_KEY, at).orElseThrow();
      double fileBits = results.median(Space.NAME, Part.BITS_PER_KEY, at).orElseThrow();
      assertTrue(chunkBits > 6.6 && chunkBits < fileBits && fileBits < 24, filter);
    }
    WritePath.Shape plain = WritePath.Shape.PLAIN;
    for (WritePath.Pair pair : plain.pairs()) {
      for (WritePath.Work work : plain.works) {
        for (String metric : List.of(WritePath.WALL, WritePath.CPU)) {
          Samples at = plain.samples(run, pair, work, 10);
          double[] times = values(run, at, metric);
          assertEquals(1, times.length, at + ", " + metric);
          assertTrue(times[0] > 1 && times[0] < 1e8, at + ", " + metric + ": " + times[0]);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(WritePath.Shape.class)
  void filesOfEachShapeAreWritten(WritePath.Shape shape) throws Exception {
    for (WritePath.Pair pair : List.of(WritePath.Pair.NONE, WritePath.Pair.OTHER)) {
      String length = String.valueOf(WritePath.SHAPE_KEY_LENGTH);
      try (WritePathWorker worker = new WritePathWorker(pair.name(), shape.name(), length, "500")) {
        double[] nanos = worker.turn();
        assertEquals(2 * shape.works.size(), nanos.length);
        assertTrue(Arrays.stream(nanos).allMatch(time -> time > 0), Arrays.toString(nanos));
      }
    }
  }

  @Test
  void quotientFiltersFillAndTheirFiguresAreSane() {
    Run run = smallRun();
    Results results = run.results;
    new Quotients(Effort.SMOKE, run).measure();
    for (QuotientPeer peer : QuotientPeer.values()) {
      Object[] at = {"filter", Labels.of(peer), "n", 20_000};
      double bits = results.median(Quotients.FILTER, Part.BITS_PER_KEY, at).orElseThrow();
      assertTrue(bits > 11.3 && bits < 20, peer + " has " + bits + " bits per key");
      double rate = results.median(Quotients.FILTER, Part.FALSE_POSITIVE_RATE, at).orElseThrow();
      assertTrue(rate > 0 && rate < 1.5 * Quotients.RATE, peer + " has the rate " + rate);
      for (int load = Quotients.STEP; load <= peer.fullPercent; load += Quotients.STEP) {
        for (String metric : List.of("insertNs", "presentNs", "absentNs")) {
          double time =
              results
                  .median(
                      Quotients.CURVE, metric, "filter", Labels.of(peer), "n", 20_000, "load", load)
                  .orElseThrow();
          assertTrue(time > 0.1 && time < 1e8, peer + ", " + metric + ": " + time);
        }
      }
    }
    for (String filter : List.of("rank-select", "three-bit")) {
      for (String work :
          List.of("bulk build, sorted", "doubling", "halving", "merge of 2", "merge of 8")) {
        double time =
            results
                .median(
                    Quotients.WHOLE, Part.NS_PER_KEY, "work", work, "filter", filter, "n", 20_000)
                .orElseThrow();
        assertTrue(time > 0.1 && time < 1e8, filter + ", " + work + ": " + time);
      }
      double bits =
          results
              .median(Quotients.SPACE, Part.BITS_PER_KEY, "filter", filter, "rate", 0.01)
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
