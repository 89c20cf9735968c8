package io.winnow.cascade;

import java.util.List;

/**
 * Which levels are merged, and when: leveling, with ranks that are each the fan-out times larger
 * than the one before. It knows sizes only, so that it can be looked at by itself.
 *
 * <p>A frozen level goes into the first level, if that has room for it, and else becomes a new
 * first level. When the first level is full, it is merged, with all others up to there, into the
 * first rank that holds them all. So are two levels that ended up in one rank, after a crash or a
 * change of the fan-out.
 *
 * <p>All that is newer than a running merge's levels is of a lower rank than its result: what comes
 * in meanwhile has a bounded number of levels to be in.
 */
final class MergePolicy {
  /** Instead of the frozen level's entries. */
  static final long NOTHING_FROZEN = -1;

  /** Instead of the rank of the lowest merge. */
  static final int NO_MERGE = Integer.MAX_VALUE;

  private static final long MAX_CAPACITY = Long.MAX_VALUE / 4;

  private final long memoryEntries;
  private volatile int fanOut;

  MergePolicy(long memoryEntries, int fanOut) {
    this.memoryEntries = memoryEntries;
    this.fanOut = fanOut;
  }

  /** A level on flash. */
  record Level(int rank, long entries) {}

  /**
   * What is to be done next.
   *
   * @param withFrozen whether the frozen level takes part
   * @param levels how many levels on flash take part, from the newest one on
   * @param rank where they go
   */
  record Step(boolean withFrozen, int levels, int rank) {
    /** Else there is nothing to merge it with: the one level only gets the rank. */
    boolean isMerge() {
      return withFrozen || levels > 1;
    }
  }

  int fanOut() {
    return fanOut;
  }

  /** From the next step on. */
  void setFanOut(int times) {
    fanOut = times;
  }

  /** Entries of a level of a rank at most. */
  long capacity(int rank) {
    double capacity = memoryEntries * Math.pow(fanOut, rank);
    return capacity < MAX_CAPACITY ? (long) capacity : MAX_CAPACITY;
  }

  /** The least rank that holds so many entries. */
  int rankOf(long entries) {
    int rank = 1;
    while (capacity(rank) < entries) {
      rank++;
    }
    return rank;
  }

  /** How often a rank writes each entry, on the average. */
  double writesPerRank() {
    return (fanOut + 1) / 2.0;
  }

  /**
   * For how many operations a merge into a rank has time: until what came meanwhile, which is of
   * lower ranks, has filled these.
   *
   * @param activeEntries what the level that takes inserts has already
   */
  long operationsFor(int rank, long activeEntries) {
    return rank == 1 ? memoryEntries - activeEntries : capacity(rank - 1);
  }

  /**
   * What can be done now, or null.
   *
   * @param frozen entries of the frozen level, or {@link #NOTHING_FROZEN}
   * @param idle the newest levels on flash, newest first, up to the first one that is in a merge
   * @param lowestMerge the lowest rank of a running merge, or {@link #NO_MERGE}
   */
  Step next(long frozen, List<Level> idle, int lowestMerge) {
    if (lowestMerge == 1) {
      return null; // it changes the newest level; what follows from that is for later
    }
    boolean isThereAFirst = !idle.isEmpty() && idle.get(0).rank() == 1;
    if (frozen != NOTHING_FROZEN) {
      if (!isThereAFirst) {
        return new Step(true, 0, 1);
      }
      if (idle.get(0).entries() + frozen <= capacity(1)) {
        return new Step(true, 1, 1);
      }
    }
    // A frozen level may be larger than memory is now: it was filled from logs.
    long coming = Math.max(frozen, memoryEntries);
    if (isThereAFirst && idle.get(0).entries() + coming > capacity(1)) {
      return downwards(idle, 1, lowestMerge);
    }
    for (int i = 1; i < idle.size(); i++) {
      if (idle.get(i).rank() <= idle.get(i - 1).rank()) {
        return downwards(idle, i + 1, lowestMerge);
      }
    }
    return null;
  }

  /** Merges so many levels at least, and all others up to the rank they go to, if there is one. */
  private Step downwards(List<Level> idle, int atLeast, int lowestMerge) {
    for (int rank = 2; rank < lowestMerge; rank++) {
      int count = 0;
      for (int i = 0; i < idle.size(); i++) {
        if (idle.get(i).rank() <= rank) {
          count = i + 1;
        }
      }
      long entries = idle.subList(0, count).stream().mapToLong(Level::entries).sum();
      if (count >= atLeast && entries <= capacity(rank)) {
        return new Step(false, count, rank);
      }
    }
    return null;
  }
}
