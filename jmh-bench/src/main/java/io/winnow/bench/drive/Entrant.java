package io.winnow.bench.drive;

import io.winnow.bench.Keys;
import io.winnow.hbase.report.Results;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A filter that is compared with others in the loop of lookups and inserts, with its figures. */
final class Entrant implements Closeable {
  private final String name;
  private final BatchContender filter;
  private final int batch;
  private final Events events = new Events(0);
  private final Map<Work, MixedLoop> loops = new LinkedHashMap<>();

  /**
   * Random reads per second that the drive does one at a time, a sample for each size of the
   * filters.
   */
  private final List<Double> driveSingle = new ArrayList<>();

  /**
   * Random reads per second that the drive does with the best number of reads at a time, a sample
   * for each size of the filters.
   */
  private final List<Double> driveBest = new ArrayList<>();

  private final List<Double> levels = new ArrayList<>();

  private long filledKeys;
  private long fillNanos;

  Entrant(String name, BatchContender filter, int batch) {
    this.name = name;
    this.filter = filter;
    this.batch = batch;
    for (Work work : Work.ALL) {
      loops.put(work, new MixedLoop(filter, events, work, batch));
    }
  }

  String name() {
    return name;
  }

  /**
   * Inserts keys at full speed until the filter has the given number of keys, and waits for the
   * background work that they cause.
   */
  void fill(long keys) throws IOException {
    long before = events.distinct();
    long start = System.nanoTime();
    events.fill(filter, keys);
    filter.rest();
    fillNanos += System.nanoTime() - start;
    filledKeys += events.distinct() - before;
  }

  /**
   * Returns the mean number of keys inserted per second, where the time includes the background
   * work that they cause.
   */
  double filledPerSecond() {
    return filledKeys * 1e9 / fillNanos;
  }

  /** Runs each variant of the loop of lookups and inserts for a short time that is not counted. */
  void warmUp(double slice) throws IOException {
    for (MixedLoop loop : loops.values()) {
      loop.run(slice);
      loop.reset();
    }
  }

  /**
   * Measures all variants of the loop of lookups and inserts, and the drive, at the present size of
   * the filter. It ends when no merge is under way, so that it includes the merges which its events
   * cause.
   */
  void measure(double seconds, Drive drive, int bestDepth) throws IOException {
    double slice = seconds / 2 / (Work.ALL.size() + 1);
    double single = 0;
    double best = 0;
    double seen = 0;
    int rounds = 0;
    long start = System.nanoTime();
    double took;
    do {
      single += drive.pagesPerSecond(1, slice / 2);
      best += drive.pagesPerSecond(bestDepth, slice / 2);
      seen += filter.levels();
      for (MixedLoop loop : loops.values()) {
        loop.run(slice);
      }
      rounds++;
      took = (System.nanoTime() - start) / 1e9;
    } while (took < seconds || !filter.isAtRest() && took < 3 * seconds);
    driveSingle.add(single / rounds);
    driveBest.add(best / rounds);
    levels.add(seen / rounds);
    loops.values().forEach(MixedLoop::endMoment);
  }

  /**
   * Measures lookups of absent keys, first at rest and then while another thread inserts until the
   * filter has a given number of keys.
   */
  void lookups(Results results, long keys, double seconds) throws IOException {
    filter.rest();
    CascadeMetrics.lookups(
        results,
        CascadeMetrics.MIX_LOOKUP,
        name,
        CascadeMetrics.ABSENT,
        TimedLookups.single(filter, Keys::absent, seconds));
    CascadeMetrics.lookups(
        results,
        CascadeMetrics.MIX_LOOKUP,
        name,
        CascadeMetrics.BATCHED,
        TimedLookups.batched(filter, filter::positives, batch, Keys::absent, seconds));
    long half = (events.distinct() + keys) / 2;
    new DuringIngest(filter, events, half).measure(1, seconds).addTo(results, name);
    new DuringIngest(filter, events, keys).measure(batch, seconds).addTo(results, name);
  }

  /** Adds the figures of the filter's loops of lookups and inserts to the results. */
  void addTo(Results results) throws IOException {
    loops.forEach((work, loop) -> add(results, work, loop));
    Map<String, String> at = Map.of(CascadeMetrics.FILTER, name);
    results.add(CascadeMetrics.MIX_FILL, at, CascadeMetrics.PER_SECOND, filledPerSecond());
    results.add(CascadeMetrics.MIX_FILL, at, "levels", MixedLoop.array(levels));
    results.add(CascadeMetrics.MIX_FILL, at, "flashBytes", filter.flashBytes());
    results.add(
        CascadeMetrics.MIX_FILL,
        at,
        "writtenBytes",
        (double) filter.traffic().writtenBytes() / events.distinct());
    results.add(CascadeMetrics.MIX_FILL, at, "keys", events.distinct());
  }

  private void add(Results results, Work work, MixedLoop loop) {
    Map<String, String> at = work.at(name);
    results.add(CascadeMetrics.MIX, at, CascadeMetrics.PER_SECOND, loop.perSecond());
    results.add(CascadeMetrics.MIX, at, "pages", loop.pagesPerEvent());
    results.add(
        CascadeMetrics.MIX,
        at,
        "drivePerSecond",
        MixedLoop.array(work.batched() ? driveBest : driveSingle));
    CascadeMetrics.latencies(results, CascadeMetrics.MIX, at, loop.nanos());
    results.add(CascadeMetrics.MIX, at, "repeated", loop.repeats());
    results.add(CascadeMetrics.MIX, at, "missed", loop.missed());
    results.add(CascadeMetrics.MIX, at, "fresh", loop.newEvents());
    results.add(CascadeMetrics.MIX, at, "mistaken", loop.mistaken());
  }

  @Override
  public void close() throws IOException {
    filter.close();
  }
}
