package io.winnow.cascade;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * De-amortization of merges: an inserting thread now and then waits for a small share of the
 * merges, so that no insert waits for a whole merge. The lock for inserts guards this object.
 *
 * <p>As long as the waits are short, it checks the progress of merges after every {@value
 * #OPERATIONS} operations: fewer than one operation in a thousand waits. Where merges are slow, on
 * a slow drive or under a limit, it checks more often, and no wait is long.
 */
final class Pacing {
  /** Maximum of inserts and deletes between two checks of the progress of merges. */
  static final int OPERATIONS = 4096;

  /** Nanoseconds of the longest wait that one insert makes to let merges keep up. */
  static final long MAX_WAIT_NANOS = 20_000_000;

  /** Minimum of operations within which a merge behind its deadline should be done. */
  private static final int MIN_DUE_OPERATIONS = 512;

  /** Factor by which merges are paced faster than necessary. */
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
   * Waits until merges will be done in time at their present speed.
   *
   * @param operations number of operations since the opening
   * @return the number of operations after which to call this again
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

  /** Work that a running merge has left, and its deadline. */
  static final class Due {
    /** Number of fingerprints that the running merge has not merged yet. */
    final long slots;

    /** Nanoseconds that the running merge takes for each fingerprint. */
    final double nanosPerSlot;

    /** Number of inserts within which the running merge should be done. */
    final long operations;

    /** Rank of the level that the running merge writes. */
    final int rank;

    Due(long slots, double nanosPerSlot, long operations, int rank) {
      this.slots = slots;
      this.nanosPerSlot = nanosPerSlot;
      this.operations = operations;
      this.rank = rank;
    }
  }

  /**
   * Returns the nanoseconds that an insert must take so that merges end in time. Each merge first
   * waits for those before it, lowest rank first, and for the merges of slots that arrive
   * meanwhile.
   */
  static double nanosPerOperation(List<Due> dues, double writesPerRank) {
    double most = 0;
    double ahead = 0;
    for (Due due : dues) {
      ahead += due.slots * due.nanosPerSlot;
      double meanwhile = (due.rank - 1) * writesPerRank * due.nanosPerSlot;
      most = Math.max(most, ahead / Math.max(due.operations, MIN_DUE_OPERATIONS) + meanwhile);
    }
    return most * MARGIN;
  }

  /**
   * Returns the nanoseconds that inserts must wait if they took less time than merges need; 0 or
   * less means no wait.
   */
  static long waitNanos(double nanosPerOperation, int operations, long tookNanos) {
    double share = nanosPerOperation * operations;
    return (long) Math.min(share - tookNanos, MAX_WAIT_NANOS);
  }

  /** Returns the number of inserts after which an inserting thread waits once, at least 1. */
  static int operationsUntilNext(double nanosPerOperation) {
    return (int) Math.max(1, Math.min(OPERATIONS, MAX_WAIT_NANOS / nanosPerOperation));
  }

  /**
   * Waits for some nanoseconds, also when interrupted: otherwise an interrupted thread would fill
   * the memory level and wait for a whole merge.
   */
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
