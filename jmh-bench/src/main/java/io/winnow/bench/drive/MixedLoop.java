package io.winnow.bench.drive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A loop of de-duplication over events: each key is looked up and then inserted, known or not, one
 * by one or in batches. It runs for a moment at each of several sizes of the set, and keeps the
 * figures of each moment.
 */
final class MixedLoop {
  private static final long LONGEST_NANOS = 3600L * 1_000_000_000;

  private final BatchContender filter;
  private final Events events;
  private final double share;
  private final long[] hashes;
  private final BitSet areRepeats;
  private final BitSet one = new BitSet(1);

  /** Distribution of the times of single events, or of batches of events, in nanoseconds. */
  private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);

  private final List<Double> perSecond = new ArrayList<>();
  private final List<Double> pagesPerEvent = new ArrayList<>();

  // all moments
  private long repeats;
  private long missed;
  private long fresh;
  private long mistaken;

  // this moment
  private long count;
  private long pages;
  private long took;

  MixedLoop(BatchContender filter, Events events, Work work, int batch) {
    this.filter = filter;
    this.events = events;
    this.share = work.repeats();
    this.hashes = new long[work.batched() ? batch : 1];
    this.areRepeats = new BitSet(hashes.length);
  }

  void run(double seconds) throws IOException {
    long pagesBefore = filter.lookupPages();
    long start = System.nanoTime();
    long last = start;
    do {
      events.draw(share, hashes, areRepeats);
      BitSet found = lookUp();
      insert();
      long now = System.nanoTime();
      nanos.recordValue(now - last);
      last = now;
      check(found);
    } while (last - start < seconds * 1e9);
    took += last - start;
    pages += filter.lookupPages() - pagesBefore;
  }

  private BitSet lookUp() throws IOException {
    if (hashes.length > 1) {
      return filter.mightContain(hashes);
    }
    one.set(0, filter.mightContain(hashes[0]));
    return one;
  }

  private void insert() throws IOException {
    if (hashes.length > 1) {
      filter.insert(hashes);
    } else {
      filter.insert(hashes[0]);
    }
  }

  private void check(BitSet found) {
    int all = areRepeats.cardinality();
    areRepeats.andNot(found);
    int unseen = areRepeats.cardinality();
    count += hashes.length;
    repeats += all;
    missed += unseen;
    fresh += hashes.length - all;
    mistaken += found.cardinality() - (all - unseen);
  }

  /**
   * Ends the measurement of the loop at the present size of the filter; its figures become one
   * sample.
   */
  void endMoment() {
    perSecond.add(count * 1e9 / took);
    pagesPerEvent.add((double) pages / count);
    count = 0;
    pages = 0;
    took = 0;
  }

  /**
   * Resets the figures of the loop of lookups and inserts, except the number of keys that were
   * lost.
   */
  void reset() {
    nanos.reset();
    count = 0;
    pages = 0;
    took = 0;
    repeats = missed;
    fresh = 0;
    mistaken = 0;
  }

  /**
   * Returns the numbers of keys that the loop looked up and inserted per second, one number for
   * each size of the filter.
   */
  double[] perSecond() {
    return array(perSecond);
  }

  /** Returns the pages that lookups read per event, a sample for each size of the filter. */
  double[] pagesPerEvent() {
    return array(pagesPerEvent);
  }

  static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  Histogram nanos() {
    return nanos;
  }

  /** Returns the number of events that repeated an earlier key. */
  long repeats() {
    return repeats;
  }

  /** Returns the number of repeated keys that the filter took for new; above 0, keys were lost. */
  long missed() {
    return missed;
  }

  /** Returns the number of events with a new key. */
  long newEvents() {
    return fresh;
  }

  /** Returns the number of new keys that the filter took for repeats: its false positives. */
  long mistaken() {
    return mistaken;
  }
}
