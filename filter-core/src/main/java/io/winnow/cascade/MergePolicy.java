package io.winnow.cascade;

import io.winnow.base.FieldText;
import java.util.List;

/**
 * Decides which levels of a cascade filter are merged, and when, by leveling: the capacity of each
 * rank is that of the rank before it times the fan-out. It knows only sizes, so it can be tested
 * alone.
 *
 * <p>A frozen level is merged with the first level, if that has room; otherwise it becomes a new
 * first level. When the first level is full, it is merged with all others up to the first rank that
 * can hold them together.
 *
 * <p>Merges that a crash or a close abandoned, and changes of the fan-out, leave levels <i>out of
 * order</i>: their rank is not lower than that of the next older level. The smallest merges that
 * reduce the number of levels put them in order: newest first, into the lowest rank that can hold
 * them, and as many levels at a time as take at most twice as long as the minimum. Each such merge
 * is short, so that sessions which are too short for the largest merge make progress, and small
 * levels do not accumulate.
 *
 * <p>All levels newer than a running merge's sources have a lower rank than its result. So the
 * levels that arrive meanwhile are bounded in number.
 */
final class MergePolicy {
  /** Number of entries that stands for "no memory level is frozen". */
  static final long NOTHING_FROZEN = -1;

  /** Rank that stands for "no merge runs". */
  static final int NO_MERGE = Integer.MAX_VALUE;

  /** Maximum of levels on flash that one merge puts in order, which keeps it short. */
  static final int MAX_OUT_OF_ORDER = 16;

  private static final long MAX_CAPACITY = Long.MAX_VALUE / 4;

  /** Number of entries that a memory level has room for. */
  final long memoryEntries;

  /**
   * Factor between the capacities of successive ranks of a cascade filter's levels. A change takes
   * effect in the next step.
   */
  volatile int fanOut;

  MergePolicy(long memoryEntries, int fanOut) {
    this.memoryEntries = memoryEntries;
    this.fanOut = fanOut;
  }

  /** Size and rank of a level on flash, from which merges are planned. */
  interface Level {
    int rank();

    long entries();
  }

  /** Plan of a merge that should begin, or of a change of a level's rank. */
  static final class Step {
    /** Is true if the frozen memory level takes part in the merge. */
    final boolean withFrozen;

    /** Number of levels on flash that take part in the merge, from the newest on. */
    final int levels;

    /** Rank of the level that the merge, or the change of rank, leads to. */
    final int rank;

    Step(boolean withFrozen, int levels, int rank) {
      this.withFrozen = withFrozen;
      this.levels = levels;
      this.rank = rank;
    }

    /** Returns whether this plan merges levels. If not, the one level only gets the new rank. */
    boolean isMerge() {
      return withFrozen || levels > 1;
    }

    @Override
    public String toString() {
      return FieldText.of(this);
    }
  }

  /** Returns the maximum of entries in a level of this rank of a cascade filter. */
  long capacity(int rank) {
    double capacity = memoryEntries * Math.pow(fanOut, rank);
    return capacity < MAX_CAPACITY ? (long) capacity : MAX_CAPACITY;
  }

  /** Returns the lowest rank of levels whose capacity is enough for a number of entries. */
  int rankOf(long entries) {
    int rank = 1;
    while (capacity(rank) < entries) {
      rank++;
    }
    return rank;
  }

  /** Returns the average number of times that each entry is written at one rank. */
  double writesPerRank() {
    return (fanOut + 1) / 2.0;
  }

  /**
   * Returns the number of operations within which a merge into a level of a given rank should be
   * done: those that fill the ranks below it.
   *
   * @param activeEntries entries that the active level already has
   */
  long operationsFor(int rank, long activeEntries) {
    return rank == 1 ? memoryEntries - activeEntries : capacity(rank - 1);
  }

  /**
   * Returns the next merge or change of rank that is possible now, or null.
   *
   * @param frozen entries of the frozen level, or {@link #NOTHING_FROZEN}
   * @param idle the newest levels on flash, newest first, up to the first one in a merge
   * @param lowestMerge the lowest rank of a running merge, or {@link #NO_MERGE}
   */
  Step next(long frozen, List<? extends Level> idle, int lowestMerge) {
    if (lowestMerge == 1) {
      return null; // that merge changes the newest level; decide after it
    }
    boolean hasFirstRank = !idle.isEmpty() && idle.get(0).rank() == 1;
    if (frozen != NOTHING_FROZEN) {
      int levels = roomInFirst(frozen, idle);
      if (!hasFirstRank || levels > 0) {
        return new Step(true, levels, 1);
      }
    }
    int ordered = ordered(idle);
    // A frozen level may exceed the present memory size: it was filled from logs.
    long coming = Math.max(frozen, memoryEntries);
    if (hasFirstRank && idle.get(0).entries() + coming > capacity(1)) {
      return downwards(idle, 2, 1, ordered, lowestMerge);
    }
    return ordered == idle.size() ? null : downwards(idle, 1, ordered + 1, ordered, lowestMerge);
  }

  /**
   * Returns how many of the newest levels are of rank 1 and fit into rank 1 together with the
   * frozen memory level.
   */
  private int roomInFirst(long frozen, List<? extends Level> idle) {
    long entries = frozen;
    int count = 0;
    for (Level level : idle.subList(0, Math.min(idle.size(), MAX_OUT_OF_ORDER))) {
      entries += level.entries();
      if (level.rank() > 1 || entries > capacity(1)) {
        break;
      }
      count++;
    }
    return count;
  }

  /** Returns how many of the cascade filter's newest levels are in order of their ranks. */
  private static int ordered(List<? extends Level> idle) {
    int count = Math.min(1, idle.size());
    while (count < idle.size() && idle.get(count).rank() > idle.get(count - 1).rank()) {
      count++;
    }
    return count;
  }

  /**
   * Returns a merge of the newest levels, at least a given number of them, into the lowest rank
   * that can hold them. If levels are in order, it takes all up to that rank. If they are not, it
   * may take fewer, and stops before it takes twice as long as the minimum.
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
        boolean tooMany = count > Math.max(ordered + 1, MAX_OUT_OF_ORDER);
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
