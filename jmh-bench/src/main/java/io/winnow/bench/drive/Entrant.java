package io.winnow.bench.drive;

import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A filter that is compared with others in the loop of lookups and inserts, with its figures. */
final class Entrant implements Closeable {
  /** Shares of events that are repeats. */
  private static final double[] SHARES = {0, 0.5, 0.95};

  /** Share of a measurement's time that each loop runs before the first one, uncounted. */
  private static final double WARM_UP = 0.1;

  final String name;

  private final Run run;
  private final Structure filter;
  private final int batch;
  private final Events events = new Events(0);
  private final List<MixedLoop> loops = new ArrayList<>();
  private final Samples fills;
  private boolean isWarm;
  private long fillNanos;
  private long filledKeys;

  Entrant(Run run, String name, Structure filter, int batch) {
    this.run = run;
    this.name = name;
    this.filter = filter;
    this.batch = batch;
    for (double share : SHARES) {
      loops.add(new MixedLoop(run, name, filter, events, share, batch));
      loops.add(new MixedLoop(run, name, filter, events, share, 1));
    }
    this.fills = run.samples("cascade.mix-fill", "filter", name).add("levels");
  }

  /**
   * Inserts keys at full speed until the filter has the given number of keys, and waits for the
   * background work that they cause. Then it measures all loops, and the drive. That ends when no
   * merge is under way, so that it includes the merges which its events cause.
   *
   * @param depth number of threads with which the drive reads most pages per second
   */
  void measure(long keys, double seconds, Drive drive, int depth) throws IOException {
    fill(keys);
    if (!isWarm) {
      for (MixedLoop loop : loops) {
        loop.run(WARM_UP * seconds);
        loop.reset();
      }
      isWarm = true;
    }
    double slice = seconds / 2 / (loops.size() + 1);
    double single = 0;
    double best = 0;
    double levels = 0;
    int rounds = 0;
    long start = System.nanoTime();
    double took;
    do {
      single += drive.pagesPerSecond(1, slice / 2);
      best += drive.pagesPerSecond(depth, slice / 2);
      levels += filter.state().levels();
      for (MixedLoop loop : loops) {
        loop.run(slice);
      }
      rounds++;
      took = (System.nanoTime() - start) / 1e9;
    } while (took < seconds || !filter.state().isAtRest() && took < 3 * seconds);
    fills.add("levels", levels / rounds);
    for (MixedLoop loop : loops) {
      loop.endMoment((loop.isBatched() ? best : single) / rounds);
    }
  }

  private void fill(long keys) throws IOException {
    long before = events.distinct;
    long start = System.nanoTime();
    events.fill(filter, keys);
    filter.settle();
    fillNanos += System.nanoTime() - start;
    filledKeys += events.distinct - before;
  }

  /**
   * Adds the figures of the loops to the results, and then measures lookups of absent keys alone.
   *
   * @param keys number of keys that the filter has at the end
   */
  void finish(long keys, double seconds) throws IOException {
    loops.forEach(MixedLoop::finish);
    Structure.State state = filter.state();
    fills
        .add("perSecond", filledKeys * 1e9 / fillNanos)
        .add("flashBytes", state.flashBytes())
        .add("writtenBytes", (double) state.traffic().writtenBytes() / events.distinct)
        .add("keys", events.distinct);
    filter.settle();
    AbsentLookups absent = new AbsentLookups(run, "cascade.mix-lookup", name, filter, batch);
    absent.atRest(seconds);
    absent.duringInserts(events, keys, seconds);
  }

  @Override
  public void close() throws IOException {
    filter.close();
  }
}
