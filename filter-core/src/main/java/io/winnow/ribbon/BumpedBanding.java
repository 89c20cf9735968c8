package io.winnow.ribbon;

import io.winnow.base.KeyBuffer;

/**
 * Fills one layer of a bumped Ribbon filter: decides which keys it holds, and bumps the others to
 * the next layer.
 *
 * <p>There are more keys than slots, so some rows must contradict. Keys come bucket by bucket, and
 * within a bucket from its last third to its first. The first third that contradicts is bumped to
 * the next layer, and so are the thirds below it. The package comment explains why. The result
 * depends only on the set of keys.
 *
 * <p>The memory is kept for the next layer. Not thread-safe.
 */
final class BumpedBanding {
  /**
   * Maximum fraction of keys that a layer of a bumped Ribbon filter bumps to the next one; a layer
   * that bumps more is abandoned. 4.4 % is usual.
   */
  private static final double MAX_BUMPED = 0.25;

  /**
   * Number of keys that a bumped Ribbon filter's layer may bump beyond the maximum fraction, so
   * that a few crowded buckets do not end an attempt.
   */
  private static final int SPARE_BUMPED = 1024;

  final BumpedSystem system = new BumpedSystem();

  /** Mixed hashes of the keys that a bumped Ribbon filter's layer left to the next layer. */
  final KeyBuffer bumped = new KeyBuffer();

  /** Thresholds of the bumped Ribbon filter's layer that was filled last, packed into words. */
  long[] thresholds = {};

  private long starts;
  private long bumpedStarts;

  /**
   * Number of keys that were searched for repeats within their thirds of buckets (groups of
   * starts), each at most once.
   */
  long searched;

  /**
   * Fills a layer of a bumped Ribbon filter, of this many slots and columns, with these keys, which
   * were sorted for it.
   *
   * @param distinct whether the keys are known to be distinct, so that repeats need not be searched
   */
  Elimination addAll(KeySorter keys, int slots, int columns, boolean distinct) {
    system.reset(slots, columns);
    thresholds = Scratch.cleared(thresholds, BumpedLayer.thresholdWords(slots));
    starts = BumpedLayer.starts(slots);
    bumped.clear();
    bumpedStarts = 0;
    searched = 0;
    long[] mixed = keys.mixed;
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
        if (system.agreed && !distinct) {
          searched += keptFrom - from;
          if (Scratch.hasRepeat(mixed, from, keptFrom)) {
            return Elimination.REPEATED; // of two equal rows, one depends on the other and agrees
          }
        }
        keptFrom = from;
      }
      int threshold = BumpedLayer.THIRDS - 1 - third; // number of thirds that are kept
      BumpedLayer.setThreshold(thresholds, bucket, threshold);
      bumpedStarts +=
          Math.min(BumpedLayer.limit(threshold), starts - (long) bucket * BumpedLayer.BUCKET);
      bumped.add(mixed, begin, keptFrom - begin);
      bumpedCount += keptFrom - begin;
      if (bumpedCount > MAX_BUMPED * end + SPARE_BUMPED) {
        return Elimination.CROWDED;
      }
      begin = end;
    }
    return bumped.count() < bumpedCount ? Elimination.REPEATED : Elimination.DONE;
  }

  /**
   * Returns the fraction of the starts in a bumped Ribbon filter's layer whose keys are left to the
   * next layer.
   */
  double bumpedShare() {
    return (double) bumpedStarts / starts;
  }
}
