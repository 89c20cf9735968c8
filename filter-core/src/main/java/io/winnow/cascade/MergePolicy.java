package io.winnow.cascade;

import io.winnow.flash.store.FieldText;
import java.util.List;

/**
 * Which levels are merged, and when: leveling, with ranks that are each the fan-out times larger
 * than the one before. It knows sizes only, so that it can be looked at by itself.
 *
 * <p>A frozen level goes into the first level, if that has room for it, and else becomes a new
 * first level. When the first level is full, it is merged, with all others up to there, into the
 * first rank that holds them all.
 *
 * <p>Merges that a crash or a close gave up, and changes of the fan-out, leave levels <i>out of
 * order</i>: one that is not of a lower rank than the next older one. These are put in order by the
 * smallest merges that leave fewer levels: newest first, into the lowest rank that holds them, and
 * as many at a time as take at most twice as long as the fewest. Each is soon done, so that there
 * is progress in sessions that are too short for the largest merge, and small levels do not pile
 * up.
 *
 * <p>All that is newer than a running merge's levels is of a lower rank than its result: what comes
 * in meanwhile has a bounded number of levels to be in.
 */
final class MergePolicy {
  /** Instead of the frozen level's entries. */
  static final long NOTHING_FROZEN = -1;

  /** Instead of the rank of the lowest merge. */
  static final int NO_MERGE = Integer.MAX_VALUE;

  /** Levels on flash that one merge puts in order at most, so that it is soon done. */
  static final int MOST_OUT_OF_ORDER = 16;

  private static final long MAX_CAPACITY = Long.MAX_VALUE / 4;

  /** Entries of a level in memory. */
  final long memoryEntries;

  /** A change counts from the next step on. */
  volatile int fanOut;

  MergePolicy(long memoryEntries, int fanOut) {
    this.memoryEntries = memoryEntries;
    this.fanOut = fanOut;
  }

  /** A level on flash. */
  interface Level {
    int rank();

    long entries();
  }

  /** What is to be done next. */
  static final class Step {
    /** Whether the frozen level takes part. */
    final boolean withFrozen;

    /** How many levels on flash take part, from the newest one on. */
    final int levels;

    /** Where they go. */
    final int rank;

    Step(boolean withFrozen, int levels, int rank) {
      this.withFrozen = withFrozen;
      this.levels = levels;
      this.rank = rank;
    }

    /** Else there is nothing to merge it with: the one level only gets the rank. */
    boolean isMerge() {
      return withFrozen || levels > 1;
    }

    @Override
    public String toString() {
      return FieldText.of(this);
    }
  }

  /** Entries of a level of a rank at most. */
  long capacity(int rank) {
    double capacity = memoryEntries * Math.pow(fanOut, rank);
    return capacity < MAX_CAPACITY ? (long) capacity : MAX_CAPACITY;
  }

  /** The least rank that holds {@code entries} entries. */
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
  Step next(long frozen, List<? extends Level> idle, int lowestMerge) {
    if (lowestMerge == 1) {
      return null; // it changes the newest level; what follows from that is for later
    }
    boolean isThereAFirst = !idle.isEmpty() && idle.get(0).rank() == 1;
    if (frozen != NOTHING_FROZEN) {
      int levels = roomInFirst(frozen, idle);
      if (!isThereAFirst || levels > 0) {
        return new Step(true, levels, 1);
      }
    }
    int ordered = ordered(idle);
    // A frozen level may be larger than memory is now: it was filled from logs.
    long coming = Math.max(frozen, memoryEntries);
    if (isThereAFirst && idle.get(0).entries() + coming > capacity(1)) {
      return downwards(idle, 2, 1, ordered, lowestMerge);
    }
    return ordered == idle.size() ? null : downwards(idle, 1, ordered + 1, ordered, lowestMerge);
  }

  /** How many of the newest levels are of rank 1 and, with the frozen one, no more than that. */
  private int roomInFirst(long frozen, List<? extends Level> idle) {
    long entries = frozen;
    int count = 0;
    for (Level level : idle.subList(0, Math.min(idle.size(), MOST_OUT_OF_ORDER))) {
      entries += level.entries();
      if (level.rank() > 1 || entries > capacity(1)) {
        break;
      }
      count++;
    }
    return count;
  }

  /** How many of the newest levels are in order. */
  private static int ordered(List<? extends Level> idle) {
    int count = Math.min(1, idle.size());
    while (count < idle.size() && idle.get(count).rank() > idle.get(count - 1).rank()) {
      count++;
    }
    return count;
  }

  /**
   * Merges at least {@code atLeast} of the newest levels into the lowest rank that holds them. With
   * levels that are in order, these are all up to that rank, if there is one; where they are not,
   * the merge may end, and does before it takes twice as long as it must.
   */
  private Step downwards(
      List<? extends Level> idle, int lowestRank, int atLeast, int ordered, int lowestMerge) {
    int mayEnd = ordered == 1 ? 2 : ordered; // one level alone is not merged
    for (int rank = lowestRank; rank < lowestMerge; rank++) {
      int best = 0;
      long entries = 0;
      long most = capacity(rank);
      for (int count = 1; count <= idle.size(); count++) {
        entries += idle.get(count - 1).entries();
        boolean tooMany = count > Math.max(ordered + 1, MOST_OUT_OF_ORDER);
        if (idle.get(count - 1).rank() > rank || entries > most || tooMany) {
          break;
        }
        boolean isWhole = count == idle.size() || idle.get(count).rank() > rank;
        if (count >= atLeast && (isWhole || count >= mayEnd)) {
          most = best > 0 ? most : Math.min(most, Math.max(2 * entries, capacity(1)));
          best = count;
        }
      }
      if (best > 0) {
        return new Step(false, best, rank);
      }
    }
    return null;
  }
}
