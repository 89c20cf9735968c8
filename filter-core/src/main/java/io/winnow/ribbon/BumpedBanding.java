package io.winnow.ribbon;

import java.util.Arrays;

/**
 * The linear system of one bumped layer, and the keys that it could not take.
 *
 * <p>There are more keys than slots, so some rows must fail: depend on others while their
 * right-hand side contradicts. Keys come bucket by bucket, and in a bucket from its last third to
 * its first; at the first failure the third that it happened in is taken back, and it and what has
 * not come yet is bumped to the next layer. Going backwards in a bucket fills it from its free end
 * towards the slots that the buckets before have spilled into; so the slots fill up almost wholly
 * (Dillinger, Hübschle-Schneider, Sanders and Walzer, arXiv 2109.01892).
 *
 * <p>Taking back is clearing the slots that the third has occupied: they are the latest, so that no
 * other row was reduced by them. Scratch, 16 bytes per slot, is kept. Not thread-safe.
 */
final class BumpedBanding {
  private long[] rows = {};
  private long[] rightHandSides = {};
  private long[] thresholds = {};
  private long[] bumped = {};
  private int[] occupied = new int[256];
  private int slots;
  private int bumpedCount;
  private boolean repeated;
  private long bumpedStarts;

  /**
   * Takes {@code sorted[0..count)}; false, and then nothing else counts, if a hash is repeated.
   *
   * @param lowerBlocks the blocks whose keys have one column fewer
   */
  boolean addAll(long[] sorted, int count, int newSlots, int columns, int lowerBlocks) {
    slots = newSlots;
    rows = cleared(rows, slots);
    rightHandSides = cleared(rightHandSides, slots);
    thresholds = cleared(thresholds, BumpedLayer.thresholdWords(slots));
    if (bumped.length < count) {
      bumped = new long[count];
    }
    bumpedCount = 0;
    repeated = false;
    bumpedStarts = 0;
    long starts = BumpedLayer.starts(slots);
    int buckets = BumpedLayer.buckets(slots);
    int begin = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
      int end = begin;
      while (end < count
          && RibbonHasher.plainStart(sorted[end], starts) / BumpedLayer.BUCKET == bucket) {
        end++;
      }
      int kept = addBucket(sorted, begin, end, starts, columns, lowerBlocks);
      if (repeated) {
        return false;
      }
      int threshold = threshold(sorted, begin, kept, starts);
      BumpedLayer.setThreshold(thresholds, bucket, threshold);
      bumpedStarts +=
          Math.min(BumpedLayer.limit(threshold), starts - (long) bucket * BumpedLayer.BUCKET);
      System.arraycopy(sorted, begin, bumped, bumpedCount, kept - begin);
      bumpedCount += kept - begin;
      begin = end;
    }
    return true;
  }

  /** The threshold of a bucket whose keys from {@code begin} to {@code kept} are bumped. */
  private static int threshold(long[] sorted, int begin, int kept, long starts) {
    if (kept == begin) {
      return BumpedLayer.ALL_KEPT;
    }
    int third = BumpedLayer.third(RibbonHasher.plainStart(sorted[kept - 1], starts));
    return switch (third) {
      case 0 -> BumpedLayer.LOW_KEPT;
      case 1 -> BumpedLayer.HIGH_KEPT;
      default -> BumpedLayer.NONE_KEPT;
    };
  }

  /** Adds one bucket's keys, last one first; those before the index returned must be bumped. */
  private int addBucket(
      long[] sorted, int begin, int end, long starts, int columns, int lowerBlocks) {
    long[] rows = this.rows;
    long[] rightHandSides = this.rightHandSides;
    if (occupied.length < end - begin) {
      occupied = new int[2 * (end - begin)];
    }
    int[] occupied = this.occupied;
    int inThird = 0;
    int third = 2;
    int thirdEnd = end;
    for (int i = end - 1; i >= begin; i--) {
      long x = sorted[i];
      int slot = RibbonHasher.plainStart(x, starts);
      if (BumpedLayer.third(slot) != third) {
        third = BumpedLayer.third(slot);
        thirdEnd = i + 1;
        inThird = 0;
      }
      long row = RibbonHasher.row(x);
      int used = columns - ((slot >>> 6) < lowerBlocks ? 1 : 0);
      long right = RibbonHasher.fingerprint(x) & ((1L << used) - 1); // used <= 56
      while (true) {
        long pivot = rows[slot];
        if (pivot == 0) {
          rows[slot] = row;
          rightHandSides[slot] = right;
          occupied[inThird++] = slot;
          break;
        }
        row ^= pivot;
        right ^= rightHandSides[slot];
        if (row == 0) {
          if (right != 0) {
            for (int j = 0; j < inThird; j++) {
              rows[occupied[j]] = 0;
              rightHandSides[occupied[j]] = 0;
            }
            return thirdEnd;
          }
          if (standsIn(sorted, i + 1, thirdEnd, x)) {
            repeated = true;
            return begin;
          }
          break;
        }
        int zeros = Long.numberOfTrailingZeros(row); // 1..63: both rows had bit 0 set
        slot += zeros;
        row >>>= zeros;
      }
    }
    return begin;
  }

  private static boolean standsIn(long[] sorted, int from, int to, long x) {
    for (int i = from; i < to; i++) {
      if (sorted[i] == x) {
        return true;
      }
    }
    return false;
  }

  private static long[] cleared(long[] array, int length) {
    if (array.length < length) {
      return new long[length];
    }
    Arrays.fill(array, 0, length, 0L);
    return array;
  }

  void solve(int columns, long[] solution) {
    BackSubstitution.solve(rows, rightHandSides, slots, columns, 0, solution);
  }

  /** The thresholds' words. */
  long[] thresholds() {
    return thresholds;
  }

  /** The mixed hashes of the keys that were bumped, as many as {@link #bumpedCount}. */
  long[] bumped() {
    return bumped;
  }

  int bumpedCount() {
    return bumpedCount;
  }

  /** The share of all starts whose keys go on to the next layer. */
  double bumpedShare() {
    return (double) bumpedStarts / BumpedLayer.starts(slots);
  }
}
