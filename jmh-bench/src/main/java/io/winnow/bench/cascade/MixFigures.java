package io.winnow.bench.cascade;

import io.winnow.hbase.report.PairedRatio;
import io.winnow.hbase.report.Results;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/** What the mixed loop gave, put together from its moments. */
final class MixFigures {
  private final Results results;

  private MixFigures(Results results) {
    this.results = results;
  }

  static MixFigures of(Results results) {
    return new MixFigures(results);
  }

  List<String> filters() {
    return results.values(Metrics.MIX, Metrics.FILTER);
  }

  /** The shares of repeats. */
  List<String> repeats() {
    return results.values(Metrics.MIX, Work.REPEATS);
  }

  OptionalDouble setup(String metric) {
    return results.median(Metrics.MIX_SETUP, metric);
  }

  /** The cascade filter whose fan-out was computed for the loop. */
  String computed() {
    return Metrics.cascade((int) setup("computedFanOut").orElse(0));
  }

  /** The cascade filters, from the least fan-out on. */
  List<String> cascades() {
    return filters().stream().filter(name -> name.startsWith(Metrics.CASCADE)).toList();
  }

  OptionalDouble of(String filter, String work, String repeats, String metric) {
    return results.median(Metrics.MIX, metric, at(filter, work, repeats));
  }

  /**
   * Events per second over all sizes of the set: as each size has as many events, the mean time of
   * an event counts.
   */
  OptionalDouble perSecond(String filter, String work, String repeats) {
    double[] samples = samples(filter, work, repeats, Metrics.PER_SECOND);
    return samples.length == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(samples.length / Arrays.stream(samples).map(rate -> 1 / rate).sum());
  }

  /** Pages that lookups read per event. */
  OptionalDouble pages(String filter, String work, String repeats) {
    return Arrays.stream(samples(filter, work, repeats, "pages")).average();
  }

  /**
   * Pages that lookups read per second, over those that the drive gave in the same turn to somebody
   * who did nothing else.
   */
  PairedRatio shareOfDrive(String filter, String work, String repeats) {
    double[] read = samples(filter, work, repeats, Metrics.PER_SECOND);
    double[] pages = samples(filter, work, repeats, "pages");
    for (int i = 0; i < read.length; i++) {
      read[i] *= pages[i];
    }
    return PairedRatio.of(read, samples(filter, work, repeats, "drivePerSecond"));
  }

  /** Events per second of one filter over another's, size by size. */
  PairedRatio over(String filter, String base, String work, String repeats) {
    return PairedRatio.of(
        samples(filter, work, repeats, Metrics.PER_SECOND),
        samples(base, work, repeats, Metrics.PER_SECOND));
  }

  /** How many repeats were taken for new, in all loops: none, or keys were lost. */
  static double missed(Results results) {
    MixFigures figures = of(results);
    double missed = 0;
    for (String filter : figures.filters()) {
      for (String repeats : figures.repeats()) {
        for (String work : List.of(Work.BATCHED, Work.SINGLE)) {
          missed += figures.of(filter, work, repeats, "missed").orElse(0);
        }
      }
    }
    return missed;
  }

  private double[] samples(String filter, String work, String repeats, String metric) {
    return results.samples(Metrics.MIX, metric, at(filter, work, repeats));
  }

  private static Object[] at(String filter, String work, String repeats) {
    return new Object[] {Metrics.FILTER, filter, Metrics.WORK, work, Work.REPEATS, repeats};
  }
}
