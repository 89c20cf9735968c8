package io.winnow.bench.cascade;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The loop of de-duplication: each event is looked up and then inserted, known or not; one by one
 * or in batches. It runs for a moment at each of several sizes of the set, and keeps what each of
 * these moments gave.
 */
final class MixedLoop {
  private static final long LONGEST_NANOS = 3600L * 1_000_000_000;

  private final BatchContender filter;
  private final Events events;
  private final double share;
  private final long[] hashes;
  private final BitSet areRepeats;
  private final BitSet one = new BitSet(1);

  /** Times of one event, or of one batch of them. */
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

  /** The moment is over: it becomes one sample. */
  void endMoment() {
    perSecond.add(count * 1e9 / took);
    pagesPerEvent.add((double) pages / count);
    count = 0;
    pages = 0;
    took = 0;
  }

  /** What came so far is not counted; keys that were not found are. */
  void forget() {
    nanos.reset();
    count = 0;
    pages = 0;
    took = 0;
    repeats = missed;
    fresh = 0;
    mistaken = 0;
  }

  /** Events per second, a sample for each moment. */
  double[] perSecond() {
    return array(perSecond);
  }

  /** Pages that lookups read per event, a sample for each moment. */
  double[] pagesPerEvent() {
    return array(pagesPerEvent);
  }

  static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  Histogram nanos() {
    return nanos;
  }

  /** Repeats that came. */
  long repeats() {
    return repeats;
  }

  /** Repeats that were taken for new: none, or keys were lost. */
  long missed() {
    return missed;
  }

  /** New events that came. */
  long fresh() {
    return fresh;
  }

  /** New events that were taken for repeats: false positives. */
  long mistaken() {
    return mistaken;
  }
}
