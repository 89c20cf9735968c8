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
 * other row was reduced by them.
 *
 * <p>Elimination is a chain of dependent steps, about twenty per key, each waiting for the one
 * before. So the buckets of a large layer are taken in two <em>lanes</em>, half of them each, step
 * by step in turn, and the processor works on both chains at once; a third lane gains nothing more.
 * Between lanes one bucket is bumped whole, so that nothing of the one spills into the next: what
 * comes out depends on the set of keys alone.
 *
 * <p>Scratch, 16 bytes per slot, is kept. Not thread-safe.
 */
final class BumpedBanding {
  private static final int LANES = 2;

  /** With fewer buckets than this, the buckets between lanes cost more than lanes are worth. */
  private static final int MIN_BUCKETS_FOR_LANES = 512;

  private final Lane[] lanes = {new Lane(), new Lane()};
  private long[] rows = {};
  private long[] rightHandSides = {};
  private long[] thresholds = {};
  private long[] bumped = {};
  private long[] sorted;
  private int count;
  private int slots;
  private long starts;
  private int columns;
  private int bumpedCount;
  private boolean repeated;
  private long bumpedStarts;

  /**
   * Takes {@code newSorted[0..newCount)}; false, and then nothing else counts, if a hash is
   * repeated.
   */
  boolean addAll(long[] newSorted, int newCount, int newSlots, int newColumns) {
    sorted = newSorted;
    count = newCount;
    slots = newSlots;
    starts = BumpedLayer.starts(slots);
    columns = newColumns;
    rows = cleared(rows, slots);
    rightHandSides = cleared(rightHandSides, slots);
    thresholds = cleared(thresholds, BumpedLayer.thresholdWords(slots));
    bumpedCount = 0;
    repeated = false;
    bumpedStarts = 0;
    int buckets = BumpedLayer.buckets(slots);
    int used = buckets < MIN_BUCKETS_FOR_LANES ? 1 : LANES;
    int firstKey = 0;
    for (int i = 0; i < used; i++) {
      int firstBucket = i * buckets / used;
      int bucketsEnd = (i + 1) * buckets / used;
      if (i + 1 < used) {
        bucketsEnd--;
      }
      lanes[i].open(firstBucket, bucketsEnd, firstKey);
      if (i + 1 < used) {
        int gap = firstOf(bucketsEnd);
        firstKey = firstOf(bucketsEnd + 1);
        bump(bucketsEnd, gap, firstKey, BumpedLayer.NONE_KEPT);
      }
    }
    if (used == LANES) {
      inTurn(lanes[0], lanes[1]);
    }
    for (int i = 0; i < used && !repeated; i++) {
      finish(lanes[i]);
    }
    return !repeated;
  }

  private int bucketOf(int index) {
    return RibbonHasher.plainStart(sorted[index], starts) / BumpedLayer.BUCKET;
  }

