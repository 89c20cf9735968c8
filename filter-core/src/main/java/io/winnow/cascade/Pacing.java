package io.winnow.cascade;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * De-amortization: who inserts waits now and then for its share of the merges, a little each time,
 * so that nobody waits for a whole one. Guarded by who inserts.
 */
final class Pacing {
  /** Operations between two looks at how merges keep up: waits are rarer than one in a thousand. */
  static final int OPERATIONS = 4096;

  private static final long LONGEST_WAIT_NANOS = 20_000_000;

  /** How much sooner than needed merges are paced to be done. */
  private static final double MARGIN = 1.15;

  private final MergePolicy policy;
  private final WaitCounters waits;
  private long pacedAt = System.nanoTime();

  Pacing(MergePolicy policy, WaitCounters waits) {
    this.policy = policy;
    this.waits = waits;
  }

  /**
   * Waits as long as it takes that merges are done in time.
   *
   * @param operations how many there were
   */
  void pace(Merges merges, long operations) {
    List<Merge> running = merges.running();
    long now = System.nanoTime();
    if (!running.isEmpty()) {
      double nanosPerOperation = slotsPerOperation(running, operations) * merges.nanosPerSlot();
      double share = nanosPerOperation * OPERATIONS * MARGIN;
      long until = pacedAt + (long) Math.min(share, Long.MAX_VALUE / 4);
      long wait = Math.min(until - now, LONGEST_WAIT_NANOS);
      if (wait > 0) {
        LockSupport.parkNanos(wait);
        long after = System.nanoTime();
        waits.countPaced(after - now);
        now = after;
      }
    }
    pacedAt = now;
  }

  /**
   * Slots to merge in the time of an operation: each merge has until so many operations from its
   * begin, and those before it, and those that come meanwhile, go first.
   */
  private double slotsPerOperation(List<Merge> running, long operations) {
    double most = 0;
    double ahead = 0;
    for (Merge merge : running) {
      ahead += merge.remainingEntries();
      long left = Math.max(merge.deadline() - operations, OPERATIONS);
      double meanwhile = (merge.rank() - 1) * policy.writesPerRank();
      most = Math.max(most, ahead / left + meanwhile);
    }
    return most;
  }
}
