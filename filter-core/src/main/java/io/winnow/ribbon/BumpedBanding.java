package io.winnow.ribbon;

import io.winnow.build.KeyBuffer;

/**
 * Makes one bumped layer: decides which keys it takes, and passes on the others.
 *
 * <p>There are more keys than slots, so some rows must contradict. Keys come bucket by bucket, and
 * in a bucket from its last third to its first; the first third that contradicts is bumped to the
 * next layer, and with it the thirds below. Why so: {@code docs/design/bumped-ribbon.md}. What
 * comes out depends on the set of keys alone.
 *
 * <p>Scratch is kept. Not thread-safe.
 */
final class BumpedBanding {
  /** A layer that bumps a greater share of its keys is given up; 4.4 % is usual. */
  private static final double MOST_BUMPED = 0.25;

  /** Keys beyond that: a few crowded buckets alone do not end an attempt. */
  private static final int SPARE_BUMPED = 1024;

  private final BumpedSystem system = new BumpedSystem();
  private final KeyBuffer bumped = new KeyBuffer();
  private long[] thresholds = {};
  private long starts;
  private long bumpedStarts;
  private long searched;

  /**
   * Fills a layer of this many slots and columns with these keys, which were sorted for it.
   *
   * @param distinct whether the keys are known to be distinct: then no repeat is looked for
   */
  Elimination addAll(KeySorter keys, int slots, int columns, boolean distinct) {
    system.reset(slots, columns);
    thresholds = Scratch.cleared(thresholds, BumpedLayer.thresholdWords(slots));
    starts = BumpedLayer.starts(slots);
    bumped.clear();
    bumpedStarts = 0;
    searched = 0;
    long[] mixed = keys.mixed();
    int bumpedCount = 0;
    int begin = 0;
    for (int bucket = 0; bucket < BumpedLayer.buckets(slots); bucket++) {
      int firstThird = BumpedLayer.THIRDS * bucket;
      int third = BumpedLayer.THIRDS - 1;
      int end = keys.end(firstThird + third);
      system.openBucket(bucket * BumpedLayer.BUCKET, mixed, begin, end);
      int keptFrom = end;
      for (; third >= 0; third--) {
        int from = third == 0 ? begin : keys.end(firstThird + third - 1);
        if (!system.addThird(from - begin, keptFrom - begin)) {
          break;
        }
        if (system.hasAgreed() && !distinct) {
          searched += keptFrom - from;
          if (Scratch.hasRepeat(mixed, from, keptFrom)) {
            return Elimination.REPEATED; // of two equal rows one depends on the other, and agrees
          }
        }
        keptFrom = from;
      }
      int threshold = BumpedLayer.THIRDS - 1 - third; // the thirds that are kept
      BumpedLayer.setThreshold(thresholds, bucket, threshold);
      bumpedStarts +=
          Math.min(BumpedLayer.limit(threshold), starts - (long) bucket * BumpedLayer.BUCKET);
      bumped.add(mixed, begin, keptFrom - begin);
      bumpedCount += keptFrom - begin;
      if (bumpedCount > MOST_BUMPED * end + SPARE_BUMPED) {
        return Elimination.CROWDED;
      }
      begin = end;
    }
    return bumped.count() < bumpedCount ? Elimination.REPEATED : Elimination.DONE;
  }

  void solve(int columns, long[] solution) {
    system.solve(columns, solution);
  }

  long[] thresholds() {
    return thresholds;
  }

  /** The mixed hashes of the keys that were bumped. */
  KeyBuffer bumped() {
    return bumped;
  }

  /** The share of all starts whose keys go on to the next layer. */
  double bumpedShare() {
    return (double) bumpedStarts / starts;
  }

  /** How far rows have moved altogether, each counted from the first slot of its bucket. */
  long moved() {
    return system.moved();
  }

  /** How many keys were searched for repeats, each in its third: once at most. */
  long searched() {
    return searched;
  }
}
