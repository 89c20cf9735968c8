package io.winnow.cascade;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * De-amortization: an inserting thread waits now and then for its share of the merges, a little
 * each time, so that nobody waits for a whole one. The lock for inserts guards it.
 *
 * <p>Every {@value #OPERATIONS} operations it looks how merges keep up, as long as the waits are
 * short: so fewer than one operation in a thousand waits. Where merges are slow, on a slow drive or
 * under a limit, it looks more often, and no wait is long.
 */
final class Pacing {
  /** Operations between two looks at most. */
  static final int OPERATIONS = 4096;

  static final long LONGEST_WAIT_NANOS = 20_000_000;

  /** A merge that is late is due within this many operations. */
  private static final int SOONEST = 512;

  /** How much sooner than needed merges are paced to be done. */
  private static final double MARGIN = 1.15;

  private final MergePolicy policy;
  private final CascadeCounters waits;
  private long pacedAt = System.nanoTime();
  private int sincePaced = OPERATIONS;

  Pacing(MergePolicy policy, CascadeCounters waits) {
    this.policy = policy;
    this.waits = waits;
  }

  /**
   * Waits as long as it takes that merges are done in time.
   *
   * @param operations how many there were
   * @return after how many more it is to be called again
   */
  int pace(Merges merges, long operations) {
    List<Merge> running = merges.running;
    long now = System.nanoTime();
    int next = OPERATIONS;
    if (!running.isEmpty()) {
      List<Due> dues = new ArrayList<>(running.size());
      for (Merge merge : running) {
        long left = merge.deadline - operations;
        dues.add(new Due(merge.remainingEntries(), merges.nanosPerSlot(merge), left, merge.rank));
      }
      double nanosPerOperation = nanosPerOperation(dues, policy.writesPerRank());
      long wait = waitNanos(nanosPerOperation, sincePaced, now - pacedAt);
      if (wait > 0) {
        await(wait);
        long after = System.nanoTime();
        waits.countWait(after - now, false);
        now = after;
      }
      next = operationsUntilNext(nanosPerOperation);
    }
    pacedAt = now;
    sincePaced = next;
    return next;
  }

  /** What is left of a merge. */
  static final class Due {
    /** How many are to be merged. */
    final long slots;

    /** How long one takes. */
    final double nanosPerSlot;

    /** Within how many operations that has to be done. */
    final long operations;

    /** Where the merge goes to. */
    final int rank;

    Due(long slots, double nanosPerSlot, long operations, int rank) {
      this.slots = slots;
      this.nanosPerSlot = nanosPerSlot;
      this.operations = operations;
      this.rank = rank;
    }
  }

  /**
   * How long an operation has to take, so that merges are done in time: those that are before each,
   * lowest rank first, and what comes meanwhile, go first.
   */
  static double nanosPerOperation(List<Due> dues, double writesPerRank) {
    double most = 0;
    double ahead = 0;
    for (Due due : dues) {
      ahead += due.slots * due.nanosPerSlot;
      double meanwhile = (due.rank - 1) * writesPerRank * due.nanosPerSlot;
      most = Math.max(most, ahead / Math.max(due.operations, SOONEST) + meanwhile);
    }
    return most * MARGIN;
  }

  /** How long to wait after operations that took less time than they have to; 0 or less is none. */
  static long waitNanos(double nanosPerOperation, int operations, long tookNanos) {
    double share = nanosPerOperation * operations;
    return (long) Math.min(share - tookNanos, LONGEST_WAIT_NANOS);
  }

  /** So few that their share is one wait, if there can be. */
  static int operationsUntilNext(double nanosPerOperation) {
    return (int) Math.max(1, Math.min(OPERATIONS, LONGEST_WAIT_NANOS / nanosPerOperation));
  }

  /** Waits, interrupted or not: who is interrupted would else fill the memory and wait there. */
  static void await(long nanos) {
    long end = System.nanoTime() + nanos;
    boolean interrupted = false;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