  /** The index of the first key in this bucket or a later one. */
  private int firstOf(int bucket) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bucketOf(middle) < bucket) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Settles a bucket: its threshold, and which of its keys go on. */
  private void bump(int bucket, int from, int to, int threshold) {
    BumpedLayer.setThreshold(thresholds, bucket, threshold);
    bumpedStarts +=
        Math.min(BumpedLayer.limit(threshold), starts - (long) bucket * BumpedLayer.BUCKET);
    int needed = bumpedCount + to - from;
    if (bumped.length < needed) {
      bumped = Arrays.copyOf(bumped, Math.min(count, 2 * needed));
    }
    System.arraycopy(sorted, from, bumped, bumpedCount, to - from);
    bumpedCount = needed;
  }

  /** Eliminates two lanes' rows, a step of each in turn, until one of them is done. */
  private void inTurn(Lane a, Lane b) {
    long[] rows = this.rows;
    long[] rightHandSides = this.rightHandSides;
    int slotA = a.slot;
    long rowA = a.row;
    long rightA = a.right;
    int slotB = b.slot;
    long rowB = b.row;
    long rightB = b.right;
    while (!a.done && !b.done) {
      long pivotA = rows[slotA];
      rowA ^= pivotA;
      rightA ^= rightHandSides[slotA]; // 0 where the slot is free
      long pivotB = rows[slotB];
      rowB ^= pivotB;
      rightB ^= rightHandSides[slotB]; // 0 where the slot is free
      if (pivotA == 0 || rowA == 0) {
        a.settle(slotA, rowA, rightA);
        slotA = a.slot;
        rowA = a.row;
        rightA = a.right;
      } else {
        int zeros = Long.numberOfTrailingZeros(rowA); // 1..63: both rows had bit 0 set
        slotA += zeros;
        rowA >>>= zeros;
      }
      if (pivotB == 0 || rowB == 0) {
        b.settle(slotB, rowB, rightB);
        slotB = b.slot;
        rowB = b.row;
        rightB = b.right;
      } else {
        int zeros = Long.numberOfTrailingZeros(rowB); // 1..63: both rows had bit 0 set
        slotB += zeros;
        rowB >>>= zeros;
      }
    }
    a.slot = slotA;
    a.row = rowA;
    a.right = rightA;
    b.slot = slotB;
    b.row = rowB;
    b.right = rightB;
  }

  /** Eliminates what is left of one lane. */
  private void finish(Lane lane) {
    long[] rows = this.rows;
    long[] rightHandSides = this.rightHandSides;
    int slot = lane.slot;
    long row = lane.row;
    long right = lane.right;
    while (!lane.done) {
      long pivot = rows[slot];
      row ^= pivot;
      right ^= rightHandSides[slot]; // 0 where the slot is free
      if (pivot == 0 || row == 0) {
        lane.settle(slot, row, right);
        slot = lane.slot;
        row = lane.row;
        right = lane.right;
      } else {
        int zeros = Long.numberOfTrailingZeros(row); // 1..63: both rows had bit 0 set
        slot += zeros;
        row >>>= zeros;
      }
    }
  }

  /**
   * A run of buckets that is worked through one key at a time: where it stands, and the row of its
   * key as far as it is eliminated.
   */
  private final class Lane {
    int slot;
    long row;
    long right;
    boolean done;

    private int bucket;
    private int bucketsEnd;

    /** The bucket's keys are sorted[begin..end); those from index on were taken. */
    private int begin;

    private int end;
    private int index;
    private int third;
    private int thirdEnd;
    private int[] occupied = new int[256];
    private int occupiedCount;

    /** Starts with the first key of these buckets, which stands at {@code firstKey} if any. */
    void open(int firstBucket, int newBucketsEnd, int firstKey) {
      bucket = firstBucket;
      bucketsEnd = newBucketsEnd;
      end = firstKey;
      done = false;
      openBucket();
    }

    /** Goes to the next bucket that has keys, from {@code bucket} on, and to its last key. */
    private void openBucket() {
      for (; bucket < bucketsEnd; bucket++) {
        begin = end;
        while (end < count && bucketOf(end) == bucket) {
          end++;
        }
        if (end > begin) {
          if (occupied.length < end - begin) {
            occupied = new int[2 * (end - begin)];
          }
          index = end;
          third = -1;
          nextKey();
          return;
        }
        bump(bucket, begin, begin, BumpedLayer.ALL_KEPT);
      }
      done = true;
    }

    private void nextKey() {
      if (index == begin) {
        closeBucket(begin, BumpedLayer.ALL_KEPT);
        return;
      }
      long x = sorted[--index];
      slot = RibbonHasher.plainStart(x, starts);
      if (BumpedLayer.third(slot) != third) {
        third = BumpedLayer.third(slot);
        thirdEnd = index + 1;
        occupiedCount = 0;
      }
      row = RibbonHasher.row(x);
      right = RibbonHasher.fingerprint(x) & ((1L << columns) - 1); // columns <= 56
    }

    private void closeBucket(int kept, int threshold) {
      bump(bucket, begin, kept, threshold);
      bucket++;
      openBucket();
    }

    /** The key's row came to a free slot, or nothing is left of it. Goes to the next key. */
    void settle(int lastSlot, long lastRow, long lastRight) {
      if (lastRow != 0) {
        rows[lastSlot] = lastRow;
        rightHandSides[lastSlot] = lastRight;
        occupied[occupiedCount++] = lastSlot;
        nextKey();
      } else if (lastRight != 0) {
        for (int i = 0; i < occupiedCount; i++) {
          rows[occupied[i]] = 0;
          rightHandSides[occupied[i]] = 0;
        }
        // Of the thirds below this one nothing was taken yet.
        closeBucket(thirdEnd, BumpedLayer.keptAbove(third));
      } else if (isRepeat()) {
        repeated = true;
        done = true;
      } else {
        nextKey();
      }
    }

    private boolean isRepeat() {
      for (int i = index + 1; i < thirdEnd; i++) {
        if (sorted[i] == sorted[index]) {
          return true;
        }
      }
      return false;
    }
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
