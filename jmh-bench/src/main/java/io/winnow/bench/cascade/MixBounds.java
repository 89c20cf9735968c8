package io.winnow.bench.cascade;

import io.winnow.hbase.cli.Table;
import io.winnow.hbase.report.Bound;
import io.winnow.hbase.report.Results;
import java.util.List;
import java.util.OptionalDouble;

/** What was asked of the filter at work: beside lookups. */
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
}
