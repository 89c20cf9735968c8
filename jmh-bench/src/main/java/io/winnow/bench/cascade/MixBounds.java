package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What was asked of the filter at work: beside lookups, with many threads, beside another commit.
 */
final class MixBounds {
  private final Results results;
  private final List<Bound> bounds;

  private MixBounds(Results results, List<Bound> bounds) {
    this.results = results;
    this.bounds = bounds;
  }

  static void addTo(List<Bound> bounds, Results results) {
    MixBounds made = new MixBounds(results, bounds);
    made.mix();
    made.duringIngest();
    made.commit();
    made.beside();
  }

  private void mix() {
    MixFigures figures = MixFigures.of(results);
    for (String repeats : figures.repeats()) {
      bounds.add(
          Bound.atLeast(
              "de-duplication in batches, " + repeats + " repeats: of the drive's page reads",
              0.8,
              figures.shareOfDrive(figures.computed(), Work.BATCHED, repeats)));
      bounds.add(
          Bound.atLeast(
              "de-duplication in batches, "
                  + repeats
                  + " repeats: over the page-local Bloom filter",
              1,
              figures.over(figures.computed(), Metrics.PAGE_LOCAL, Work.BATCHED, repeats)));
    }
  }

  private void duringIngest() {
    duringIngest("one at a time", Metrics.ABSENT, Metrics.ABSENT_DURING);
    duringIngest("in batches", Metrics.BATCHED, Metrics.BATCHED_DURING);
  }

  private void duringIngest(String how, String rest, String during) {
    bounds.add(
        new Bound(
            "lookups " + how + " during inserts, over those at rest",
            false,
            0.5,
            Table.divided(lookups(during), lookups(rest)),
            2));
  }

  private OptionalDouble lookups(String work) {
    return results.median(
        Metrics.LOOKUP, Metrics.PER_SECOND, Metrics.FILTER, Metrics.CASCADE, Metrics.WORK, work);
  }

  private void commit() {
    if (results.has(Metrics.COMMIT)) {
      bounds.add(
          new Bound(
              "inserts that are each synced: 16 threads over one",
              false,
              8,
              CommitSection.over(results, "16"),
              1));
    }
  }

  private void beside() {
    if (!results.has(Metrics.BESIDE)) {
      return;
    }
    bounds.add(
        Bound.atLeast(
            "inserts per second over those of the other commit",
            1,
            BesideSection.ratio(results, "insertsPerSecond")));
    bounds.add(
        new Bound(
            "the longest insert of all rounds, ms",
            true,
            50,
            Arrays.stream(BesideSection.of(results, "longestMillis", BesideRuns.THIS)).max(),
            1));
    besideRest("one at a time", "single");
    besideRest("in batches", "batched");
  }

  private void besideRest(String how, String metric) {
    bounds.add(
        Bound.atLeast(
            "beside the other commit: lookups " + how + " during inserts, over those at rest",
            0.5,
            PairedRatio.of(
                BesideSection.of(results, metric + "During", BesideRuns.THIS),
                BesideSection.of(results, metric, BesideRuns.THIS))));
  }
}
