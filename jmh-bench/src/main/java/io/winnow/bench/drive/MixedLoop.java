package io.winnow.bench.drive;

import io.winnow.bench.Run;
import io.winnow.bench.Samples;
import java.io.IOException;
import java.util.BitSet;
import org.HdrHistogram.Histogram;

/**
 * A loop of de-duplication over events: each key is looked up and then inserted, known or not, one
 * by one or in batches. It runs for a moment at each of several sizes of the set, and keeps the
 * figures of each moment.
 */
final class MixedLoop {
  private final Structure filter;
  private final Events events;
  private final double share;
  private final long[] keys;
  private final BitSet areRepeats;
  private final Samples samples;

  /** Times of single events, or of batches of events. */
  final Histogram nanos = Timed.histogram();

  // all moments

  /** Number of events that repeated an earlier key. */
  long repeated;

  /** Number of repeated keys that the filter took for new; above 0, keys were lost. */
  long missed;

  /** Number of events with a new key. */
  long fresh;

  /** Number of new keys that the filter took for repeats: its false positives. */
  long mistaken;

  // this moment
  private long count;
  private long pages;
  private double seconds;

  /**
   * Makes a loop that has not run.
   *
   * @param share share of events that are repeats
   * @param batch number of events that are looked up, and then inserted, at a time
   */
  MixedLoop(Run run, String name, Structure filter, Events events, double share, int batch) {
    this.filter = filter;
    this.events = events;
    this.share = share;
    this.keys = new long[batch];
    this.areRepeats = new BitSet(batch);
    String work = isBatched() ? "in batches" : "one by one";
    String repeats = Math.round(100 * share) + " %";
    this.samples = run.samples(CascadeBench.MIX, "filter", name, "work", work, "repeats", repeats);
    samples.add("perSecond"); // no value: all loops have their order in the results
  }

  boolean isBatched() {
    return keys.length > 1;
  }

  void run(double length) throws IOException {
    Timed timed =
        new Timed(filter).run(keys.length, Long.MAX_VALUE, time -> time >= length, this::step);
    nanos.add(timed.nanos);
    count += timed.operations;
    pages += timed.pages;
    seconds += timed.seconds();
  }

  private void step(long first, int group) throws IOException {
    events.draw(share, keys, areRepeats);
    BitSet found;
    if (isBatched()) {
      found = filter.mightContain(keys);
      filter.insert(keys);
    } else {
      found = new BitSet(1);
      found.set(0, filter.mightContain(keys[0]));
      filter.insert(keys[0]);
    }
    int all = areRepeats.cardinality();
    areRepeats.andNot(found);
    int unseen = areRepeats.cardinality();
    repeated += all;
    missed += unseen;
    fresh += group - all;
    mistaken += found.cardinality() - (all - unseen);
  }

  /**
   * Ends the moment; its figures become one sample.
   *
   * @param drive pages per second that the drive reads in the same moment
   */
  void endMoment(double drive) {
    samples
        .add("perSecond", count / seconds)
        .add("pages", (double) pages / count)
        .add("drivePerSecond", drive);
    resetMoment();
  }

  private void resetMoment() {
    count = 0;
    pages = 0;
    seconds = 0;
  }

  /** Resets all figures after a warm-up, except the number of keys that were lost. */
  void reset() {
    nanos.reset();
    resetMoment();
    repeated = missed;
    fresh = 0;
    mistaken = 0;
  }

  /** Adds the figures of all moments together to the results. */
  void finish() {
    samples
        .latencies("", nanos)
        .add("repeated", repeated)
        .add("missed", missed)
        .add("fresh", fresh)
        .add("mistaken", mistaken);
  }
}
