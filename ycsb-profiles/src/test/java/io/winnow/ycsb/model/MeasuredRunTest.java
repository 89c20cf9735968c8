package io.winnow.ycsb.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.ResultFiles;
import io.winnow.hbase.report.Results;
import io.winnow.ycsb.FilterKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How far the model may be from measured runs. */
class MeasuredRunTest {
  /**
   * Default runs and sweeps, of which there is one at least; not those on stores of several files.
   */
  private static List<Path> runs() throws IOException {
    try (Stream<Path> results = Files.list(Path.of("results"))) {
      List<Path> runs =
          results.filter(file -> file.toString().matches(".*(?<!_stores|_costs)\\.json")).toList();
      assertFalse(runs.isEmpty());
      return runs;
    }
  }

  /** The newest; {@code null} before the first. */
  private static MeasuredCosts costs() throws IOException {
    Optional<Path> newest = ResultFiles.in(Path.of("results"), "").newest("_costs");
    return newest.isEmpty() ? null : MeasuredCosts.of(ResultFiles.read(newest.get()));
  }

  @Test
  void measuredRunsAreAsPredicted() throws IOException {
    for (Path file : runs()) {
      MeasuredRun run = MeasuredRun.of(Results.ofJson(Files.readString(file)), costs());
      String what = file + "\n" + run.text();
      for (MeasuredRun.Line line : run.lines()) {
        double bytes = line.predicted().filterBytes() / line.measured().filterBytes();
        assertEquals(1, bytes, line.kind() == FilterKind.BLOOM ? 1e-5 : 0.015, what);
        assertEquals(line.measured().hitRatio(), line.predicted().hitRatio(), 0.04, what);
      }
      assertTrue(
          median(run, line -> line.predicted().hitRatio() - line.measured().hitRatio()) < 0.005,
          what);
      assertTrue(
          median(run, line -> line.predicted().blocksRead() - line.measured().blocksRead()) < 0.04,
          what);
      assertTrue(
          median(run, line -> line.predicted().throughput() / line.measured().throughput() - 1)
              < 0.1,
          what);
      if (costs() != null) {
        long gains = run.lines().stream().filter(line -> line.kind() != FilterKind.BLOOM).count();
        long agreeing =
            run.lines().stream()
                .filter(line -> line.kind() != FilterKind.BLOOM && line.agrees())
                .count();
        assertTrue(agreeing >= 2 * gains / 3.0, agreeing + " of " + gains + " agree\n" + what);
      }
    }
  }

  @Test
  void aGainAgreesInItsIntervalOrWithinTenPointsOfItsMedian() {
    PairedRatio wide = new PairedRatio(1.2, 1.0, 1.5);
    PairedRatio narrow = new PairedRatio(1.2, 1.19, 1.21);
    assertTrue(line(1.45, wide).agrees());
    assertFalse(line(1.45, narrow).agrees());
    assertTrue(line(1.29, narrow).agrees());
    assertFalse(line(0.99, wide).agrees());
  }

  @Test
  void rewrittenRowsAreThoseOfTheRun() {
    assertEquals(0, MeasuredRun.rewritten(1, 4));
    assertEquals(0, MeasuredRun.rewritten(1, 1));
    assertEquals(0.1, MeasuredRun.rewritten(1.3502, 8));
  }

  private static MeasuredRun.Line line(double predicted, PairedRatio gain) {
    return new MeasuredRun.Line(
        "a profile",
        FilterKind.RIBBON,
        new MeasuredRun.Figures(1, 1, 1, predicted),
        new MeasuredRun.Figures(1, 1, 1, gain.median()),
        gain);
  }

  private static double median(MeasuredRun run, ToDoubleFunction<MeasuredRun.Line> error) {
    double[] errors =
        run.lines().stream().mapToDouble(line -> Math.abs(error.applyAsDouble(line))).toArray();
    Arrays.sort(errors);
    return errors[errors.length / 2];
  }

  @Test
  void otherResultsAreRefused() throws IOException {
    String run = Files.readString(runs().get(0));
    Results cluster = Results.ofJson(run.replace("\"./winnow ycsb", "\"./winnow ycsb --cluster"));
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> MeasuredRun.of(cluster, null))
            .getMessage()
            .contains("--cluster"));
    Results bench = Results.ofJson(run.replace("\"reads\"", "\"query\""));
    assertThrows(IllegalArgumentException.class, () -> MeasuredRun.of(bench, null));
  }
}
